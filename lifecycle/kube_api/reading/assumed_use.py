"""Samples of what pods and nodes use: what is known of them, and where nobody says, a little that is assumed.

As a metrics server's: of each container that has run for a window, and of each node that is ready.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lifecycle.engine.objects.times import parse_time_or_none

Json = Mapping[str, Any]
Use = tuple[int, int]
"""CPU in milli and memory in bytes."""
# A metrics server asks the kubelets this often.
WINDOW_MS = 15_000
_MEBIBYTE = 1024 * 1024
OF_A_CONTAINER: Use = (1, 8 * _MEBIBYTE)
OF_A_NODE: Use = (100, 500 * _MEBIBYTE)
"""What its system and its kubelet use beside the pods."""
_TOLD_OF_NODES = "its own 100m and 500Mi, and what is assumed of its pods"


@dataclass(frozen=True, slots=True)
class Sample:
    """Of one pod or node: its metadata, and what is used by container; a node's own is by no name.

    `assumed`: what of it nobody says; "" where all is known.
    """

    meta: Json
    at_ms: int
    window_ms: int
    uses: Mapping[str, Use]
    assumed: str = ""

    @property
    def total(self) -> Use:
        """All that is used together."""
        return sum(use[0] for use in self.uses.values()), sum(use[1] for use in self.uses.values())


class Samples(NamedTuple):
    """Those of all pods and of all nodes."""

    pods: Sequence[Sample]
    nodes: Sequence[Sample]


def take_samples(
    known: Iterable[Json], pods: Iterable[Json], nodes: Iterable[Json], now_ms: int, epoch_ms: int
) -> Samples:
    """Samples of what runs now. `known`: what the engine tells of pods of whose use something is stated."""
    told = {one["pod"]["metadata"]["uid"]: one for one in known}
    ready = [node for node in nodes if _is_ready(node)]
    names = {node["metadata"]["name"] for node in ready}
    by_node: dict[str, list[Sample]] = {}
    for pod in pods:
        node = str((pod.get("spec") or {}).get("nodeName") or "")
        if node not in names:
            continue
        found = _sample_pod(pod, told.get(pod["metadata"]["uid"]), now_ms, epoch_ms)
        if found is not None:
            by_node.setdefault(node, []).append(found)
    sampled = [one for samples in by_node.values() for one in samples]
    sampled.sort(key=lambda one: (one.meta["namespace"], one.meta["name"]))
    return Samples(
        sampled, [_sample_node(node, by_node.get(node["metadata"]["name"], ()), now_ms) for node in ready]
    )


def _sample_pod(pod: Json, known: Json | None, now_ms: int, epoch_ms: int) -> Sample | None:
    """None of a pod of which nothing runs, or not for long."""
    # A process holds some memory: a script that says of neither what it takes says nothing.
    stated = known["containers"].items() if known is not None else ()
    uses: dict[str, Use] = {name: use for name, use in stated if any(use)}
    unknown = [name for name in _list_measured(pod, now_ms, epoch_ms) if name not in uses]
    uses |= dict.fromkeys(unknown, OF_A_CONTAINER)
    if not uses:
        return None
    said = f"1m and 8Mi each of {', '.join(unknown)}" if unknown else ""
    at_ms, window_ms = (now_ms, WINDOW_MS) if known is None else (known["at_ms"], known["window_ms"])
    return Sample(pod["metadata"], at_ms, window_ms, uses, said)


def _list_measured(pod: Json, now_ms: int, epoch_ms: int) -> Iterator[str]:
    """The containers that have run for a window."""
    status = pod.get("status") or {}
    for one in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        running = (one.get("state") or {}).get("running")
        started_ms = parse_time_or_none((running or {}).get("startedAt"), epoch_ms)
        if started_ms is not None and started_ms <= now_ms - WINDOW_MS:
            yield one["name"]


def _sample_node(node: Json, pods: Iterable[Sample], now_ms: int) -> Sample:
    uses: dict[str, Use] = {"": OF_A_NODE}
    uses |= {f"{one.meta['namespace']}/{one.meta['name']}": one.total for one in pods}
    return Sample(node["metadata"], now_ms, WINDOW_MS, uses, _TOLD_OF_NODES)


def _is_ready(node: Json) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)
