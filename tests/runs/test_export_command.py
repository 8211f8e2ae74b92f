"""`manage.py export` writes what the REST export serves; `import` makes a cluster of what it wrote."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest
import yaml
from django.core.management import CommandError, call_command

from lifecycle.management.commands.export import ROWS
from lifecycle.models import Cluster
from lifecycle.runs.retelling import retell
from tests.runs.conftest import create
from tests.runs.test_forks import run_on

pytestmark = pytest.mark.slow


def export(*arguments: str) -> str:
    out = StringIO()
    call_command("export", *arguments, stdout=out)
    return out.getvalue()


def bring(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("import", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def told(owner, make_cluster):
    cluster = make_cluster()
    create(cluster)
    run_on(owner, cluster, 5_000)
    cluster.refresh_from_db()
    return cluster


@pytest.mark.parametrize("what", list(ROWS))
def test_rows_are_written_in_order_with_the_cursor_last(told, what):
    rows = list(map(json.loads, export(told.name, "--what", what).splitlines()))
    recorded = ROWS[what].model._default_manager.filter(cluster=told, seq__lte=told.seq).order_by("seq")
    assert [row["seq"] for row in rows[:-1]] == list(recorded.values_list("seq", flat=True)) != []
    assert rows[-1] == {"type": "cursor", "after": told.seq, "complete": True}


def test_other_formats_hold_the_same_rows(told):
    lines = export(told.name, "--format", "ndjson").splitlines()[:-1]
    table = list(csv.DictReader(StringIO(export(told.name, "--format", "csv"))))
    assert [int(row["seq"]) for row in table] == [json.loads(line)["seq"] for line in lines]
    assert json.loads(export(told.name, "--format", "json")) == [json.loads(line) for line in lines]


def test_objects_are_those_that_are_there(told):
    kinds = {json.loads(line).get("kind") for line in export(told.name, "--what", "objects").splitlines()}
    assert {"Deployment", "ReplicaSet", "Pod", "Node"} <= kinds


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["nosuch"], "there is no cluster 'nosuch'"),
        (["--what", "scenario", "--format", "csv"], "a scenario is yaml"),
        (["--what", "events", "--format", "yaml"], "all else is json, ndjson, csv"),
        (["--what", "objects", "--format", "csv"], "objects do not fit into columns"),
    ],
)
def test_what_cannot_be_written_is_said(told, arguments, said):
    named = arguments if arguments[0] == "nosuch" else [told.name, *arguments]
    with pytest.raises(CommandError, match=said):
        export(*named)


def test_an_exported_scenario_is_imported_as_a_cluster_with_the_same_steps(told, tmp_path, admin_user):
    text = export(told.name, "--what", "scenario")
    assert text == retell(told)
    path = tmp_path / "Kept_Story.yaml"
    path.write_text(text)
    out, err = bring(str(path))
    made = Cluster.objects.get(owner=admin_user)
    assert (made.name, made.seed, made.epoch) == ("kept-story", told.seed, told.epoch)
    assert f"/clusters/{made.name}/" in out
    assert "claims of `expect` are not looked at" in err
    scenario = next(one for one in yaml.safe_load_all(text) if one["kind"] == "Scenario")
    steps = scenario["spec"].get("steps", [])
    manifests = [one for one in yaml.safe_load_all(text) if one["kind"] != "Scenario"]
    assert made.commands.count() == len(steps) + len(manifests)


@pytest.mark.parametrize(
    "text, arguments, said",
    [
        ("{apiVersion: v1, kind: Pod, spec: {nodename: a}}", [], 'unknown field "nodename"'),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
            ["--name", "No_Label"],
            "lower-case|label",
        ),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", ["--user", "nobody"], "no user 'nobody'"),
    ],
)
def test_what_cannot_be_imported_is_refused_and_nothing_is_made(admin_user, tmp_path, text, arguments, said):
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(CommandError, match=said):
        bring(str(path), *arguments)
    assert not Cluster.objects.exists()
