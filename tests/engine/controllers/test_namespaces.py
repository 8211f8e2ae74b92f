"""How a namespace goes: recorded in gc-namespace-deletion, the rest from Kubernetes' namespace controller."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.api.desk import Desk, make, make_deployment, make_pod, said

HOLD = "lab.example/hold"
SPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lab"}}


def inside(data: dict[str, Any]) -> dict[str, Any]:
    return data | {"metadata": data["metadata"] | {"namespace": "lab"}}


def filled(*objects: dict[str, Any]) -> Desk:
    """A namespace with objects, deleted at 8 s."""
    desk = Desk()
    assert desk.create(SPACE).ok
    for one in objects:
        assert desk.create(inside(one)).ok
    desk.cluster.run_until(8_000)
    assert desk.delete("Namespace", "lab").ok
    return desk


def conditions_of(desk: Desk) -> dict[str, tuple[str, str]]:
    found = desk.get("Namespace", "lab", "")
    assert found is not None
    return {one["type"]: (one["status"], one["message"]) for one in found["status"].get("conditions") or ()}


def test_it_is_active_and_then_terminating() -> None:
    desk = Desk()
    assert desk.created(SPACE)["status"] == {"phase": "Active"}
    going = desk.delete("Namespace", "lab").object
    assert going is not None
    assert going["status"]["phase"] == "Terminating"
    assert going["spec"]["finalizers"] == ["kubernetes"]
    desk.take_versions()
    # The second call finds it marked already.
    assert desk.delete("Namespace", "lab").ok and desk.take_versions() == []


def test_what_is_in_it_goes_after_five_seconds_and_it_waits_for_the_last() -> None:
    held = make("ConfigMap", "held", data={}, metadata={"finalizers": [HOLD]})
    desk = filled(held, make_pod(terminationGracePeriodSeconds=30))
    desk.cluster.run_until(12_999)
    pod = desk.get("Pod", "web", "lab")
    assert pod is not None and "deletionTimestamp" not in pod["metadata"]
    desk.cluster.run_until(20_000)
    assert desk.get("Pod", "web", "lab") is None
    assert desk.get("ServiceAccount", "default", "lab") is None
    held_now = desk.get("ConfigMap", "held", "lab")
    assert held_now is not None and held_now["metadata"]["deletionTimestamp"]
    told = conditions_of(desk)
    assert told["NamespaceFinalizersRemaining"] == (
        "True",
        f"Some content in the namespace has finalizers remaining: {HOLD} in 1 resource instances",
    )
    assert told["NamespaceContentRemaining"][0] == "True"
    released = desk.patch("ConfigMap", {"metadata": {"finalizers": None}}, "held", namespace="lab")
    assert released.ok
    # It looks again after half of the pod's 30 s and a second: 13 + 16.
    desk.cluster.run_until(28_999)
    assert desk.get("Namespace", "lab", "") is not None
    desk.cluster.run_until(29_000)
    assert desk.get("Namespace", "lab", "") is None
    assert desk.create(SPACE).ok


@pytest.mark.parametrize(
    "new, resource",
    [
        pytest.param(make("ConfigMap", "late", data={}), "configmaps", id="ConfigMap"),
        pytest.param(make_pod("late"), "pods", id="Pod"),
        pytest.param(make_deployment(name="late"), "deployments.apps", id="Deployment"),
    ],
)
def test_nothing_new_is_let_in(new: dict[str, Any], resource: str) -> None:
    desk = filled()
    refused = desk.create(inside(new))
    assert said(refused) == (
        f'{resource} "late" is forbidden: unable to create new content in namespace lab because it is being'
        " terminated"
    )
    assert refused.code == 403 and refused.status is not None
    assert refused.status["details"]["causes"] == [
        {
            "reason": "NamespaceTerminating",
            "message": "namespace lab is being terminated",
            "field": "metadata.namespace",
        }
    ]


def test_what_is_in_it_may_still_change() -> None:
    desk = filled(make("ConfigMap", "kept", data={}))
    assert desk.patch("ConfigMap", {"data": {"a": "b"}}, "kept", namespace="lab").ok


def test_a_replica_set_makes_no_pods_in_it_and_complains_not() -> None:
    desk = filled(make_deployment(2))
    desk.cluster.take_changes()
    assert desk.delete("Pod", _pod_of(desk), namespace="lab", force=True).ok
    desk.cluster.run_until(12_000)
    rows = desk.cluster.take_changes().rows
    assert not [row for row in rows if getattr(row, "reason", None) in ("FailedCreate", "SuccessfulCreate")]
    assert len(desk.cluster.list("Pod", "lab")) == 1
    desk.cluster.run_until(80_000)
    assert desk.get("Namespace", "lab", "") is None


def _pod_of(desk: Desk) -> str:
    name: str = desk.cluster.list("Pod", "lab")[0]["metadata"]["name"]
    return name


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_some_namespaces_stay_for_ever(name: str) -> None:
    refused = Desk().delete("Namespace", name)
    assert said(refused) == f'namespaces "{name}" is forbidden: this namespace may not be deleted'
    assert refused.code == 403
