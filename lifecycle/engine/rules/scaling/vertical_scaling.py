"""What a vertical autoscaler recommends, from the use of resources it has seen, and what it makes of a pod.

Models VPA's recommender: a histogram with growing buckets a container, percentiles of it with a margin, and
bounds that draw nearer as it has watched for longer. Left out: that old samples weigh less, and what it
learns from containers that ran out of memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import log
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.quantity import canonical_sum, parse_quantity

Json = Mapping[str, Any]
Counts = dict[int, int]
"""How many samples fell into each bucket."""
RESOURCES = ("cpu", "memory")
_RATIO = 1.05
# The end of the first bucket, and the least that is recommended for a pod: CPU in milli, memory in bytes.
_FIRST = {"cpu": 10.0, "memory": 1e7}
_LEAST = {"cpu": 25, "memory": 250 << 20}
_MOST_BUCKETS = 400
_MARGIN = 1.15
_DAY_MS, _SAMPLES_A_DAY = 86_400_000, 24 * 60
# Percentile, and confidence: (1 + m / days) to the power of p.
_TARGET, _LOWER, _UPPER = (0.9, 0.0, 0.0), (0.5, 0.001, -2.0), (0.95, 1.0, 1.0)
OFF, INITIAL, AUTO = "Off", "Initial", "Auto"
"""How what is recommended is applied: to nobody, to new pods, to all."""
LEAST_REPLICAS = 2
"""With fewer nobody is evicted (updater: --min-replicas)."""
TOLERATED = Fraction(1, 10)
"""A request may be off by such a part before an old pod is evicted for it."""


def bucket_of(resource: str, amount: int) -> int:
    """The bucket that an amount falls into: of CPU, 0 up to 10m, 1 up to 20.5m, and so on."""
    place = int(log(max(amount, 0) / _FIRST[resource] * (_RATIO - 1) + 1, _RATIO))
    return min(place, _MOST_BUCKETS)


def _end_of(resource: str, bucket: int) -> float:
    return _FIRST[resource] * (_RATIO ** (bucket + 1) - 1) / (_RATIO - 1)


def _percentile(resource: str, counts: Counts, share: float) -> float:
    total, seen = sum(counts.values()), 0
    for bucket in sorted(counts):
        seen += counts[bucket]
        if seen >= share * total:
            return _end_of(resource, bucket)
    return 0.0


@dataclass(frozen=True, slots=True)
class Recommended:
    """What is recommended for one container: amounts by resource, CPU in milli, memory in bytes."""

    name: str
    target: Mapping[str, int]
    lower: Mapping[str, int]
    upper: Mapping[str, int]
    uncapped: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """As the status tells it."""
        named = (("target", self.target), ("lowerBound", self.lower), ("upperBound", self.upper))
        shown = {name: _show(amounts) for name, amounts in (*named, ("uncappedTarget", self.uncapped))}
        return {"containerName": self.name, **shown}


def _show(amounts: Mapping[str, int]) -> dict[str, str]:
    return {name: show_amount(name, amount) for name, amount in amounts.items()}


def show_amount(resource: str, amount: int) -> str:
    """An amount as a quantity: 587m of CPU, 262144k of memory."""
    return canonical_sum(Fraction(amount, 1000 if resource == "cpu" else 1), "1")


def read_amount(resource: str, quantity: Any) -> int:
    """A quantity of CPU in milli, of memory in bytes. Raises ValueError."""
    return int(parse_quantity(quantity) * (1000 if resource == "cpu" else 1))


def recommend(
    name: str, counts: Mapping[str, Counts], containers: int, policy: Json, watched_ms: int
) -> Recommended:
    """What a container is to request; `containers`: among how many the least of a pod is shared (VPA-05).

    `watched_ms`: between its first sample and its last.
    """
    found = {kind: dict[str, int]() for kind in ("target", "lower", "upper")}
    for resource in policy.get("controlledResources") or RESOURCES:
        seen = counts.get(resource)
        if resource not in RESOURCES or not seen:
            continue
        days = min(max(watched_ms, 1000) / _DAY_MS, sum(seen.values()) / _SAMPLES_A_DAY)
        for kind, (share, multiplier, power) in (("target", _TARGET), ("lower", _LOWER), ("upper", _UPPER)):
            amount = _percentile(resource, seen, share) * _MARGIN * (1 + multiplier / days) ** power
            found[kind][resource] = max(int(amount), _LEAST[resource] // containers)
    target, lower, upper = (_cap(found[kind], policy) for kind in ("target", "lower", "upper"))
    return Recommended(name, target, lower, upper, found["target"])


def _cap(amounts: Mapping[str, int], policy: Json) -> dict[str, int]:
    capped = dict(amounts)
    for bound, choose in (("minAllowed", max), ("maxAllowed", min)):
        for resource, quantity in (policy.get(bound) or {}).items():
            if resource in capped:
                capped[resource] = choose(capped[resource], read_amount(resource, quantity))
    return capped


def is_outside(container: Json, recommended: Recommended) -> bool:
    """Whether a container requests less than the lower bound, or more than the upper one."""
    requests = (container.get("resources") or {}).get("requests") or {}
    for resource in recommended.target:
        request = read_amount(resource, requests.get(resource, 0))
        if not recommended.lower[resource] <= request <= recommended.upper[resource]:
            return True
    return False


def is_off(container: Json, recommended: Recommended) -> bool:
    """Whether a container's requests differ from the target by more than a tenth."""
    requests = (container.get("resources") or {}).get("requests") or {}
    for resource, target in recommended.target.items():
        request = read_amount(resource, requests.get(resource, 0))
        if abs(target - request) > TOLERATED * request:
            return True
    return False


def apply_to_pod(
    raw: Json, name: str, found: Mapping[str, Recommended], only_requests: set[str]
) -> tuple[Json, str]:
    """A pod's spec with the recommended requests, its limits in proportion; what an annotation says of it."""
    containers, told = [], []
    for place, container in enumerate(raw.get("containers") or ()):
        recommended = found.get(str(container.get("name")))
        if recommended is None or not recommended.target:
            containers.append(container)
            continue
        keeps_limits = recommended.name in only_requests
        containers.append({**container, "resources": _resources(container, recommended, keeps_limits)})
        told.append(f"container {place}: " + ", ".join(f"{one} request" for one in recommended.target))
    words = f"Pod resources updated by {name}: {'; '.join(told)}" if told else ""
    return ({**raw, "containers": containers}, words) if told else (raw, "")


def _resources(container: Json, recommended: Recommended, keeps_limits: bool) -> dict[str, Any]:
    given = container.get("resources") or {}
    requests, limits = dict(given.get("requests") or {}), dict(given.get("limits") or {})
    for resource, target in recommended.target.items():
        before = requests.get(resource, limits.get(resource))
        if resource in limits and before is not None and not keeps_limits:
            was = read_amount(resource, before)
            limit = read_amount(resource, limits[resource])
            limits[resource] = show_amount(resource, limit * target // was if was else max(limit, target))
        requests[resource] = show_amount(resource, target)
    return {**given, "requests": requests} | ({"limits": limits} if limits else {})
