"""`podline check --cluster`: a cluster of the dashboard as it stands, in this process, with every output."""

import json

import pytest
from django.core.management import call_command

from lifecycle.models import Check
from lifecycle.runs.checks import at_hand
from lifecycle.runs.checks.asking import ask
from podline import command
from tests.builders import make_user
from tests.runs.checks.conftest import ORDEALS

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(standing, capsys, monkeypatch, settings, tmp_path):
    """(exit status, standard output, standard error) of a check of the cluster."""
    settings.DATA = tmp_path
    monkeypatch.setattr("lifecycle.check.checking.cure", lambda *_: [])
    monkeypatch.setattr(at_hand.news, "tell", lambda check: None)

    def call(*arguments: str, cluster: str = "shop") -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            call_command("check_cluster", "--cluster", cluster, "--jobs", "1", *arguments)
        return ended.value.code, *capsys.readouterr()

    return call


@pytest.fixture
def tried(call):
    return lambda *arguments: call("--ordeals", ",".join(ORDEALS), *arguments)


@pytest.mark.slow
def test_a_cluster_is_checked_as_workers_would_check_it(standing, line, tried, monkeypatch):
    status, text, said = tried("-o", "json", "--seeds", "2", "--fail-on", "minor")
    kept = Check.objects.get()
    monkeypatch.setattr("lifecycle.runs.checks.summing.cure", lambda *_, **__: [])
    asked = ask(standing, standing.owner, ORDEALS, 2)
    line.do_all()
    asked.refresh_from_db()
    assert (status, said) == (1, "")
    assert kept.report == asked.report and kept.report["findings"]
    assert (kept.card, kept.counterexamples) == (asked.card, asked.counterexamples)
    assert (kept.total, kept.done, kept.at_ms) == (asked.total, asked.done, asked.at_ms)
    assert kept.state == Check.State.DONE and kept.command_order == asked.command_order
    told = json.loads(text)
    assert told["ordeals"] == asked.report["ordeals"]
    assert [one["id"] for one in told["findings"]] == [one["id"] for one in asked.report["findings"]]
    assert {one["counterexample"]["command"] for one in told["findings"]} == {
        f"http://127.0.0.1:8000/clusters/shop/check/#finding-{one['id']}" for one in told["findings"]
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "output, beginning",
    [
        ("table", ""),
        ("json", "{"),
        ("sarif", "{"),
        ("junit", "<?xml"),
        ("github", "::"),
        ("markdown", "### podline check"),
        ("html", "<!doctype html>"),
    ],
)
def test_every_output_tells_of_a_cluster(call, output, beginning):
    status, text, _ = call("--ordeals", "node-crash", "--fail-on", "minor", "-o", output)
    assert status == 1
    assert text.startswith(beginning) and "node-crash" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, status",
    [
        pytest.param([], 1, id="it is minor"),
        pytest.param(["--fail-on", "serious"], 0, id="only what is serious fails"),
        pytest.param(["--baseline", "known.yaml"], 0, id="accepted"),
        pytest.param(["--against", "before.json"], 0, id="nothing is new"),
        pytest.param(["--config", "mild.yaml"], 0, id="a configuration is named"),
    ],
)
def test_standards_are_those_of_manifests(tried, tmp_path, monkeypatch, arguments, status):
    monkeypatch.chdir(tmp_path)
    head = "apiVersion: podline.dev/v1alpha1\nkind: CheckConfiguration\nspec:"
    accept = "{accept: [{object: Deployment/default/web, reason: a test}]}"
    (tmp_path / "mild.yaml").write_text(f"{head} {accept}")
    tried("--write", "json=before.json", "--write-baseline", "known.yaml")
    assert tried("--fail-on", "minor", *arguments)[0] == status


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, words",
    [
        pytest.param(["web.yaml"], "is given with FILE", id="manifests"),
        pytest.param(["-k", "shop"], "is given with --kustomize", id="a kustomization"),
        pytest.param(["--seed", "4"], "is given with --seed", id="a seed"),
        pytest.param(["--unknown-images", "fail"], "is given with --unknown-images", id="images"),
        pytest.param(["--scenario", "1"], "open a counter-example at http", id="a counter-example"),
        pytest.param(["--against", "main"], "give an earlier JSON report", id="a revision"),
        pytest.param(["--ordeals", "gone"], "no ordeal is called gone", id="no such ordeal"),
        pytest.param(["--user", "nobody"], "there is no user 'nobody'", id="no such user"),
        pytest.param(["--user", "other"], "may not run the cluster", id="not the user's"),
    ],
)
def test_what_means_nothing_of_a_cluster_is_refused(call, arguments, words):
    make_user("other")
    status, text, said = call(*arguments, "-o", "json")
    assert (status, json.loads(text)["exit_status"]) == (2, 2)
    assert words in said
    assert not Check.objects.exists()


def test_a_cluster_that_is_not_there_is_named_with_those_that_are(call):
    status, _, said = call(cluster="shoop")
    assert status == 2 and "there is no cluster 'shoop'; there are: shop" in said


@pytest.mark.parametrize("words", [("--cluster", "shop"), ("-o", "json", "--cluster=shop")])
def test_the_command_finds_its_way_to_the_server(monkeypatch, words):
    monkeypatch.setattr(command, "run_of_server", lambda program, name, rest: (name, *rest))
    assert command.main(["check", *words]) == ("check_cluster", *words)


def test_an_abbreviation_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["check", "--clus", "shop"])
    assert ended.value.code == 2 and "write --cluster in full" in capsys.readouterr().err
