"""The eviction API: who may go, what it costs the budget, and what is answered."""

from __future__ import annotations

import pytest

from lifecycle.engine import Result
from lifecycle.engine.objects.times import format_time
from tests.engine.disruption.site import Json, Site, make_budget, make_pod, make_workload

REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."


def make_site(replicas: int = 3, **budget: object) -> Site:
    """A StatefulSet that is ready, and its budget."""
    site = Site(end="10s")
    site.apply(make_workload(replicas=replicas, kind="StatefulSet"))
    site.apply(make_budget(**budget))
    site.run(10)
    return site


def causes(result: Result) -> list[Json]:
    assert result.status is not None
    found: list[Json] = result.status["details"]["causes"]
    return found


@pytest.mark.spec("PDB-05", "PDB-13", "DCOND-01", "DCOND-04")
def test_an_accepted_eviction_pays_then_tells_then_deletes() -> None:
    site = make_site(minAvailable=2)
    site.rows.clear()
    assert site.submit("evict", name="web-0").code == 201
    fields = [(row["kind"], row["field"], row["new"]) for row in site.rows if row["type"] == "transition"]
    assert fields[:5] == [
        ("Pod", "eviction", "accepted"),
        ("PodDisruptionBudget", "condition.DisruptionAllowed", "False"),
        ("PodDisruptionBudget", "disruptionsAllowed", 0),
        ("Pod", "condition.DisruptionTarget", "True"),
        ("Pod", "deletion", "requested"),
    ]
    assert site.rows[0]["reason"] == "web"
    told = next(row for row in site.rows if row.get("field") == "condition.DisruptionTarget")
    assert (told["reason"], told["message"]) == ("EvictionByEvictionAPI", "Eviction API: evicting")
    assert site.get("Pod", "web-0")["metadata"]["deletionGracePeriodSeconds"] == 30


def test_the_budget_remembers_whom_it_let_go_until_the_deletion_is_seen() -> None:
    site = make_site(minAvailable=1)
    site.cluster.take_changes()
    site.submit("evict", name="web-0")
    versions = [
        one.new for one in site.cluster.take_changes().versions if one.new.kind.name[3:] == "DisruptionBudget"
    ]
    told = [one.to_json(site.cluster.epoch_ms)["status"].get("disruptedPods") for one in versions]
    assert told == [{"web-0": format_time(10_000, site.cluster.epoch_ms)}, None]
    assert site.sums() == (1, 2, 1, 3)


def test_a_pod_that_was_said_to_be_disrupted_before_keeps_since_when_it_is() -> None:
    site = make_site(minAvailable=1)
    before = format_time(5_000, site.cluster.epoch_ms)
    told = {"type": "DisruptionTarget", "status": "True", "reason": "Other", "lastTransitionTime": before}
    patch = {"status": {"conditions": [told]}}
    site.change("patch", "web-0", "Pod", type="strategic", subresource="status", patch=patch)
    assert site.submit("evict", name="web-0").code == 201
    conditions = site.get("Pod", "web-0")["status"]["conditions"]
    assert [one for one in conditions if one["type"] == "DisruptionTarget"] == [
        {
            "type": "DisruptionTarget",
            "status": "True",
            "lastTransitionTime": before,
            "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
        }
    ]


@pytest.mark.spec("PDB-06", "PDB-07")
def test_a_refused_eviction_leaves_the_pod_alone_and_names_the_budget() -> None:
    site = make_site(5, minAvailable=4)
    assert site.submit("evict", name="web-0").code == 201
    refused = site.submit("evict", name="web-1")
    assert (refused.code, refused.status and refused.status["message"]) == (429, REFUSED)
    why = "The disruption budget web needs 4 healthy pods and has 4 currently"
    assert causes(refused) == [{"reason": "DisruptionBudget", "message": why}]
    assert "deletionTimestamp" not in site.get("Pod", "web-1")["metadata"]
    site.submit("evict", name="web-1")
    assert site.lane("Pod", "eviction", "web-1") == [(10_000, "refused")]
    row = next(row for row in site.rows if row.get("field") == "eviction" and row["name"] == "web-1")
    assert (row["reason"], row["message"]) == ("web", why)


def test_the_cause_tells_of_a_budget_whose_sums_are_unknown() -> None:
    """A budget that was never summed up is still being processed; this one was, before the pod came."""
    site = Site()
    site.apply(make_budget(maxUnavailable=1))
    pod = make_pod("web-0", {"app": "web"})
    pod["metadata"]["ownerReferences"] = [
        {"apiVersion": "x.io/v1", "kind": "Fleet", "name": "f", "uid": "u", "controller": True}
    ]
    pod["metadata"]["finalizers"] = ["x.io/keep"]
    site.apply(pod)
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    site.change("patch", "web-0", "Pod", type="strategic", subresource="status", patch={"status": status})
    found = site.submit("evict", name="web-0")
    assert found.code == 429
    assert causes(found)[0]["message"] == (
        "The disruption budget web does not allow evicting pods currently because it failed sync:"
        ' no matches for kind "Fleet" in version "x.io/v1"'
    )


def test_pods_that_nobody_controls_are_held_by_a_budget_that_cannot_count_them() -> None:
    site = Site()
    site.apply(make_pod("web-0", {"app": "web"}))
    site.apply(make_budget(maxUnavailable=1))
    site.run(5)
    refused = site.submit("evict", name="web-0")
    why = "The disruption budget web does not allow evicting pods currently"
    assert causes(refused) == [{"reason": "DisruptionBudget", "message": why}]


def test_a_budget_that_was_not_looked_at_since_it_changed_asks_to_come_again() -> None:
    site = make_site(minAvailable=2)
    old = site.budget()
    # Nobody can be faster than the controller here, so its view is taken away.
    site.cluster._store.update(old, old.with_status(old.status.replace(observed_generation=0)))
    refused = site.submit("evict", name="web-0")
    assert refused.status is not None
    assert refused.status["details"]["retryAfterSeconds"] == 10
    assert (
        causes(refused)[0]["message"] == "The disruption budget web is still being processed by the server."
    )


def test_two_budgets_are_more_than_an_eviction_takes() -> None:
    site = make_site(minAvailable=1)
    site.apply(make_budget("other", "web", minAvailable=1))
    site.run(1)
    refused = site.submit("evict", name="web-0")
    said = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
    assert refused.status is not None
    assert (refused.code, refused.status["message"]) == (500, said)
    assert site.lane("Pod", "eviction", "web-0") == [(11_000, "refused")]


@pytest.mark.parametrize("policy", ["IfHealthyBudget", "AlwaysAllow"])
@pytest.mark.parametrize("needed", [2, 3])
@pytest.mark.spec("PDB-12")
def test_a_pod_that_is_not_ready(policy: str, needed: int) -> None:
    site = Site()
    site.apply(make_workload(kind="StatefulSet", readinessGates=[{"conditionType": "x.io/gate"}]))
    site.apply(make_budget(minAvailable=needed, unhealthyPodEvictionPolicy=policy))
    site.run(5)
    gate = {"status": {"conditions": [{"type": "x.io/gate", "status": "True"}]}}
    for name in ("web-0", "web-1"):
        site.change("patch", name, "Pod", type="strategic", subresource="status", patch=gate)
    site.run(1)
    before = site.sums()
    assert before == (0, 2, needed, 3)
    # With two of three healthy the third is spare where two are needed, and not where three are.
    assert site.submit("evict", name="web-2").ok == (policy == "AlwaysAllow" or needed == 2)
    assert site.sums()[0] == 0
    assert site.submit("evict", name="web-0").code == 429


@pytest.mark.parametrize("state", ["Pending", "Succeeded", "terminating"])
def test_a_pod_that_disrupts_nobody_goes_whatever_its_budget_says(state: str) -> None:
    site = Site(end="60s")
    spec: Json = {}
    if state == "Pending":
        spec = {"nodeSelector": {"x.io/none": "yes"}}
    elif state == "Succeeded":
        command = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", "exit 0"]}
        spec = {"restartPolicy": "Never", "containers": [command]}
    site.apply(make_pod("web-0", {"app": "web"}, **spec))
    site.apply(make_budget(minAvailable=5))
    site.run(10)
    if state == "terminating":
        site.done("delete", kind="Pod", name="web-0")
    assert site.submit("evict", name="web-0", gracePeriodSeconds=5).code == 201
    assert site.lane("Pod", "eviction") == [(10_000, "accepted")]
    site.run(30)
    assert site.names() == []


def test_a_dry_run_answers_and_changes_nothing() -> None:
    site = make_site(minAvailable=2)
    site.rows.clear()
    assert site.submit("evict", name="web-0", dryRun=True).code == 201
    assert site.submit("evict", name="web-0", dryRun=True).code == 201
    assert site.rows == []
    site.submit("evict", name="web-0")
    site.rows.clear()
    assert site.submit("evict", name="web-1", dryRun=True).code == 429
    assert site.rows == []


@pytest.mark.parametrize(
    "field, said", [("uid", "the UID in the precondition"), ("resourceVersion", "the ResourceV")]
)
def test_preconditions_are_held(field: str, said: str) -> None:
    site = make_site(minAvailable=1)
    refused = site.submit("evict", name="web-0", preconditions={field: "1"})
    assert refused.status is not None
    assert refused.code == 409 and said in refused.status["message"]
    meta = site.get("Pod", "web-0")["metadata"]
    assert site.submit("evict", name="web-0", preconditions={field: meta[field]}).ok


def test_nobody_is_evicted_in_a_namespace_that_goes() -> None:
    site = Site(end="60s")
    site.done("create", object={"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    pod = make_pod("web-0")
    pod["metadata"]["namespace"] = "shop"
    site.apply(pod)
    site.run(5)
    site.done("delete", kind="Namespace", name="shop")
    refused = site.submit("evict", name="web-0", namespace="shop")
    assert refused.status is not None
    assert refused.code == 403
    assert (
        "unable to create new content in namespace shop because it is being terminated"
        in refused.status["message"]
    )


@pytest.mark.spec("DISRUPT-03", "DISRUPT-07", "DCOND-10")
def test_whoever_deletes_a_pod_asks_no_budget_and_tells_no_reason() -> None:
    site = make_site(maxUnavailable=0)
    assert site.submit("delete", kind="Pod", name="web-0").ok
    assert site.submit("delete", kind="StatefulSet", name="web").ok
    site.run(60)
    assert site.names() == []
    assert site.lane("Pod", "condition.DisruptionTarget") == []
    assert site.lane("Pod", "eviction") == []


@pytest.mark.spec("DISRUPT-05")
def test_nobody_is_disrupted_unless_somebody_asks() -> None:
    site = make_site(minAvailable=1)
    site.run(86_400)
    assert site.lane("Pod", "eviction") == site.lane("Pod", "deletion") == site.drains() == []


@pytest.mark.spec("DCOND-09")
def test_a_jobs_failure_policy_sees_the_eviction() -> None:
    site = Site()
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
    container = {"name": "main", "image": "busybox:1.36", "command": ["sh", "-c", "sleep 60"]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"backoffLimit": 0, "podFailurePolicy": {"rules": rules}, "template": template}
    site.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "work"}, "spec": spec})
    site.run(5)
    assert site.submit("evict", name=site.names()[0], gracePeriodSeconds=1).ok
    site.run(120)
    status = site.get("Job", "work")["status"]
    assert (status.get("succeeded"), status.get("failed")) == (1, None)


@pytest.mark.parametrize("grace, gone_ms", [(0, 10_000), (3, 13_000)])
def test_an_eviction_takes_the_period_as_it_is_given(grace: int, gone_ms: int) -> None:
    site = make_site(minAvailable=1)
    site.submit("evict", name="web-0", gracePeriodSeconds=grace)
    site.run(20)
    assert (gone_ms, "deleted") in site.lane("Pod", "exists", "web-0")


@pytest.mark.spec("DISRUPT-01")
def test_every_pod_that_ends_has_a_cause_that_leads_to_what_was_asked() -> None:
    site = make_site(minAvailable=1)
    site.submit("evict", name="web-0")
    site.submit("delete", kind="Pod", name="web-1")
    site.submit("drain", node="node-3")
    site.run(60)
    rows = {row["seq"]: row for row in site.rows}
    ends = [row for row in site.rows if row.get("field") == "deletion" and row["new"] == "requested"]
    assert len(ends) == 3
    for row in ends:
        while isinstance(row["cause"], int):
            row = rows[row["cause"]]
        assert str(row["cause"]).startswith("command:")


@pytest.mark.spec("DCOND-07")
def test_a_pod_that_ends_by_its_own_limits_was_not_disrupted() -> None:
    site = Site()
    site.apply(make_pod("greedy", restartPolicy="Never"))
    site.run(5)
    site.done("fault", pod="greedy", container="app", kind="exit", code=137, reason="OOMKilled")
    site.run(5)
    assert site.get("Pod", "greedy")["status"]["phase"] == "Failed"
    assert site.lane("Pod", "condition.DisruptionTarget") == []
