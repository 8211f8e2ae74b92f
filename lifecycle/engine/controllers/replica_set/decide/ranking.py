"""Which pods go first on a scale-down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nsmallest

from ....objects.pods.pod import RUNNING, UNKNOWN, Pod
from ....objects.times import floor_to_second
from ....rules.workloads.deletion_costs import read_deletion_cost

# A pod without a phase is as one that is pending.
_PHASE_ORDER = {UNKNOWN: 1, RUNNING: 2}
_NEVER = -(1 << 62)

Rank = tuple[bool, int, bool, int, int, int, int, int, int, str]
_TO_READY_TIME = 6
"""So many parts of a rank come before those that count for equally long ready pods alone."""


def rank(
    pod: Pod,
    doubled_up: int,
    now_ms: int | None,
    use_cost: bool = True,
    use_logarithm: bool = True,
    is_new: bool = False,
    epoch_ms: int = 0,
) -> Rank:
    """The sort key: the pod with the smallest goes first.

    In order: unassigned; pending, then unknown; not ready; lower deletion cost; more related pods on its
    node (`doubled_up`); ready for a shorter time; more restarts; younger; and for the rest the uid, which
    is as good as random under a fixed seed. Times are of whole seconds, as the API tells them, and compare
    in buckets of log2 of their nanoseconds. Of pods in one bucket see `_Place`. A pod that `is_new` has no
    node yet for whom looks: it was its coming that asked for the look.
    """
    ready = pod.ready_condition
    is_ready = ready is not None and ready.status == "True"
    restarts, sidecar_restarts = count_restarts(pod)
    if not use_logarithm:
        now_ms = None
    return (
        pod.node_name != "" and not is_new,
        _PHASE_ORDER.get(pod.status.phase, 0),
        is_ready,
        deletion_cost(pod) if use_cost else 0,
        -doubled_up,
        age(floor(ready.last_transition_ms, epoch_ms), now_ms) if ready is not None and is_ready else 0,
        -restarts,
        -sidecar_restarts,
        age(floor(pod.meta.creation_ms, epoch_ms), now_ms),
        pod.meta.uid,
    )


def floor(instant_ms: int | None, epoch_ms: int) -> int | None:
    """An instant as the API tells it, in whole seconds: what happened in one second is equally old."""
    return None if instant_ms is None else floor_to_second(instant_ms, epoch_ms)


def age(since_ms: int | None, now_ms: int | None) -> int:
    """Comparable age: an unknown time counts as the youngest; without `now` exact times compare."""
    if since_ms is None:
        return _NEVER
    if now_ms is None:
        return -since_ms
    return ((now_ms - since_ms) * 1_000_000).bit_length() if now_ms > since_ms else 0


def first_of_age(since_ms: int, now_ms: int | None) -> int:
    """The earliest instant of the same age."""
    if now_ms is None:
        return since_ms
    if since_ms >= now_ms:
        return now_ms
    return now_ms - ((1 << age(since_ms, now_ms)) - 1) // 1_000_000


def deletion_cost(pod: Pod) -> int:
    """The annotated cost; absent or unreadable ones count as 0."""
    return read_deletion_cost(pod.meta.annotations) or 0


def count_restarts(pod: Pod) -> tuple[int, int]:
    """(most restarts of one container, most restarts of one sidecar)"""
    containers = pod.status.containers
    if len(containers) == 1:
        regular = containers[0].restart_count
    else:
        regular = max((status.restart_count for status in containers), default=0)
    if not pod.status.init_containers:
        return regular, 0
    sidecars = {container.name for container in pod.spec.init_containers if container.is_sidecar}
    return regular, max(
        (status.restart_count for status in pod.status.init_containers if status.name in sidecars), default=0
    )


def pods_to_delete(
    pods: Sequence[Pod],
    related_by_node: Mapping[str, int],
    count: int,
    now_ms: int | None,
    use_cost: bool = True,
    use_logarithm: bool = True,
    new_since_ms: int | None = None,
    epoch_ms: int = 0,
) -> list[Pod]:
    """The first `count` pods of the ranking; all of them as they come when none is to stay.

    Pods that were made since `new_since_ms` are new, and related to none: they are on no node yet.
    """
    if count >= len(pods):
        return list(pods)

    def place(pod: Pod) -> _Place:
        is_new = new_since_ms is not None and (pod.meta.creation_ms or 0) >= new_since_ms
        related = 0 if is_new else related_by_node.get(pod.node_name, 0)
        return _Place(pod, rank(pod, related, now_ms, use_cost, use_logarithm, is_new, epoch_ms), epoch_ms)

    return [one.pod for one in nsmallest(count, map(place, pods))]


class _Place:
    """A pod's place among others.

    Pods that have been ready since other seconds, as far as their bucket can tell equally long, go by their
    uids: more restarts and greater youth count among those of one second only (ActivePodsWithRanks.Less).
    """

    __slots__ = ("head", "pod", "ready_ms", "tail")

    def __init__(self, pod: Pod, of: Rank, epoch_ms: int) -> None:
        ready = pod.ready_condition
        self.pod, self.head, self.tail = pod, of[:_TO_READY_TIME], of[_TO_READY_TIME:]
        is_ready = ready is not None and ready.status == "True"
        self.ready_ms = floor(ready.last_transition_ms, epoch_ms) if ready is not None and is_ready else None

    def __lt__(self, other: _Place) -> bool:
        if self.head != other.head:
            return self.head < other.head
        if self.ready_ms != other.ready_ms:
            return self.pod.meta.uid < other.pod.meta.uid
        return self.tail < other.tail
