"""Charts and kustomizations that came as files are rendered by programs of this machine, if it has them."""

from __future__ import annotations

import shutil
from pathlib import PurePosixPath

import pytest

from lifecycle.input.folders import find_source
from lifecycle.input.given_sources import render_given
from lifecycle.input.reading import Batch, read_batches

CHART = b"{apiVersion: v2, name: web, version: 1.0.0}"
OBJECT = "{apiVersion: v1, kind: ConfigMap, metadata: {name: made}}"
MAP = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n"


def kustomize(*resources: str) -> bytes:
    return f"resources: [{', '.join(resources)}]".encode()


@pytest.mark.parametrize(
    "files, source",
    [
        pytest.param({"a.yaml": MAP}, None, id="manifests alone"),
        pytest.param({"Chart.yaml": CHART}, ".", id="a chart"),
        pytest.param(
            {"shop/Chart.yaml": CHART, "shop/charts/db/Chart.yaml": CHART}, "shop", id="a chart within"
        ),
        pytest.param({"a/Chart.yaml": CHART, "b/Chart.yaml": CHART}, None, id="two charts"),
        pytest.param({"kustomization.yaml": kustomize("a.yaml")}, ".", id="a kustomization"),
        pytest.param(
            {"base/kustomization.yml": kustomize(), "prod/Kustomization": kustomize("../base")},
            "prod",
            id="what takes in the other",
        ),
        pytest.param(
            {
                "base/kustomization.yaml": kustomize(),
                "dev/kustomization.yaml": kustomize("../base"),
                "prod/kustomization.yaml": kustomize("../base"),
            },
            None,
            id="two overlays",
        ),
        pytest.param(
            {"a/Chart.yaml": CHART, "a/templates/kustomization.yaml": kustomize()}, "a", id="within a chart"
        ),
        pytest.param({"a/Chart.yaml": CHART, "b/kustomization.yaml": kustomize()}, None, id="one of each"),
        pytest.param({".old/Chart.yaml": CHART}, None, id="hidden"),
        pytest.param({"kustomization.yaml": b"a: [b"}, ".", id="broken: who renders it says so"),
    ],
)
def test_the_source_is_what_nothing_else_takes_in(files, source):
    assert find_source(files) == (None if source is None else PurePosixPath(source))


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Stands in for programs on the PATH: each lists the files where it is sent to, then does as told."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    found = {name: shutil.which(name, path="/usr/bin:/bin") for name in ("find", "sort")}

    def make(name: str, does: str = f"echo '{OBJECT}'", place: str = "$3") -> None:
        script = folder / name
        look = f'(cd "{place}" && {found["find"]} . -type f | {found["sort"]} >{tmp_path}/files)'
        version = 'case "$1" in version) echo v9.8.7; exit;; esac'
        script.write_text(f"#!/bin/sh\n{version}\n{look}\n{does}\n")
        script.chmod(0o755)

    return make


def name_all(batches):
    return [one.subject for one in read_batches(batches).documents]


def test_a_chart_is_rendered_from_its_files_and_what_stands_beside_is_read(programs, tmp_path):
    programs("helm")
    files = {
        "c/Chart.yaml": CHART,
        "c/.helmignore": b"",
        "c/.git/x": b"",
        "c/templates/a.tpl": b"",
        "b.yaml": MAP,
    }
    batches = render_given(Batch(files, "shop", is_folder=True))
    assert name_all(batches) == ["ConfigMap made", "ConfigMap plain"]
    assert (tmp_path / "files").read_text().split() == ["./.helmignore", "./Chart.yaml", "./templates/a.tpl"]
    assert batches[0].notes[0].startswith("shop/c is rendered by helm v9.8.7, ")
    assert batches[0].given == files


def test_of_a_kustomization_only_what_is_made_of_it_is_read(programs):
    programs("kubectl", place="$2")
    files = {"kustomization.yaml": kustomize("a.yaml"), "a.yaml": MAP}
    assert name_all(render_given(Batch(files, "shop", is_folder=True))) == ["ConfigMap made"]


@pytest.mark.parametrize(
    "files, said",
    [
        ({"Chart.yaml": CHART}, "run `helm template shop` and give the result"),
        ({"kustomization.yaml": kustomize()}, "run `kubectl kustomize shop` and give the result"),
    ],
)
def test_without_a_program_it_is_said_what_to_run(programs, files, said):
    (batch,) = render_given(Batch(files, "shop", is_folder=True))
    assert said in "; ".join(map(str, read_batches([batch]).report.skipped))


@pytest.mark.parametrize(
    "does, said",
    [
        pytest.param(
            "echo 'Error: bad template' >&2; exit 1", "shop: helm cannot render it: bad template", id="bad"
        ),
        pytest.param(
            'echo "Error: in $3/a" >&2; exit 1',
            "helm cannot render it: in shop/a",
            id="names no folder of ours",
        ),
        pytest.param(
            "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done", "helm cannot render it", id="endless"
        ),
    ],
)
def test_what_cannot_be_rendered_is_refused(programs, monkeypatch, does, said):
    monkeypatch.setattr("lifecycle.input.renderers._LIMITS", "ulimit -t 20; ulimit -f 64")
    programs("helm", does)
    refused = read_batches(render_given(Batch({"Chart.yaml": CHART}, "shop", is_folder=True))).report.refused
    assert said in str(refused[0])


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("helm"), reason="helm is not installed")
def test_the_real_helm_reads_no_file_from_beside_the_chart(tmp_path):
    (tmp_path / "secret").write_text("abc")
    read = b'{a: "{{ .Files.Get "../../secret" }}"}'
    template = b"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: %s}" % read
    files = {"Chart.yaml": CHART, "templates/a.yaml": template}
    reading = read_batches(render_given(Batch(files, "web", is_folder=True)))
    assert [one.data["data"] for one in reading.documents] == [{"a": ""}]
