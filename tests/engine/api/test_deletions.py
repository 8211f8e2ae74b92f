"""Deleting and evicting: grace, finalizers, and the second call."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.heart.trace import EventRow, Transition
from tests.engine.api.desk import Desk, Json, make, make_deployment, make_pod, said

HOLD = "example.com/hold"


# The first process of a container hears no SIGTERM, so it lasts as long as its grace.
LASTING = [{"name": "app", "image": "busybox:1", "command": ["sleep", "1000"]}]


def running(metadata: Json | None = None, **spec: Any) -> Desk:
    """A desk with a pod that runs."""
    desk = Desk()
    assert desk.create(make_pod(metadata=metadata, containers=LASTING, **spec)).ok
    desk.cluster.run_until(10_000)
    desk.take_versions()
    return desk


def mark_of(desk: Desk) -> tuple[str | None, int | None] | None:
    """(deletionTimestamp, deletionGracePeriodSeconds) of the pod; None when it is gone."""
    found = desk.get("Pod")
    if found is None:
        return None
    meta = found["metadata"]
    return meta.get("deletionTimestamp"), meta.get("deletionGracePeriodSeconds")


# It runs since 10 s, so 30 s from then are 0:40.
@pytest.mark.parametrize(
    "payload, mark",
    [
        pytest.param({}, ("2026-01-01T00:00:40Z", 30), id="its own"),
        pytest.param({"gracePeriodSeconds": 5}, ("2026-01-01T00:00:15Z", 5), id="asked for"),
        pytest.param({"gracePeriodSeconds": 0}, ("2026-01-01T00:00:11Z", 1), id="0 without force is 1"),
        pytest.param({"force": True}, None, id="forced"),
        pytest.param({"gracePeriodSeconds": 0, "force": True}, None, id="forced, 0"),
    ],
)
def test_the_grace_of_a_running_pod(payload: Json, mark: tuple[str, int] | None) -> None:
    desk = running()
    assert desk.delete("Pod", **payload).ok
    assert mark_of(desk) == mark


def test_the_longest_grace_is_of_32_bits() -> None:
    desk = running(terminationGracePeriodSeconds=2**31 - 1)
    assert desk.delete("Pod").ok
    assert mark_of(desk) == ("2094-01-19T03:14:17Z", 2**31 - 1)
    refused = desk.create(make_pod("other", terminationGracePeriodSeconds=2**31))
    assert "spec.terminationGracePeriodSeconds: Invalid value: 2147483648: must be between" in said(refused)


@pytest.mark.parametrize(
    "first, second, mark",
    [
        pytest.param(20, 5, ("2026-01-01T00:00:15Z", 5), id="shorter"),
        pytest.param(5, 20, ("2026-01-01T00:00:15Z", 5), id="longer: it stays"),
        pytest.param(20, None, ("2026-01-01T00:00:30Z", 20), id="of its own: it stays"),
    ],
)
def test_a_second_deletion_only_shortens(first: int, second: int | None, mark: tuple[str, int]) -> None:
    desk = running(terminationGracePeriodSeconds=30)
    assert desk.delete("Pod", gracePeriodSeconds=first).ok
    assert desk.delete("Pod", **({} if second is None else {"gracePeriodSeconds": second})).ok
    assert mark_of(desk) == mark


@pytest.mark.parametrize(
    "second_at_ms, second, mark",
    [
        pytest.param(12_000, 5, ("2026-01-01T00:00:15Z", 5), id="from the first request"),
        pytest.param(17_000, 5, ("2026-01-01T00:00:17Z", 1), id="over already: one second"),
        pytest.param(17_000, 20, ("2026-01-01T00:00:40Z", 30), id="asked for again while less is left"),
    ],
)
def test_a_later_deletion_counts_from_the_first(
    second_at_ms: int, second: int, mark: tuple[str, int]
) -> None:
    """As Kubernetes' BeforeDelete: the end moves by the difference of the periods, the generation stays."""
    desk = running(terminationGracePeriodSeconds=30)
    first = desk.delete("Pod", gracePeriodSeconds=30 if second == 5 else None).object
    desk.cluster.run_until(second_at_ms)
    again = desk.delete("Pod", gracePeriodSeconds=second if second == 5 else 40).object
    assert mark_of(desk) == mark
    assert first is not None and again is not None
    assert again["metadata"]["generation"] == first["metadata"]["generation"] == 2


def test_a_pod_of_no_node_goes_at_once() -> None:
    """Recorded in delete-pending-unschedulable: a last version with the mark, generation 2, then the end."""
    desk = Desk(nodes=1)
    assert desk.create(make_pod(nodeSelector={"disk": "ssd"})).ok
    desk.cluster.run_until(10_000)
    desk.take_versions()
    last = desk.delete("Pod").object
    assert last is not None
    meta = last["metadata"]
    assert (meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"]) == ("2026-01-01T00:00:10Z", 0)
    assert meta["generation"] == 2
    assert mark_of(desk) is None
    assert desk.take_versions() == [("MODIFIED", "Pod"), ("DELETED", "Pod")]


def test_a_forced_deletion_is_told_by_the_api_and_by_the_kubelet() -> None:
    desk = running()
    desk.cluster.take_changes()
    assert desk.delete("Pod", force=True).ok
    rows = desk.cluster.take_changes().rows
    told = [(row.field, row.new) for row in rows if isinstance(row, Transition)]
    steps = [one for one in told if one[0] in ("deletion", "status", "exists")]
    assert steps == [
        ("deletion", "requested"),
        ("status", "Terminating"),
        ("exists", "deleted"),
        ("deletion", "removed"),
    ]
    events = [(row.reason, row.message) for row in rows if isinstance(row, EventRow)]
    assert events == [("Killing", "Stopping container app")]


@pytest.mark.parametrize(
    "preconditions, words",
    [
        pytest.param(
            {"uid": "00000000-0000-0000-0000-000000000000"},
            "the UID in the precondition (00000000-0000-0000-0000-000000000000) does not match the UID in"
            " record (UID). The object might have been deleted and then recreated",
            id="another object",
        ),
        pytest.param(
            {"resourceVersion": "1"},
            "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record"
            " (VERSION). The object might have been modified",
            id="another version",
        ),
    ],
)
def test_preconditions_keep_what_was_not_meant(preconditions: Json, words: str) -> None:
    desk = Desk()
    desk.created(make_deployment())
    found = desk.get("Deployment")
    assert found is not None
    meta = found["metadata"]
    refused = desk.delete("Deployment", preconditions=preconditions)
    words = words.replace("(UID)", f"({meta['uid']})").replace("(VERSION)", f"({meta['resourceVersion']})")
    # Kubernetes names the kind there, not the resource: `ConfigMap "a"`, `Deployment.apps "web"`.
    assert said(refused) == f'Operation cannot be fulfilled on Deployment.apps "web": {words}'
    assert refused.code == 409 and refused.status is not None
    assert refused.status["details"] == {"name": "web", "group": "apps", "kind": "Deployment"}
    held = {"uid": meta["uid"], "resourceVersion": meta["resourceVersion"]}
    assert desk.delete("Deployment", preconditions=held).ok
    assert desk.get("Deployment") is None


# --- finalizers -------------------------------------------------------------------------------------------


def test_a_finalizer_keeps_an_object_until_it_is_gone() -> None:
    desk = Desk()
    assert desk.create(make("ConfigMap", metadata={"finalizers": [HOLD]}, data={})).ok
    kept = desk.delete("ConfigMap").object
    assert kept is not None
    assert kept["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"
    assert kept["metadata"]["deletionGracePeriodSeconds"] == 0
    desk.take_versions()
    # The second call finds it marked already.
    assert desk.delete("ConfigMap").ok and desk.take_versions() == []
    assert desk.patch("ConfigMap", {"metadata": {"finalizers": None}}).ok
    assert desk.get("ConfigMap") is None


def test_no_finalizer_is_added_to_what_is_going() -> None:
    desk = Desk()
    assert desk.create(make("ConfigMap", metadata={"finalizers": [HOLD]}, data={})).ok
    assert desk.delete("ConfigMap").ok
    refused = desk.patch("ConfigMap", {"metadata": {"finalizers": [HOLD, "example.com/more"]}})
    assert "no new finalizers can be added if the object is being deleted" in said(refused)


def test_a_pod_outlives_its_last_finalizer_while_its_grace_runs() -> None:
    desk = running(metadata={"finalizers": [HOLD]})
    assert desk.delete("Pod").ok
    assert desk.patch("Pod", {"metadata": {"finalizers": None}}).ok
    assert mark_of(desk) == ("2026-01-01T00:00:40Z", 30)


@pytest.mark.parametrize(
    "policy, finalizers",
    [("Foreground", ["foregroundDeletion"]), ("Orphan", ["orphan"])],
)
def test_a_propagation_that_takes_time_is_a_finalizer(policy: str, finalizers: list[str]) -> None:
    desk = Desk()
    assert desk.create(make_deployment()).ok
    result = desk.delete("Deployment", propagationPolicy=policy)
    assert result.object is not None
    assert result.object["metadata"]["finalizers"] == finalizers


@pytest.mark.parametrize(
    "first, second, finalizers",
    [
        ("Background", "Foreground", [HOLD, "foregroundDeletion"]),
        ("Foreground", "Background", [HOLD]),
        ("Foreground", "Orphan", [HOLD, "orphan"]),
    ],
)
def test_a_second_deletion_chooses_anew_what_is_waited_for(
    first: str, second: str, finalizers: list[str]
) -> None:
    """Recorded by v1.35 (own-gc-two-deletes-modes)."""
    desk = Desk()
    deployment = make_deployment()
    deployment["metadata"]["finalizers"] = [HOLD]
    assert desk.create(deployment).ok
    marked = desk.delete("Deployment", propagationPolicy=first).object
    result = desk.delete("Deployment", propagationPolicy=second)
    assert marked is not None
    assert result.object is not None
    assert result.object["metadata"]["finalizers"] == finalizers
    for field in ("deletionTimestamp", "generation"):
        assert result.object["metadata"][field] == marked["metadata"][field]


def test_there_is_no_other_propagation() -> None:
    desk = running()
    refused = desk.delete("Pod", propagationPolicy="Sideways")
    assert "propagationPolicy 'Sideways': use one of Background, Foreground, Orphan" in said(refused)


# --- evictions --------------------------------------------------------------------------------------------


@pytest.mark.spec("COND-15")
def test_an_evicted_pod_is_told_why_before_it_is_deleted() -> None:
    desk = running()
    assert desk.submit("evict", namespace="default", name="web", gracePeriodSeconds=5).ok
    assert desk.take_versions()[:2] == [("MODIFIED", "Pod"), ("MODIFIED", "Pod")]
    found = desk.get("Pod")
    assert found is not None
    told = {one["type"]: one for one in found["status"]["conditions"]}["DisruptionTarget"]
    assert (told["status"], told["reason"]) == ("True", "EvictionByEvictionAPI")
    assert told["message"] == "Eviction API: evicting"
    assert mark_of(desk) == ("2026-01-01T00:00:15Z", 5)


def test_an_eviction_of_nothing_is_not_found() -> None:
    refused = Desk().submit("evict", name="web")
    assert (refused.code, said(refused)) == (404, 'pods "web" not found')
