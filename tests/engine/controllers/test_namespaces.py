"""How a namespace goes: recorded in gc-namespace-deletion, the rest from Kubernetes' namespace controller."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.controllers.namespaces.decide import estimate_seconds
from lifecycle.engine.objects.kinds import kind_for
from lifecycle.engine.objects.meta import ObjectMeta, PlainObject
from lifecycle.engine.objects.pods.pod import Pod, PodSpec
from lifecycle.engine.objects.pods.status import PodStatus
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


def test_its_pods_go_after_five_seconds_and_the_rest_after_them() -> None:
    desk = filled(make("ConfigMap", "plain", data={}), make_pod(terminationGracePeriodSeconds=30))
    desk.cluster.run_until(12_999)
    pod = desk.get("Pod", "web", "lab")
    assert pod is not None and "deletionTimestamp" not in pod["metadata"]
    desk.cluster.run_until(13_000)
    # Nothing is told of what is left as long as it is pods.
    assert {value for value, _message in conditions_of(desk).values()} == {"False"}
    desk.cluster.run_until(17_999)
    assert desk.get("Pod", "web", "lab") is None
    assert desk.get("ConfigMap", "plain", "lab") is not None
    # It has written its conditions at 13 s, and looks again five seconds after that.
    desk.cluster.run_until(18_000)
    assert desk.get("Namespace", "lab", "") is None


def test_it_hangs_on_what_a_finalizer_holds() -> None:
    held = make("ConfigMap", "held", data={}, metadata={"finalizers": [HOLD]})
    desk = filled(held)
    desk.cluster.run_until(60_000)
    assert desk.get("ServiceAccount", "default", "lab") is None
    held_now = desk.get("ConfigMap", "held", "lab")
    assert held_now is not None and held_now["metadata"]["deletionTimestamp"]
    told = conditions_of(desk)
    assert told["NamespaceFinalizersRemaining"] == (
        "True",
        f"Some content in the namespace has finalizers remaining: {HOLD} in 1 resource instances",
    )
    assert told["NamespaceContentRemaining"] == (
        "True",
        "Some resources are remaining: configmaps. has 1 resource instances",
    )
    # Nothing leads anywhere any more; it looks every 15/2 + 1 s all the same, last at 18 + 5 * 8 s.
    assert desk.cluster.is_idle()
    released = desk.patch("ConfigMap", {"metadata": {"finalizers": None}}, "held", namespace="lab")
    assert released.ok and not desk.cluster.is_idle()
    desk.cluster.run_until(65_999)
    assert desk.get("Namespace", "lab", "") is not None
    desk.cluster.run_until(66_000)
    assert desk.get("Namespace", "lab", "") is None
    assert desk.create(SPACE).ok


def test_its_own_finalizer_holds_it_when_it_is_empty() -> None:
    desk = Desk()
    desk.created(SPACE | {"metadata": {"name": "lab", "finalizers": [HOLD]}})
    assert desk.delete("Namespace", "lab").ok
    desk.cluster.run_until(60_000)
    found = desk.get("Namespace", "lab", "")
    assert found is not None and found["spec"] == {} and found["status"]["phase"] == "Terminating"
    assert desk.patch("Namespace", {"metadata": {"finalizers": None}}, "lab").ok
    assert desk.get("Namespace", "lab", "") is None


def test_pods_that_should_be_gone_are_a_failure() -> None:
    """Their grace period is over, counted from the deletion of the namespace, and nothing holds them."""
    ignores = {"podline.dev/behavior": '{"app": {"runs": [{"forever": true}], "onTerm": {"ignore": true}}}'}
    pod = make_pod(terminationGracePeriodSeconds=5, metadata={"annotations": ignores})
    desk = filled(pod, make("ConfigMap", "plain", data={}))
    desk.cluster.run_until(13_500)
    assert conditions_of(desk)["NamespaceDeletionContentFailure"] == (
        "True",
        "Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: lab"
        " for gvr: /v1, Resource=pods",
    )
    # It tries again at once, after 5 ms, 10 ms and so on.
    desk.cluster.run_until(40_000)
    assert desk.get("Namespace", "lab", "") is None


def test_its_finalizers_change_by_a_way_of_their_own() -> None:
    held = make("ConfigMap", "held", data={}, metadata={"finalizers": [HOLD]})
    desk = filled(held)
    assert desk.patched("Namespace", {"spec": None}, "lab")["spec"] == {"finalizers": ["kubernetes"]}
    refused = desk.patch("Namespace", {"spec": {"finalizers": ["mine"]}}, "lab", subresource="finalize")
    assert said(refused) == (
        'Namespace "lab" is invalid: spec.finalizers[0]: Invalid value: "mine": name is neither a standard'
        " finalizer name nor is it fully qualified"
    )
    assert desk.patch("Namespace", {"spec": None}, "lab", subresource="finalize").ok
    # By force it is gone, and what was in it is left behind.
    assert desk.get("Namespace", "lab", "") is None and desk.get("ConfigMap", "held", "lab") is not None
    refused = desk.patch("ConfigMap", {}, "held", namespace="lab", subresource="finalize")
    assert said(refused) == "ConfigMap held: has no finalize; only a Namespace has"


def test_a_new_one_is_held_by_its_controller_too() -> None:
    given = SPACE | {"spec": {"finalizers": ["lab.example/mine"]}}
    assert Desk().created(given)["spec"]["finalizers"] == ["lab.example/mine", "kubernetes"]


@pytest.mark.parametrize(
    "graces, deleted_ms, now_ms, seconds",
    [
        ([30, 60], 8_000, 13_000, 60),
        ([30], 8_000, 37_999, 30),
        ([30], 8_000, 38_000, 0),
        ([5], 8_000, 13_000, 0),
        ([], 8_000, 13_000, 0),
    ],
)
def test_pods_are_given_their_longest_grace_from_the_deletion_on(
    graces: list[int], deleted_ms: int, now_ms: int, seconds: int
) -> None:
    namespace = PlainObject(kind_for("v1", "Namespace"), ObjectMeta("lab", deletion_ms=deleted_ms))
    pods = [Pod(spec=PodSpec({"terminationGracePeriodSeconds": grace})) for grace in graces]
    finished = Pod(spec=PodSpec({"terminationGracePeriodSeconds": 900}), status=PodStatus("Succeeded"))
    assert estimate_seconds(namespace, [*pods, finished], now_ms) == seconds


@pytest.mark.slow
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


# --- what every namespace has -----------------------------------------------------------------------------

OWN = [("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt")]


@pytest.mark.parametrize("kind, name", OWN)
def test_what_every_namespace_has_comes_back(kind: str, name: str) -> None:
    desk = Desk()
    desk.created(SPACE)
    before = desk.get(kind, name, "lab")
    assert before is not None and desk.delete(kind, name, namespace="lab").ok
    desk.cluster.run_until(1_000)
    again = desk.get(kind, name, "lab")
    assert again is not None and again["metadata"]["uid"] != before["metadata"]["uid"]
    assert again.get("data") == before.get("data")


def test_a_changed_bundle_is_put_right_and_its_labels_stay() -> None:
    desk = Desk()
    before = desk.get("ConfigMap", "kube-root-ca.crt")
    assert before is not None
    patch = {"data": {"ca.crt": "mine"}, "metadata": {"labels": {"a": "b"}}}
    assert desk.patch("ConfigMap", patch, "kube-root-ca.crt").ok
    desk.cluster.run_until(1_000)
    again = desk.get("ConfigMap", "kube-root-ca.crt")
    assert again is not None and again["data"] == before["data"]
    assert again["metadata"]["labels"] == {"a": "b"}


def test_a_deleted_account_that_is_held_is_missed_only_when_it_is_gone() -> None:
    desk = Desk()
    assert desk.patch("ServiceAccount", {"metadata": {"finalizers": [HOLD]}}, "default").ok
    assert desk.delete("ServiceAccount", "default").ok
    desk.cluster.run_until(1_000)
    held = desk.get("ServiceAccount", "default")
    assert held is not None and held["metadata"]["deletionTimestamp"]
    assert desk.patch("ServiceAccount", {"metadata": {"finalizers": None}}, "default").ok
    desk.cluster.run_until(2_000)
    again = desk.get("ServiceAccount", "default")
    assert again is not None and "deletionTimestamp" not in again["metadata"]
