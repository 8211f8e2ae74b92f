"""What a budget says of its pods, and when."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.disruption.site import Json, Site, make_budget, make_pod, make_workload


@pytest.mark.slow
@pytest.mark.spec("PDB-02", "PDB-04", "PDB-15")
@pytest.mark.parametrize(
    "spec, replicas, sums",
    [
        pytest.param({"minAvailable": 2}, 3, (1, 3, 2, 3), id="so many must stay"),
        pytest.param({"minAvailable": "50%"}, 3, (1, 3, 2, 3), id="half of 3 is 2"),
        pytest.param({"minAvailable": "50%"}, 5, (2, 5, 3, 5), id="half of 5 is 3"),
        pytest.param({"minAvailable": "100%"}, 3, (0, 3, 3, 3), id="all must stay"),
        pytest.param({"maxUnavailable": 1}, 3, (1, 3, 2, 3), id="one may go"),
        pytest.param({"maxUnavailable": "30%"}, 3, (1, 3, 2, 3), id="30 % of 3 is 1"),
        pytest.param({"maxUnavailable": "30%"}, 5, (2, 5, 3, 5), id="30 % of 5 is 2"),
        pytest.param({"maxUnavailable": 0}, 3, (0, 3, 3, 3), id="none may go"),
        pytest.param({"maxUnavailable": 7}, 3, (3, 3, 0, 3), id="more than there are"),
        pytest.param({"minAvailable": 0}, 3, (3, 3, 0, 3), id="none must stay"),
        pytest.param({}, 3, (0, 3, 0, 0), id="nothing is said"),
    ],
)
def test_the_sums_of_a_budget(spec: Json, replicas: int, sums: tuple[int, ...]) -> None:
    site = Site()
    site.apply(make_workload(replicas=replicas))
    site.apply(make_budget(**spec))
    site.run(5)
    assert site.sums() == sums
    allowed = sums[0] > 0
    assert site.why() == (str(allowed), "SufficientPods" if allowed else "InsufficientPods")


def test_a_new_budget_tells_zeros_whatever_its_maker_says_of_its_status() -> None:
    site = Site()
    data = site.apply({**make_budget(minAvailable=1), "status": {"disruptionsAllowed": 5}})
    zeros = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}
    assert data["status"] == zeros


def test_a_budget_that_selects_nobody_says_so() -> None:
    site = Site()
    site.apply(make_budget(minAvailable=1))
    site.run(1)
    assert site.sums() == (0, 0, 1, 0)
    assert set(site.told("NoPods")) == {"No matching pods found"}


@pytest.mark.spec("PDB-03")
def test_an_empty_selector_takes_all_pods_of_the_namespace_and_an_absent_one_none() -> None:
    site = Site()
    site.apply(make_workload("web"))
    site.apply(make_workload("db", 2))
    everyone, nobody = make_budget("everyone", minAvailable=1), make_budget("nobody", minAvailable=1)
    everyone["spec"]["selector"] = {}
    del nobody["spec"]["selector"]
    site.apply(everyone)
    site.apply(nobody)
    site.run(5)
    assert site.sums("everyone") == (4, 5, 1, 5)
    assert site.sums("nobody") == (0, 0, 1, 0)


@pytest.mark.spec("PDB-14")
def test_starting_and_ending_pods_are_not_healthy() -> None:
    site = Site(end="10s", start="5s")
    site.apply(make_workload())
    site.apply(make_budget(minAvailable=1))
    site.run(4)
    assert site.sums() == (0, 0, 1, 3)
    site.run(2)
    assert site.sums() == (2, 3, 1, 3)
    site.done("delete", kind="Pod", name=site.names()[0])
    assert site.sums() == (1, 2, 1, 4)


@pytest.mark.spec("PDB-10")
def test_an_involuntary_disruption_counts_against_the_budget() -> None:
    site = Site(start="5s")
    site.apply(make_workload())
    site.apply(make_budget(minAvailable=2))
    site.run(10)
    site.done("fault", pod=site.names()[0], namespace="default", container="app", kind="exit", code=137)
    site.run(2)
    assert site.sums() == (0, 2, 2, 3)


@pytest.mark.spec("PDB-04")
def test_the_expected_number_is_that_of_the_deployment_above_while_it_rolls_out() -> None:
    site = Site()
    site.apply(make_workload(replicas=4))
    site.apply(make_budget(maxUnavailable=1))
    site.run(5)
    site.change("setImage", "web", image="nginx:2")
    site.run(0.5)
    assert site.sums()[2:] == (3, 4)
    site.run(60)
    assert site.sums() == (1, 4, 3, 4)


@pytest.mark.parametrize("kind", ["ReplicationController", "ReplicaSet", "StatefulSet"])
def test_any_controller_with_a_size_is_asked_for_it(kind: str) -> None:
    site = Site()
    data = make_workload(kind="ReplicaSet" if kind == "ReplicationController" else kind)
    if kind == "ReplicationController":
        data |= {"apiVersion": "v1", "kind": kind}
        data["spec"]["selector"] = {"app": "web"}
    site.apply(data)
    site.apply(make_budget(maxUnavailable=1))
    site.run(5)
    assert site.sums() == (1, 3, 2, 3)


def test_a_replica_set_whose_deployment_is_gone_is_asked_for_its_own_size() -> None:
    site = Site()
    gone = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "gone", "uid": "u", "controller": True}
    replica_set = make_workload(replicas=7, kind="ReplicaSet")
    replica_set["metadata"] |= {"ownerReferences": [gone], "finalizers": ["x.io/keep"]}
    uid = site.apply(replica_set)["metadata"]["uid"]
    pod = make_pod("web-0", {"app": "web"})
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": uid, "controller": True}
    pod["metadata"] |= {"ownerReferences": [reference], "finalizers": ["x.io/keep"]}
    site.apply(pod)
    site.apply(make_budget(maxUnavailable=2))
    site.run(5)
    assert site.sums()[2:] == (5, 7)


@pytest.mark.parametrize(
    "owner, problem",
    [
        pytest.param(
            ("apps/v1", "DaemonSet"), "daemonsets.apps does not implement the scale subresource", id="no size"
        ),
        pytest.param(("batch/v1", "Job"), "jobs.batch does not implement the scale subresource", id="a job"),
        pytest.param(
            ("v1", "Node"), "nodes does not implement the scale subresource", id="of the core group"
        ),
        pytest.param(("apps/v1", "ReplicaSet"), 'found no controllers for pod "web-0"', id="gone"),
        pytest.param(("x.io/v1", "Fleet"), 'no matches for kind "Fleet" in version "x.io/v1"', id="unknown"),
    ],
)
def test_pods_of_a_controller_without_a_size_make_a_percentage_unknowable(
    owner: tuple[str, str], problem: str
) -> None:
    site = Site()
    pod = make_pod("web-0", {"app": "web"})
    reference = {"apiVersion": owner[0], "kind": owner[1], "name": "gone", "uid": "u", "controller": True}
    pod["metadata"] |= {"ownerReferences": [reference], "finalizers": ["x.io/keep"]}
    site.apply(pod)
    site.apply(make_budget(minAvailable="50%"))
    assert site.why() == ("False", "SyncFailed")
    (found,) = site.budget().status.conditions
    assert found.message == problem
    assert f"Failed to calculate the number of expected pods: {problem}" in site.told(
        "CalculateExpectedPodCountFailed"
    )
    refused = site.submit("evict", name="web-0")
    # It is Pending, so its budget does not matter.
    assert refused.ok


def test_a_custom_controller_is_asked_as_its_definition_says() -> None:
    site = Site()
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"scale": scale}}
    version["schema"] = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    names = {"kind": "Fleet", "plural": "fleets", "singular": "fleet"}
    site.done(
        "apply",
        object={
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "fleets.x.io"},
            "spec": {"group": "x.io", "names": names, "scope": "Namespaced", "versions": [version]},
        },
    )
    fleet = site.apply(
        {"apiVersion": "x.io/v1", "kind": "Fleet", "metadata": {"name": "f"}, "spec": {"size": 10}}
    )
    owner = {"apiVersion": "x.io/v1", "kind": "Fleet", "name": "f", "uid": fleet["metadata"]["uid"]}
    for number in range(4):
        pod = make_pod(f"web-{number}", {"app": "web"})
        pod["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
        site.apply(pod)
    site.apply(make_budget(maxUnavailable=7))
    site.run(5)
    assert site.sums() == (1, 4, 3, 10)


def test_pods_that_nobody_controls_are_told_of() -> None:
    site = Site()
    site.apply(make_pod("web-0", {"app": "web"}))
    site.apply(make_budget(maxUnavailable=1))
    site.run(5)
    assert site.sums() == (0, 1, 0, 0)
    (said,) = set(site.told("UnmanagedPods"))
    expressions = "MatchExpressions:[]LabelSelectorRequirement{}"
    selector = f"&LabelSelector{{MatchLabels:map[string]string{{app: web,}},{expressions},}}"
    assert said.startswith(f"Pods selected by this PodDisruptionBudget (selector: {selector}) were found")


def test_a_pod_of_two_budgets_is_told_so() -> None:
    site = Site()
    site.apply(make_budget("one", "web", minAvailable=1))
    site.apply(make_budget("two", "web", minAvailable=2))
    site.apply(make_pod("web-0", {"app": "web"}))
    site.run(5)
    said = 'Pod "default"/"web-0" matches multiple PodDisruptionBudgets.  Chose "one" arbitrarily.'
    assert said in site.told("MultiplePodDisruptionBudgets")
    # And the other is not told of it: recorded with v1.35.6.
    assert (site.sums("one")[3], site.sums("two")[3]) == (1, 0)


def test_a_changed_budget_counts_for_the_generation_it_saw() -> None:
    site = Site()
    site.apply(make_workload())
    site.apply(make_budget(minAvailable=1))
    site.run(5)
    site.change("patch", "web", "PodDisruptionBudget", type="merge", patch={"spec": {"minAvailable": 3}})
    assert site.sums() == (0, 3, 3, 3)
    assert site.budget().status.observed_generation == site.budget().meta.generation == 2


@pytest.mark.parametrize("labels", [{"app": "web"}, {"app": "other"}])
def test_a_pod_that_is_labelled_otherwise_leaves_the_budget(labels: dict[str, str]) -> None:
    site = Site()
    for number in range(2):
        site.apply(make_pod(f"web-{number}", {"app": "web"}))
    site.apply(make_budget(minAvailable=1))
    site.run(5)
    site.change("patch", "web-0", "Pod", type="merge", patch={"metadata": {"labels": labels}})
    # As in Kubernetes the budget that it left is looked at with the next change of one of its pods.
    site.change("patch", "web-1", "Pod", type="merge", patch={"metadata": {"labels": {"seen": "yes"}}})
    assert site.sums()[3] == (2 if labels["app"] == "web" else 1)


# --- evictions that nothing came of -------------------------------------------------------------------------


def patch_status(site: Site, name: str, kind: str, status: Any) -> None:
    site.change("patch", name, kind, type="merge", subresource="status", patch={"status": status})


def test_an_accepted_eviction_counts_for_two_minutes() -> None:
    site = Site()
    site.apply(make_workload(kind="StatefulSet"))
    site.apply(make_budget(minAvailable=2))
    site.run(10)
    # As if the API server had accepted it and died.
    patch_status(site, "web", "PodDisruptionBudget", {"disruptedPods": {"web-0": "2026-01-01T00:00:10Z"}})
    assert site.sums() == (0, 2, 2, 3)
    site.run(119)
    assert site.sums() == (0, 2, 2, 3)
    site.run(2)
    assert site.sums() == (1, 3, 2, 3)
    assert site.told("NotDeleted") == ["Pod was expected by PDB default/default to be deleted but it wasn't"]


def test_a_pod_that_says_it_is_disrupted_takes_that_back_after_two_minutes() -> None:
    site = Site()
    site.apply(make_pod("web-0"))
    site.run(10)
    told = {"type": "DisruptionTarget", "status": "True", "lastTransitionTime": "2026-01-01T00:00:10Z"}
    site.change(
        "patch",
        "web-0",
        "Pod",
        type="strategic",
        subresource="status",
        patch={"status": {"conditions": [told]}},
    )
    site.run(119)
    assert site.lane("Pod", "condition.DisruptionTarget") == [(10_000, "True")]
    site.run(2)
    assert site.lane("Pod", "condition.DisruptionTarget") == [(10_000, "True"), (130_000, "False")]


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "status, said",
    [
        (
            {"disruptionsAllowed": -1},
            "status.disruptionsAllowed: Invalid value: -1: must be greater than or equal",
        ),
        ({"currentHealthy": -1}, "status.currentHealthy: Invalid value: -1: must be greater than or equal"),
    ],
)
def test_no_number_of_the_status_is_below_zero(status: Json, said: str) -> None:
    site = Site()
    site.apply(make_budget(minAvailable=1))
    refused = site.submit(
        "patch",
        kind="PodDisruptionBudget",
        name="web",
        type="merge",
        subresource="status",
        patch={"status": status},
    )
    assert refused.code == 422
    assert refused.status is not None and said in refused.status["message"]
