"""What one pass does with the pods it has found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lifecycle.lean_dataclasses import dataclass, field

from ...objects.node import Node
from ...objects.pods.pod import Pod
from ...rules.actions import Action, DeletePod, Update
from ...rules.pods.garbage import (
    choose_orphans,
    choose_out_of_service,
    choose_terminated,
    choose_unscheduled,
    mark_failed,
)


@dataclass(slots=True)
class Seen:
    """`finished` and `ending`: pods that may be found; `nodes` those of the latter; `orphans`: pods of nodes
    that are `gone` for good."""

    finished: list[Pod] = field(default_factory=list)
    ending: list[Pod] = field(default_factory=list)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    orphans: list[Pod] = field(default_factory=list)
    gone: frozenset[str] = frozenset()
    threshold: int = 0


def decide_pass(seen: Seen, now_ms: int) -> list[Action]:
    """In the order in which Kubernetes looks: too many, out of service, without a node, never scheduled."""
    actions: list[Action] = []
    done: dict[str, None] = {}

    def remove(pods: Iterable[Pod], is_orphan: bool = False) -> None:
        for pod in pods:
            if pod.meta.uid not in done:
                done[pod.meta.uid] = None
                actions.extend(_remove(pod, now_ms, is_orphan))

    remove(choose_terminated(seen.finished, seen.threshold))
    remove(choose_out_of_service(seen.ending, seen.nodes))
    remove(choose_orphans(seen.orphans, seen.gone), is_orphan=True)
    remove(choose_unscheduled(seen.ending))
    return actions


def _remove(pod: Pod, now_ms: int, is_orphan: bool) -> list[Action]:
    failed = mark_failed(pod, now_ms, is_orphan)
    return [*([Update(failed)] if failed is not pod else ()), DeletePod(failed, grace_seconds=0)]
