"""Deleting and evicting: grace, finalizers, and the second call."""

from __future__ import annotations

from typing import Any

import pytest

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


def test_a_pod_of_no_node_goes_at_once() -> None:
    desk = Desk(nodes=1)
    assert desk.create(make_pod(nodeSelector={"disk": "ssd"})).ok
    desk.cluster.run_until(10_000)
    assert desk.delete("Pod").ok
    assert mark_of(desk) is None


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
