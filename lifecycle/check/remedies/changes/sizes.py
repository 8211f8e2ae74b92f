"""How many pods there are, and how many of them may be away."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle.check.remedies.candidates import Candidate, Case, Json, make_patch
from lifecycle.check.settled import BUDGET
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND

REPLICAS, LOOSER, SELECTOR, NEW_BUDGET, UNHEALTHY, ONE_BUDGET = (
    "replicas", "budget", "selector", "new budget", "unhealthy", "one budget",
)  # fmt: skip


def add_replicas(case: Case) -> Iterator[Candidate]:
    """One more pod: of its autoscaler at least, where it has one."""
    if case.kind not in (DEPLOYMENT_KIND.id, STATEFUL_SET_KIND.id):
        return
    autoscaler = case.find_autoscaler()
    if autoscaler is None:
        count = case.wanted + 1
        yield case.change(f"replicas {count}", REPLICAS, {"replicas": count})
        return
    spec = autoscaler.get("spec") or {}
    least = (spec.get("minReplicas") or 1) + 1
    most = max(spec.get("maxReplicas") or least, least)
    bounds = {"spec": {"minReplicas": least, "maxReplicas": most}}
    text = f"minReplicas {least} in {_tell(autoscaler)}"
    yield Candidate(text, make_patch(autoscaler, bounds), REPLICAS)


def loosen_budgets(case: Case) -> Iterator[Candidate]:
    """One pod may always be away, however many there are."""
    for budget in case.list_budgets():
        spec = budget.get("spec") or {}
        known = next((one for one in ("minAvailable", "maxUnavailable") if spec.get(one) is not None), None)
        if known is None or (spec[known] == 1 and known == "maxUnavailable"):
            continue
        change = {"maxUnavailable": 1} | ({"minAvailable": None} if known == "minAvailable" else {})
        text = f"maxUnavailable 1 in place of {known} {spec[known]} in {_tell(budget)}"
        yield Candidate(text, make_patch(budget, {"spec": change}), LOOSER)


def evict_unhealthy(case: Case) -> Iterator[Candidate]:
    """Pods that are not ready may go, whatever the budget says."""
    for budget in case.list_budgets():
        if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") != "AlwaysAllow":
            change = {"spec": {"unhealthyPodEvictionPolicy": "AlwaysAllow"}}
            text = f"unhealthyPodEvictionPolicy AlwaysAllow in {_tell(budget)}"
            yield Candidate(text, make_patch(budget, change), UNHEALTHY)


def mend_selector(case: Case) -> Iterator[Candidate]:
    """A budget that selects no pods selects these, where none does."""
    if case.workload.budgets or not case.labels:
        return
    taken = {one for workload in case.world.settled.workloads for one in workload.budgets}
    free = [
        one
        for one in case.world.list(BUDGET, case.workload.namespace)
        if (case.workload.namespace, one["metadata"]["name"]) not in taken
    ]
    # The one that is named like it is the one that was meant.
    for budget in sorted(free, key=lambda one: one["metadata"]["name"] != case.workload.name):
        selector = (budget.get("spec") or {}).get("selector") or {}
        labels = {**dict.fromkeys(selector.get("matchLabels") or ()), **case.labels}
        change = {"matchLabels": labels} | (
            {"matchExpressions": None} if selector.get("matchExpressions") else {}
        )
        text = f"selector {_tell_labels(case)} in {_tell(budget)}"
        yield Candidate(text, make_patch(budget, {"spec": {"selector": change}}), SELECTOR)


def leave_one_budget(case: Case) -> Iterator[Candidate]:
    """Of several budgets one covers its pods: a pod of two is never evicted (the registry's eviction.go).

    What covers other pods too leaves these out first. What would cover none is better deleted.
    """
    budgets = case.list_budgets()
    if len(budgets) < 2 or not case.labels:
        return
    others = {budget["metadata"]["name"]: _list_covered_too(case, budget) for budget in budgets}
    last_first = list(reversed(budgets))
    for budget in sorted(last_first, key=lambda one: not others[one["metadata"]["name"]]):
        covered = others[budget["metadata"]["name"]]
        own = ((key, value) for key, value in case.labels.items() if (key, value) not in covered)
        key, value = next(own, ("", ""))
        if not key:
            continue
        known = ((budget.get("spec") or {}).get("selector") or {}).get("matchExpressions") or ()
        without = [*known, {"key": key, "operator": "NotIn", "values": [value]}]
        text = f"{key} notin ({value}) in {_tell(budget)}"
        if not covered:
            text += ", which then covers no pods: delete it"
        change = {"spec": {"selector": {"matchExpressions": without}}}
        yield Candidate(text, make_patch(budget, change), ONE_BUDGET)


def _list_covered_too(case: Case, budget: Json) -> set[tuple[str, str]]:
    """The labels by which the other workloads that a budget covers select their pods."""
    place = (case.workload.namespace, budget["metadata"]["name"])
    found = [one for one in case.world.settled.workloads if place in one.budgets]
    selectors = ((one.data.get("spec") or {}).get("selector") or {} for one in found if one != case.workload)
    return {pair for one in selectors for pair in (one.get("matchLabels") or {}).items()}


def add_budget(case: Case) -> Iterator[Candidate]:
    """A budget, where there is none, and a second pod that it can be kept with."""
    size = case.find_autoscaler() is None and case.wanted < 2
    if case.workload.budgets or not case.labels or size:
        return
    kind = POD_DISRUPTION_BUDGET.kind
    name = case.workload.name
    if any(one["metadata"]["name"] == name for one in case.world.list(BUDGET, case.workload.namespace)):
        name = f"{name}-budget"
    spec = {"maxUnavailable": 1, "selector": {"matchLabels": case.labels}}
    head = {"apiVersion": kind.api_version, "kind": kind.name}
    meta = {"name": name, "namespace": case.workload.namespace}
    yield Candidate(f"a PodDisruptionBudget with maxUnavailable 1 for {_tell_labels(case)}",
                    {**head, "metadata": meta, "spec": spec}, NEW_BUDGET)  # fmt: skip


def _tell(data: Json) -> str:
    return f"{data['kind']} {data['metadata']['name']}"


def _tell_labels(case: Case) -> str:
    return ",".join(f"{name}={value}" for name, value in case.labels.items())
