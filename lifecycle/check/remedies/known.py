"""What other tools call a weakness: rules of KubeLinter, kube-score and Polaris, by the field that cures it.

A name stands beside a finding only when a change of that field was run and helped.
"""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle.check.remedies.candidates import Case, Json, find_place
from lifecycle.check.remedies.changes.probes import HANDLERS
from lifecycle.check.remedies.fields import list_fields
from lifecycle.check.settled import BUDGET
from lifecycle.engine.objects.int_or_percent import read_int_or_percent, resolve
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND

_SPREAD = (
    "kube-linter/no-anti-affinity",
    "kube-score/{kind}-has-host-podantiaffinity",
    "polaris/topologySpreadConstraint",
)
_EVEN = "kube-score/pod-topology-spread-constraints"
_BUDGET = ("kube-score/{kind}-has-poddisruptionbudget", "polaris/missingPodDisruptionBudget")
_ZERO, _NEVER_MORE = "polaris/pdbDisruptionsIsZero", "polaris/pdbMinAvailableGreaterThanHPAMinReplicas"
_MISSING = {
    "readinessProbe": (
        "kube-linter/no-readiness-probe", "kube-score/pod-probes", "polaris/readinessProbeMissing",
    ),
    "startupProbe": ("kube-linter/no-startup-probe",),
}  # fmt: skip
_REQUESTS = {
    "cpu": (
        "kube-linter/unset-cpu-requirements", "kube-score/container-resources", "polaris/cpuRequestsMissing",
    ),
    "memory": (
        "kube-linter/unset-memory-requirements", "kube-score/container-resources",
        "polaris/memoryRequestsMissing",
    ),
}  # fmt: skip


def list_known_as(case: Case, patch: Json) -> list[str]:
    """The rules that mean the weakness which a patch cures."""
    kind = "statefulset" if case.kind == STATEFUL_SET_KIND.id else "deployment"
    place = find_place(patch)
    names = [
        name
        for path in list_fields(patch)
        for name in (_list_of_budget(case, patch, path) if place[0] == BUDGET else _list_of(case, path))
    ]
    return [name.format(kind=kind) for name in dict.fromkeys(names)]


def _list_of_budget(case: Case, patch: Json, path: tuple[str, ...]) -> Iterator[str]:
    known = case.world.find(find_place(patch))
    if known is None or ("selector" in path and not case.workload.budgets):
        yield from _BUDGET
    elif path[-1] == "minAvailable":
        yield from ("kube-linter/pdb-min-available", _ZERO)
        yield from _list_of_bounds(case)
    elif path[-1] == "maxUnavailable" and (known.get("spec") or {}).get("minAvailable") is None:
        yield from ("kube-linter/pdb-max-unavailable", _ZERO)
    elif path[-1] == "unhealthyPodEvictionPolicy":
        yield "kube-linter/pdb-unhealthy-pod-eviction-policy"


def _list_of(case: Case, path: tuple[str, ...]) -> Iterator[str]:
    for probe, names in _MISSING.items():
        if probe in path and any(not one.get(probe) for one in case.containers):
            yield from names
    if path == ("spec", "replicas"):
        if case.wanted < 3:
            yield "kube-linter/minimum-three-replicas"
        if case.wanted < 2:
            yield from ("kube-score/deployment-replicas", "polaris/deploymentMissingReplicas")
    elif path == ("spec", "minReplicas"):
        yield "kube-linter/hpa-minimum-three-replicas"
        yield from ("kube-score/horizontalpodautoscaler-replicas", "polaris/hpaMinAvailability")
        yield from _list_of_bounds(case)
    elif "strategy" in path and path[-1] == "type" and case.strategy.get("type") == "Recreate":
        yield from ("kube-linter/no-rolling-update-strategy", "kube-score/deployment-strategy")
    elif path[-1] == "startingDeadlineSeconds" and not case.spec.get(path[-1]):
        yield "kube-score/cronjob-has-deadline"
    elif path[-1] == "priorityClassName" and not case.pod.get(path[-1]):
        yield "polaris/priorityClassNotSet"
    yield from _list_of_places(case, path)
    if "requests" in path and path[-1] in _REQUESTS and not _asks(case, path[-1]):
        yield from _REQUESTS[path[-1]]
    if "livenessProbe" in path and any(_asks_the_same(one) for one in case.containers):
        yield "kube-score/pod-probes-identical"


def _list_of_bounds(case: Case) -> Iterator[str]:
    """A budget that keeps as many pods as an autoscaler may leave: none of them is ever evicted."""
    autoscaler = case.find_autoscaler()
    if autoscaler is None:
        return
    least = (autoscaler.get("spec") or {}).get("minReplicas") or 1
    kept = [read_int_or_percent((one.get("spec") or {}).get("minAvailable")) for one in case.list_budgets()]
    if any(one is not None and resolve(one, least, round_up=True) >= least for one in kept):
        yield _NEVER_MORE


def _list_of_places(case: Case, path: tuple[str, ...]) -> Iterator[str]:
    """Pods that are together: nothing spreads them, or something draws them to one place."""
    is_apart = bool((case.pod.get("affinity") or {}).get("podAntiAffinity"))
    if "topologySpreadConstraints" in path:
        yield from (*_SPREAD, _EVEN)
    elif "podAffinity" in path or ("podAntiAffinity" in path and not is_apart):
        yield from _SPREAD


def _asks(case: Case, resource: str) -> bool:
    return all(resource in ((one.get("resources") or {}).get("requests") or {}) for one in case.containers)


def _asks_the_same(container: Json) -> bool:
    """Whether it is restarted by the same question that says whether it is ready."""
    liveness, readiness = container.get("livenessProbe") or {}, container.get("readinessProbe") or {}
    return bool(liveness) and all(liveness.get(one) == readiness.get(one) for one in HANDLERS)
