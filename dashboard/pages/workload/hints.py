"""What would make a workload stand involuntary disruptions better: the hints of Kubernetes' documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Json = Mapping[str, Any]
_NEEDED = ("cpu", "memory")


def list_hints(pod_spec: Json, replicas: int | None) -> list[str]:
    """A sentence each. `replicas`: None for a kind that has no size."""
    return [*_hint_requests(pod_spec), *(_hint_copies(pod_spec, replicas) if replicas is not None else ())]


def _hint_requests(pod_spec: Json) -> Iterator[str]:
    asked = (pod_spec.get("resources") or {}).get("requests") or {}
    lacking = []
    for container in pod_spec.get("containers") or ():
        own = (container.get("resources") or {}).get("requests") or {}
        if any(name not in own and name not in asked for name in _NEEDED):
            lacking.append(str(container.get("name")))
    if lacking:
        yield (
            f"Request the CPU and memory that {', '.join(lacking)} needs: whoever asks for nothing is evicted"
            " first when a node runs out, and is placed as if it took nothing."
        )


def _hint_copies(pod_spec: Json, replicas: int) -> Iterator[str]:
    if replicas == 1:
        yield "Run two replicas or more: one alone is down whenever its node is."
    affinity = (pod_spec.get("affinity") or {}).get("podAntiAffinity")
    if replicas > 1 and not affinity and not pod_spec.get("topologySpreadConstraints"):
        yield (
            "Spread its pods over zones by topologySpreadConstraints: without, they are spread where that is"
            " easy, and may all be lost with one machine, rack or zone."
        )
