"""Where pods may be, for how long, and what they ask for."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from lifecycle.check.remedies.candidates import Candidate, Case, Json, make_patch
from lifecycle.engine.objects.names import HOSTNAME, PREFERRED, REQUIRED, ZONE
from lifecycle.engine.objects.quantity import canonical_sum, parse_quantity
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND

SPREAD, STRICT, AFFINITY, TOLERATIONS = "spread", "strict spread", "affinity", "tolerations"
REQUESTS, SMALLER, QUOTA, PRIORITY, NODES = "requests", "smaller requests", "quota", "priority", "nodes"
PRIORITY_CLASS, RESOURCE_QUOTA = "PriorityClass", "ResourceQuota"
_LOST = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_SPANS_SECONDS = (30, 5)
_HIGH_PRIORITY = 1_000_000
_CPU = "100m"
_WORDS = {HOSTNAME: "host", ZONE: "zone"}


def spread(case: Case) -> Iterator[Candidate]:
    """Pods on different nodes, and in different zones, where that is possible."""
    if not case.labels or case.kind == DAEMON_SET_KIND.id:
        return
    known = {one.get("topologyKey") for one in case.pod.get("topologySpreadConstraints") or ()}
    for key in _list_keys(case):
        if key not in known:
            text = f"topologySpreadConstraints by {_WORDS[key]} (ScheduleAnyway)"
            yield case.change_pod(text, SPREAD, {"topologySpreadConstraints": [_constrain(case, key)]})


def _list_keys(case: Case) -> list[str]:
    """What pods can be spread by here."""
    return [HOSTNAME, ZONE] if len(case.world.settled.zones) > 1 else [HOSTNAME]


def _constrain(case: Case, key: str) -> dict[str, Any]:
    selector = {"matchLabels": case.labels}
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": selector,
    }


def separate(case: Case) -> Iterator[Candidate]:
    """No two pods on one node, whatever else."""
    rules = ((case.pod.get("affinity") or {}).get("podAntiAffinity") or {}).get(REQUIRED) or ()
    if not case.labels or case.kind == DAEMON_SET_KIND.id or rules:
        return
    rule = {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": case.labels}}
    change = {"affinity": {"podAntiAffinity": {REQUIRED: [rule]}}}
    yield case.change_pod("required podAntiAffinity by host", STRICT, change)


def relax(case: Case) -> Iterator[Candidate]:
    """What is required of the place of pods is preferred alone."""
    affinity = case.pod.get("affinity") or {}
    for name in ("podAntiAffinity", "podAffinity"):
        known = affinity.get(name) or {}
        if rules := known.get(REQUIRED):
            wishes = [{"weight": 100, "podAffinityTerm": one} for one in rules]
            yield _prefer(case, name, [*(known.get(PREFERRED) or ()), *wishes])
    known = affinity.get("nodeAffinity") or {}
    if terms := (known.get(REQUIRED) or {}).get("nodeSelectorTerms"):
        wishes = [{"weight": 100, "preference": one} for one in terms]
        yield _prefer(case, "nodeAffinity", [*(known.get(PREFERRED) or ()), *wishes])


def free(case: Case) -> Iterator[Candidate]:
    """What ties pods to some nodes is gone, and they are spread over all."""
    affinity = case.pod.get("affinity") or {}
    ties: dict[str, Json] = {
        f"required {name}": {"affinity": {name: {REQUIRED: None}}}
        for name in ("podAffinity", "nodeAffinity")
        if (affinity.get(name) or {}).get(REQUIRED)
    }
    if case.pod.get("nodeSelector"):
        ties["nodeSelector"] = {"nodeSelector": None}
    rules = [_constrain(case, key) for key in _list_keys(case)] if case.labels else []
    words = " and ".join(_WORDS[one["topologyKey"]] for one in rules)
    for name, change in ties.items():
        yield case.change_pod(f"no {name}", f"{NODES} {name}", change)
        if rules:
            text = f"no {name}, but topologySpreadConstraints by {words} (ScheduleAnyway)"
            spread_out = {**change, "topologySpreadConstraints": rules}
            yield case.change_pod(text, f"{NODES} {name}", spread_out)


def _prefer(case: Case, name: str, wishes: list[Json]) -> Candidate:
    change = {"affinity": {name: {REQUIRED: None, PREFERRED: wishes}}}
    return case.change_pod(f"preferred in place of required {name}", f"{AFFINITY} {name}", change)


def tolerate_shorter(case: Case) -> Iterator[Candidate]:
    """Pods are replaced sooner when their node is lost; 5 minutes is what is set where nothing is said."""
    if case.kind == DAEMON_SET_KIND.id:
        return
    kept = [one for one in case.pod.get("tolerations") or () if one.get("key") not in _LOST]
    for seconds in _SPANS_SECONDS:
        sooner = [
            {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}
            for key in _LOST
        ]
        text = f"tolerationSeconds {seconds} for not-ready and unreachable nodes"
        yield case.change_pod(text, TOLERATIONS, {"tolerations": [*kept, *sooner]})


# --- what is asked for --------------------------------------------------------------------------------------


def ask_for_limits(case: Case) -> Iterator[Candidate]:
    """Requests as high as limits: nothing is used that was not asked for."""
    changed = []
    for one in case.containers:
        resources = one.get("resources") or {}
        limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
        higher = {name: amount for name, amount in limits.items() if requests.get(name) not in (None, amount)}
        if higher:
            changed.append({"name": one["name"], "resources": {"requests": higher}})
    if changed:
        yield case.change_pod("requests as high as limits", REQUESTS, {"containers": changed})


def ask_for_cpu(case: Case) -> Iterator[Candidate]:
    """A request for CPU, which an autoscaler computes shares of."""
    missing = [
        one["name"]
        for one in case.containers
        if not ((one.get("resources") or {}).get("requests") or {}).get("cpu")
    ]
    if missing:
        changed = [{"name": name, "resources": {"requests": {"cpu": _CPU}}} for name in missing]
        yield case.change_pod(
            f"requests.cpu {_CPU} for {', '.join(missing)}", REQUESTS, {"containers": changed}
        )


def ask_for_less(case: Case) -> Iterator[Candidate]:
    """Half of what is asked for, of what finds no room."""
    changed = []
    for one in case.containers:
        requests = (one.get("resources") or {}).get("requests") or {}
        halves = {
            name: canonical_sum(parse_quantity(amount) / 2, amount) for name, amount in requests.items()
        }
        if halves:
            changed.append({"name": one["name"], "resources": {"requests": halves}})
    if changed:
        yield case.change_pod("half of the requests", SMALLER, {"containers": changed})


def raise_quota(case: Case) -> Iterator[Candidate]:
    """Room for one more pod in the quotas of its namespace."""
    for quota in case.world.list(RESOURCE_QUOTA, case.workload.namespace):
        hard = (quota.get("spec") or {}).get("hard") or {}
        raised = {name: canonical_sum(_count_wanted(case, name), hard[name]) for name in hard}
        raised = {
            name: amount
            for name, amount in raised.items()
            if parse_quantity(amount) > parse_quantity(hard[name])
        }
        if raised:
            told = ", ".join(f"{name} {amount}" for name, amount in raised.items())
            text = f"{told} in ResourceQuota {quota['metadata']['name']}"
            yield Candidate(text, make_patch(quota, {"spec": {"hard": raised}}), QUOTA)


def _count_wanted(case: Case, resource: str) -> Fraction:
    """What the pods of its namespace take of a resource that a quota limits, and one more pod of it."""
    pods = [one for one in case.world.settled.pods if one["metadata"]["namespace"] == case.workload.namespace]
    return sum((_count(one["spec"], resource) for one in [*pods, {"spec": case.pod}]), Fraction(0))


def _count(pod: Json, resource: str) -> Fraction:
    if resource in ("pods", "count/pods"):
        return Fraction(1)
    part, _, name = resource.rpartition(".")
    found = Fraction(0)
    for one in pod.get("containers") or ():
        resources = one.get("resources") or {}
        given = resources.get(part or "requests") or {}
        found += parse_quantity(given.get(name) or (resources.get("limits") or {}).get(name) or 0)
    return found


def raise_priority(case: Case) -> Iterator[Candidate]:
    """A class that is not preempted by others."""
    named = case.pod.get("priorityClassName")
    classes = {one["metadata"]["name"]: one for one in case.world.list(PRIORITY_CLASS)}
    own = classes.get(named or "")
    value = own.get("value") or 0 if own is not None else 0
    if named and value < 0:
        yield case.change_pod(f"no priorityClassName {named}", PRIORITY, {"priorityClassName": None})
    for name, one in sorted(classes.items(), key=lambda item: (item[1].get("value") or 0, item[0])):
        if (one.get("value") or 0) > value:
            yield case.change_pod(f"priorityClassName {name}", PRIORITY, {"priorityClassName": name})
    if own is not None and value < _HIGH_PRIORITY:
        text = f"value {_HIGH_PRIORITY} in PriorityClass {named}, made anew"
        yield Candidate(text, make_patch(own, {"value": _HIGH_PRIORITY}), PRIORITY)
