"""Charts and kustomizations are rendered by the user's own programs, without network or plugins."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from lifecycle.input.reading import read_batches
from lifecycle.input.renderers import NO_VALUES, Values, is_chart, make_release_name, render_chart
from lifecycle.simulation import take_inputs

OBJECT = "{apiVersion: v1, kind: ConfigMap, metadata: {name: made}}"
TEST_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: test}}\n"


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Stands in for programs on the PATH: each writes down what it was called with, then does as told."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(name: str, does: str) -> Path:
        log = tmp_path / f"{name}.log"
        script = folder / name
        lines = ["#!/bin/sh", f'for word; do echo "$word"; done >>{log}', f"set >>{log}.env"]
        version = f'case "$1" in version) echo "Client Version: v9.8.7+gabc"; exit;; esac\n{does}'
        script.write_text("\n".join([*lines, version, ""]))
        script.chmod(0o755)
        return log

    return make


@pytest.fixture
def chart(tmp_path):
    folder = tmp_path / "My_Chart"
    folder.mkdir()
    (folder / "Chart.yaml").write_text("{apiVersion: v2, name: mine, version: 1.0.0}")
    return str(folder)


@pytest.fixture
def overlay(tmp_path):
    folder = tmp_path / "overlay"
    folder.mkdir()
    (folder / "kustomization.yaml").write_text("resources: []")
    return str(folder)


def test_a_chart_is_what_helm_makes_of_it(programs, chart, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = programs("helm", f"echo '{OBJECT}'")
    values = Values(("a.yaml", "b.yaml"), ("x=1",), "shop", "v1.35.6")
    reading = take_inputs([chart], namespace="shop", values=values)
    assert [one.subject for one in reading.require_sound()] == ["ConfigMap shop/made"]
    words = log.read_text().split("\n")[:-3]
    served = words.index("--api-versions")
    assert words[:served] == [
        *("template", "my-chart", chart, "--include-crds", "--namespace", "shop"),
        *("--kube-version", "v1.35.6", "--values", f"{tmp_path}/a.yaml", "--values", f"{tmp_path}/b.yaml"),
        *("--set", "x=1"),
    ]
    assert {"apps/v1", "apps/v1/Deployment", "apiregistration.k8s.io/v1"} <= {*words[served + 1 :: 2]}
    assert reading.report.list_notes()[0] == f"{chart} is rendered by helm v9.8.7, {shutil.which('helm')}"


def test_programs_find_no_network_no_plugin_no_home_and_no_other_program(programs, overlay, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "abc")
    log = programs("kubectl", f"echo '{OBJECT}'")
    take_inputs([], overlays=[overlay]).require_sound()
    seen = Path(f"{log}.env").read_text()
    assert "SECRET_TOKEN" not in seen
    for line in ("HTTPS_PROXY='http://127.0.0.1:9'", "NO_PROXY=''", "PATH=''", "KUBECONFIG='/dev/null'"):
        assert line in seen
    assert f"HOME='{os.environ['HOME']}'" not in seen


@pytest.mark.parametrize(
    "names, called",
    [
        pytest.param(["kubectl"], ["kustomize"], id="kubectl alone"),
        pytest.param(["kubectl", "kustomize"], ["build"], id="kustomize goes first"),
    ],
)
def test_a_kustomization_is_what_kustomize_or_kubectl_makes_of_it(programs, overlay, names, called):
    logs = [programs(name, f"echo '{OBJECT}'") for name in names]
    assert [one.subject for one in take_inputs([], overlays=[overlay]).require_sound()] == ["ConfigMap made"]
    assert logs[-1].read_text().split()[:2] == [*called, overlay]


def test_tests_of_a_chart_are_told_apart(programs, chart):
    programs("helm", f"echo '{OBJECT}'; echo ---; echo '{TEST_POD}'")
    report = take_inputs([chart]).report
    assert [name for _, name in report.taken] == ["ConfigMap made"]
    assert [one.name for one in report.left] == ["Pod t (test)"]


@pytest.mark.parametrize(
    "does, said",
    [
        pytest.param(
            "echo 'Error: bad  template' >&2; exit 1", "helm cannot render it: bad template", id="bad"
        ),
        pytest.param(
            "echo 'found in Chart.yaml, but missing in charts/ directory: a' >&2; exit 1",
            "run `helm dependency build {chart}` first",
            id="a dependency is missing",
        ),
        pytest.param(
            "echo 'Get \"https://example.com/a\": proxyconnect tcp: 127.0.0.1:9' >&2; exit 1",
            "it wants https://example.com/a, and nothing is downloaded",
            id="wants the network",
        ),
    ],
)
def test_what_cannot_be_rendered_is_refused_with_what_would_be_right(programs, chart, does, said):
    programs("helm", does)
    (problem, *_) = take_inputs([chart]).report.refused
    assert str(problem).startswith(f"{chart}: ")
    assert said.format(chart=chart) in str(problem)


@pytest.mark.parametrize(
    "names, values, overlays, said",
    [
        pytest.param([], NO_VALUES, ["{overlay}"], "neither kustomize nor kubectl is on the PATH", id="none"),
        pytest.param([], NO_VALUES, ["{chart}"], "no kustomization in this folder", id="no kustomization"),
        pytest.param(["{overlay}"], Values(("a",)), [], "values are for a chart", id="values for no chart"),
        pytest.param(["{chart}"], NO_VALUES, [], "no objects passed to apply", id="no helm"),
    ],
)
def test_what_nobody_can_render_is_said(programs, chart, overlay, names, values, overlays, said):
    fill = {"chart": chart, "overlay": overlay}
    reading = take_inputs(
        [one.format(**fill) for one in names],
        values=values,
        overlays=[one.format(**fill) for one in overlays],
    )
    assert said in "\n".join(map(str, reading.report.refused))


def test_values_are_not_downloaded(programs, chart):
    log = programs("helm", "exit 1")
    batch = render_chart(chart, Values(("https://example.com/values.yaml",)))
    assert batch is not None
    assert "nothing is downloaded" in str(read_batches([batch]).report.refused[0])
    assert not log.exists()


@pytest.mark.parametrize(
    "path, name",
    [
        ("charts/web", "web"),
        ("My_Chart", "my-chart"),
        ("nginx-15.4.2.tgz", "nginx"),
        ("kube-prometheus-stack-61.3.1.tar.gz", "kube-prometheus-stack"),
        ("x" * 80, "x" * 53),
        ("___", "release"),
    ],
)
def test_a_release_is_called_as_its_chart(path, name):
    assert make_release_name(path) == name


def test_charts_are_known_by_their_files(tmp_path, chart):
    archive = tmp_path / "a-1.tgz"
    archive.write_bytes(b"")
    (tmp_path / "plain").mkdir()
    found = [is_chart(str(one)) for one in (chart, archive, tmp_path / "plain", tmp_path / "gone.tgz")]
    assert found == [True, True, False, False]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("helm"), reason="helm is not installed")
def test_the_real_helm_renders_a_chart(tmp_path):
    folder = tmp_path / "web"
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("{apiVersion: v2, name: web, version: 1.0.0}")
    template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-{{ .Values.a }}}\n"
    (folder / "templates" / "a.yaml").write_text(template)
    (folder / "values.yaml").write_text("a: b")
    reading = take_inputs([str(folder)], values=Values(single=("a=c",)))
    assert [one.subject for one in reading.require_sound()] == ["ConfigMap web-c"]
