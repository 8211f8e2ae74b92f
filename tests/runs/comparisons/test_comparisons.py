"""Releases are compared by workers: what comes out otherwise, who may ask, and how it ends when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from lifecycle.engine.heart.settings import MOST_PODS
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.reading import Batch
from lifecycle.limits import Exceeded
from lifecycle.models import Cluster, Comparison
from lifecycle.models.checks import SILENCE
from lifecycle.runs import inbox
from lifecycle.runs.comparisons import endings, work
from lifecycle.runs.comparisons.asking import ask_of_cluster, ask_of_manifests, cancel
from lifecycle.runs.comparisons.films import MOST_LANES, choose_lanes
from lifecycle.runs.runner import Owner
from tests.builders import make_user
from tests.runs.comparisons.conftest import Line
from tests.runs.conftest import Wall, deployment

pytestmark = pytest.mark.django_db

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words}\ndata: {a: b}\n"
ONCE = """
apiVersion: v1
kind: Pod
metadata: {name: once}
spec:
  restartPolicy: Never
  containers: [{name: app, image: busybox, command: [sh, -c, exit 0]}]
"""
GANG = """
apiVersion: v1
kind: Pod
metadata: {name: one}
spec:
  workloadRef: {name: w, podGroup: g}
  containers: [{name: app, image: nginx}]
"""
BUDGET = (
    "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: few}\nspec: {minAvailable: 1}\n"
)


def ask(manifest: str, *releases: str, user: Any = None) -> Comparison:
    batches = [Batch({"": manifest})]
    return ask_of_manifests(batches, user or make_user(), [f"v{one}" for one in releases])


def done(comparison: Comparison, line: Line) -> Comparison:
    line.do_all()
    comparison.refresh_from_db()
    return comparison


def test_what_comes_out_the_same_has_no_section(line: Line) -> None:
    found = done(ask(MAP, "1.35", "1.34"), line)
    assert (found.state, found.releases) == ("done", ["v1.34", "v1.35"])
    assert [one["sections"] for one in found.result["steps"]] == [[]]


@pytest.mark.slow
def test_each_change_is_a_section_with_a_cell_for_each_release_and_the_lanes_of_its_pods(line: Line) -> None:
    found = done(ask(ONCE, "1.34", "1.35", "1.36"), line)
    first, second = found.result["steps"]
    # kubernetes/kubernetes#137362: the pod is seen running before it is seen ended.
    (section,) = [
        one
        for one in second["sections"]
        if [lever["name"] for lever in one["because"]] == ["kubeletRelistsOnDemand"]
    ]
    (phase,) = [one for one in section["rows"] if one["topic"] == "phase"]
    assert [[value for value, _ in one["values"]] for one in phase["cells"]] == [
        ["Pending", "Succeeded"],
        ["Pending", "Succeeded"],
        ["Pending", "Running", "Succeeded"],
    ]
    assert section["pods"] == ["default/once"]
    lanes = found.result["lanes"]["default/once"]
    assert list(lanes) == ["v1.34", "v1.35", "v1.36"]
    assert lanes["v1.35"] != lanes["v1.36"]
    assert (first["from"], second["to"], found.doing) == ("v1.34", "v1.36", "")


def test_what_a_release_refuses_is_told_and_not_compared(line: Line) -> None:
    found = done(ask(GANG, "1.35", "1.36"), line)
    assert found.state == "done"
    assert not found.result["steps"][0]["isCompared"]
    older, newer = found.result["releases"]
    assert older["refused"] == []
    assert 'unknown field "workloadRef"' in newer["refused"][0]


def test_versions_that_are_gone_come_with_what_to_write(line: Line) -> None:
    (api,) = done(ask(BUDGET, "1.35", "1.36"), line).result["apis"]
    assert api["states"] == {"v1.35": "gone", "v1.36": "gone"}
    assert "write policy/v1 PodDisruptionBudget" in api["text"]


@pytest.mark.slow
def test_a_cluster_is_compared_by_its_story(
    line: Line, owner: Owner, wall: Wall, make_cluster: Callable[..., Cluster]
) -> None:
    cluster = make_cluster("shop", settings={"timing": "instant", "nodes": {"count": 1}})
    inbox.append(cluster, "apply", {"object": deployment(replicas=1)})
    inbox.control(cluster, "run", {"untilMs": 20_000})
    while owner.turn(cluster.pk) is not None:
        pass
    cluster.refresh_from_db()
    found = done(ask_of_cluster(cluster, cluster.owner, ["v1.34", "v1.35"]), line)
    assert (found.state, found.problem, found.cluster_id) == ("done", "", cluster.pk)
    names = [lever["name"] for one in found.result["steps"][0]["sections"] for lever in one["because"]]
    assert "DeploymentReplicaSetTerminatingReplicas" in names


@pytest.mark.parametrize(
    "releases, words",
    [
        ([], "0 releases were chosen"),
        (["v1.35"], "1 releases were chosen"),
        (["v1.35", "v1.35"], "1 releases were chosen"),
        (["v1.34", "v1.35", "v1.36", "v1.37"], "4 releases were chosen"),
        (["v1.35", "v9.99"], "no release that is modelled; there are v1.37"),
        (["v1.35", "x,v1.36"], "no release that is modelled"),
    ],
)
def test_two_or_three_releases_are_to_be_chosen(line: Line, releases: list[str], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        ask_of_manifests([Batch({"": MAP})], make_user(), releases)
    assert not Comparison.objects.exists()


def test_nothing_and_what_cannot_be_read_are_refused(line: Line) -> None:
    with pytest.raises(ValidationError, match="nothing was given"):
        ask(" \n", "1.35", "1.36")
    bad = Batch({}, unreadable=(Problem("is no archive", source="a.zip"),))
    with pytest.raises(ManifestError, match="is no archive"):
        ask_of_manifests([bad], make_user(), ["v1.35", "v1.36"])


def test_one_at_a_time_is_the_most_for_a_user(line: Line) -> None:
    ada = make_user("ada")
    first = ask(MAP, "1.35", "1.36", user=ada)
    with pytest.raises(Exceeded, match="one at a time"):
        ask(MAP, "1.35", "1.36", user=ada)
    ask(MAP, "1.35", "1.36", user=make_user("bob"))
    assert cancel(first) and not cancel(first)
    ask(MAP, "1.35", "1.36", user=ada)


def test_a_cancelled_one_is_not_run_and_a_running_one_stops(line: Line, monkeypatch) -> None:
    found = ask(ONCE, "1.35", "1.36")
    monkeypatch.setattr(work, "LOOK_SECONDS", -1.0)
    begin = work.Guard.begin

    def cancel_first(guard: work.Guard, doing: str) -> None:
        begin(guard, doing)
        cancel(found)

    monkeypatch.setattr(work.Guard, "begin", cancel_first)
    assert done(found, line).state == "cancelled"
    assert found.result == {}
    work.work_on(str(found.pk))
    found.refresh_from_db()
    assert found.state == "cancelled"


@pytest.mark.parametrize(
    "limit, value, words",
    [
        ("MOST_ROWS", 3, "more than 3 things happen in one run"),
        ("MOST_CPU_SECONDS", -60.0, "minutes of a processor: give less"),
    ],
)
def test_what_becomes_too_much_ends_in_words(line: Line, monkeypatch, limit, value, words) -> None:
    monkeypatch.setattr(work, limit, value)
    found = done(ask(ONCE, "1.35", "1.36"), line)
    assert found.state == "failed"
    assert words in found.problem


def test_a_user_has_no_more_pods_there_than_elsewhere(line: Line, settings: Any, monkeypatch) -> None:
    settings.MAX_PODS = 7
    seen: list[Any] = []
    compare = work.compare_releases

    def see(releases: Any, readings: Any, make_plan: Any, watch: Any) -> Any:
        seen.append(make_plan(readings[releases[0]], releases[0], {}, {}).settings.manager["mostPods"])
        return compare(releases, readings, make_plan, watch)

    monkeypatch.setattr(work, "compare_releases", see)
    done(ask(MAP, "1.35", "1.36", user=make_user("ada")), line)
    done(ask(MAP, "1.35", "1.36", user=make_user("root", is_superuser=True)), line)
    assert seen == [7, MOST_PODS]


def test_one_whose_worker_was_lost_is_asked_for_again_and_given_up_in_the_end(line: Line) -> None:
    found, now = ask(MAP, "1.35", "1.36"), timezone.now()
    assert endings.list_lost(now) == []
    late = now + SILENCE + timedelta(seconds=1)
    assert endings.list_lost(late) == [str(found.pk)]
    # It is asked for once, and then waited for.
    assert endings.list_lost(late) == []
    Comparison.objects.filter(pk=found.pk).update(state="running", heard_at=now)
    # While another one is at it nobody else begins.
    assert done(found, line).state == "running"
    assert endings.list_lost(now) == []
    assert endings.list_lost(late) == [str(found.pk)]
    Comparison.objects.filter(pk=found.pk).update(attempts=3)
    work.work_on(str(found.pk))
    found.refresh_from_db()
    assert (found.state, "its worker was lost" in found.problem) == ("failed", True)


def test_texts_that_a_database_may_not_take_are_kept_or_told(line: Line) -> None:
    found = done(ask(MAP.replace("a: b", r'a: "\0\ud800"'), "1.35", "1.36"), line)
    assert found.state in ("done", "failed")
    other = ask(MAP, "1.35", "1.36", user=make_user("bob"))
    endings.fail(other, "\0" * 2000)
    other.refresh_from_db()
    assert other.problem == "�" * 1000


def test_one_that_waits_too_long_is_ended(line: Line) -> None:
    found = ask(MAP, "1.35", "1.36")
    assert endings.list_lost(timezone.now() + endings.LONGEST + timedelta(seconds=1)) == []
    found.refresh_from_db()
    assert found.state == "failed"


def test_only_pods_that_went_otherwise_are_drawn() -> None:
    same, other = [(0, 5, "ready")], [(0, 6, "ready")]
    films = {"v1.35": {"a": same, "b": same}, "v1.36": {"a": same, "b": other, "c": same}}
    assert choose_lanes(films, ["a", "b", "c"]) == {
        "b": {"v1.35": same, "v1.36": other},
        "c": {"v1.35": [], "v1.36": same},
    }
    many = [f"p{number}" for number in range(MOST_LANES + 5)]
    assert len(choose_lanes({"v1.35": {}, "v1.36": dict.fromkeys(many, same)}, many)) == MOST_LANES
