"""One minute of a vertical autoscaler: what it recommends, and whom it evicts for that.

Models VPA's recommender and updater. The mode Auto does what Recreate does. Left out: resizing in place, and
the disruption budgets, which the eviction API keeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...objects.condition import is_true
from ...objects.meta import StoredObject
from ...objects.pods.pod import RUNNING, Pod
from ...rules.scaling.vertical_scaling import (
    AUTO,
    INITIAL,
    LEAST_REPLICAS,
    OFF,
    Counts,
    Recommended,
    is_off,
    is_outside,
    read_amount,
    recommend,
)

Json = Mapping[str, Any]
SOURCE = "vpa-updater"
LOOK_MS = 60_000
SETTLED_MS = 12 * 3_600_000
"""A pod within the bounds is evicted when it is so old, and its requests are off."""
NO_PODS = "NoPodsMatched"
EVICTED = ("EvictedByVPA", "Pod was evicted by VPA Updater to apply resource recommendation.")


def mode_of(autoscaler: StoredObject) -> str:
    """How it applies what it recommends."""
    return str(((autoscaler.spec or {}).get("updatePolicy") or {}).get("updateMode") or AUTO)


def policy_of(autoscaler: StoredObject, container: str) -> Json:
    """What is said of a container, or of all that nothing is said of."""
    policies = ((autoscaler.spec or {}).get("resourcePolicy") or {}).get("containerPolicies") or ()
    by_name = {str(one.get("containerName") or "*"): one for one in policies}
    found: Json = by_name.get(container) or by_name.get("*") or {}
    return found


def decide_recommendations(
    autoscaler: StoredObject, seen: Mapping[str, Mapping[str, Counts]], now_ms: int
) -> list[Recommended]:
    """For every container that was seen and is not left alone, by name (VPA-05)."""
    watched_ms = now_ms - (autoscaler.meta.creation_ms or 0) - LOOK_MS
    policies = {name: policy_of(autoscaler, name) for name in sorted(seen)}
    return [
        recommend(name, seen[name], len(seen), policy, watched_ms)
        for name, policy in policies.items()
        if policy.get("mode") != OFF
    ]


def decide_status(
    autoscaler: StoredObject, found: Sequence[Recommended], now: str, has_pods: bool, problem: str = ""
) -> dict[str, Any]:
    """The status as it is to be. `problem`: why its target is none, in words."""
    why = {} if has_pods else {"reason": NO_PODS, "message": "No pods match this VPA object"}
    conditions: list[dict[str, Any]] = []
    if problem:
        conditions.append({"type": "ConfigUnsupported", "status": "True", "message": problem})
    if not has_pods:
        conditions.append({"type": NO_PODS, "status": "True", **why})
    is_provided = {"status": "True"} if found else {"status": "False", **why}
    conditions.append({"type": "RecommendationProvided", **is_provided})
    before = {
        (one.get("type"), one.get("status")): one for one in (autoscaler.status or {}).get("conditions") or ()
    }
    for one in conditions:
        old = before.get((one["type"], one["status"])) or {}
        one["lastTransitionTime"] = old.get("lastTransitionTime") or now
    status: dict[str, Any] = {"conditions": conditions}
    if found:
        status["recommendation"] = {"containerRecommendations": [one.to_json() for one in found]}
    return status


def read_recommendations(autoscaler: StoredObject) -> dict[str, Recommended]:
    """What its status recommends, by container. Raises ValueError for amounts that are none."""
    entries = ((autoscaler.status or {}).get("recommendation") or {}).get("containerRecommendations") or ()
    found = {}
    for one in entries:
        amounts = [
            {resource: read_amount(resource, value) for resource, value in (one.get(kind) or {}).items()}
            for kind in ("target", "lowerBound", "upperBound", "uncappedTarget")
        ]
        found[str(one.get("containerName"))] = Recommended(str(one.get("containerName")), *amounts)
    return found


def decide_evictions(
    autoscaler: StoredObject,
    pods: Sequence[Pod],
    replicas: int,
    found: Mapping[str, Recommended],
    now_ms: int,
) -> list[Pod]:
    """Whose requests are off, oldest first; half of the replicas at most are gone at once (VPA-06)."""
    if mode_of(autoscaler) in (OFF, INITIAL):
        return []
    policy = (autoscaler.spec or {}).get("updatePolicy") or {}
    running = [pod for pod in pods if pod.meta.deletion_ms is None and pod.status.phase == RUNNING]
    ready = [pod for pod in running if is_true(pod.status.conditions, "Ready")]
    if len(running) < max(policy.get("minReplicas") or LEAST_REPLICAS, 1):
        return []
    room = max(replicas // 2, 1) - (replicas - len(ready))
    wanting = [pod for pod in ready if _is_wanting(pod, found, now_ms)]
    return sorted(wanting, key=lambda pod: (pod.meta.creation_ms or 0, pod.meta.name))[: max(room, 0)]


def _is_wanting(pod: Pod, found: Mapping[str, Recommended], now_ms: int) -> bool:
    pairs = [(one.raw, found[one.name]) for one in pod.spec.containers if one.name in found]
    if any(is_outside(container, recommended) for container, recommended in pairs):
        return True
    is_old = now_ms - (pod.meta.creation_ms or 0) >= SETTLED_MS
    return is_old and any(is_off(container, recommended) for container, recommended in pairs)
