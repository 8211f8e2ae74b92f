"""Counts of an owner's pods, kept change by change, so that no sync ever counts ten thousand pods.

Derived from the pods alone: after a load it is built again from them. A pod is *active* when it is neither
finished nor being deleted; *terminating* when being deleted and not finished; *unfinished* when its phase
is not final. A ready pod is available once it has been Ready for `minReadySeconds`. Finished pods are counted
for the owners that ask for it: a Job goes by them, a ReplicaSet is not told of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Protocol

from lifecycle.lean_dataclasses import dataclass, field

from ...heart.agenda import NEVER
from ...objects.meta import Key, OwnerReference
from ...objects.pods.pod import FAILED, PENDING, SUCCEEDED, UNKNOWN, Pod
from ...objects.selector import Selector
from ...objects.times import floor_to_second
from ...rules.workloads.deletion_costs import DELETION_COST

ACTIVE, READY, TERMINATING, UNFINISHED, LABELED, STRAY, COSTED, RANKED = 1, 2, 4, 8, 16, 32, 64, 128
_OF_META = ACTIVE | UNFINISHED | LABELED | STRAY | COSTED
_SELDOM = TERMINATING | COSTED
_BUT_READINESS = ~(READY | RANKED)


class OwnerTally:
    """The pods of one owner, counted."""

    def __init__(self, reference: OwnerReference, namespace: str, epoch_ms: int = 0) -> None:
        self._epoch_ms = epoch_ms
        self.key = (reference.kind, namespace, reference.name)
        self._bits: dict[str, int] = {}
        self._labels: dict[str, str] = {}
        self._selector: Selector | None = None
        self.min_ready_ms = 0
        self._clear()

    def _clear(self) -> None:
        self._bits.clear()
        self.active = self.ready = self.labeled = self.terminating = self.unfinished = self.costed = 0
        # When each ready pod becomes, or became, available (None: never), and which have yet to, as a heap.
        self._due_ms: dict[str, int | None] = {}
        self._unavailable: dict[str, None] = {}
        self._due_heap: list[tuple[int, str]] = []
        # Active pods by the class that scale-down ranks first: not assigned, pending or not ready …
        self.unranked: dict[str, None] = {}
        # … and the others by node, with since when each is ready (NEVER: unknown, the youngest).
        self.ranked: dict[str, dict[str, int]] = {}
        # The number of active pods by node.
        self.nodes: dict[str, int] = {}
        # Active pods whose labels no longer match the selector.
        self.strays: dict[str, None] = {}

    @property
    def available(self) -> int:
        """Ready for long enough, as of the last `advance`."""
        return self.ready - len(self._unavailable)

    @property
    def next_due_ms(self) -> int | None:
        """When the next ready pod becomes available, if nothing happens to it."""
        heap, due_ms = self._due_heap, self._due_ms
        while heap and (heap[0][1] not in self._unavailable or due_ms[heap[0][1]] != heap[0][0]):
            heappop(heap)
        return heap[0][0] if heap else None

    def advance(self, now_ms: int) -> None:
        """Count as available what has been ready long enough."""
        if not self._due_heap:
            return
        due_ms = self.next_due_ms
        while due_ms is not None and due_ms <= now_ms:
            del self._unavailable[heappop(self._due_heap)[1]]
            due_ms = self.next_due_ms

    def describe_owner(
        self,
        selector: Selector,
        labels: dict[str, str],
        min_ready_seconds: int,
        pods: Callable[[], Iterable[Pod]],
    ) -> bool:
        """Take the owner's selector, template labels and minReadySeconds; counts again if they changed."""
        min_ready_ms = min_ready_seconds * 1000
        known = self._selector
        is_same = known is not None and known.raw == selector.raw and self._labels == labels
        if is_same and self.min_ready_ms == min_ready_ms:
            return False
        self._selector, self._labels, self.min_ready_ms = selector, labels, min_ready_ms
        self._clear()
        for pod in pods():
            self.change(None, pod)
        return True

    def change(self, old: Pod | None, new: Pod | None) -> bool:
        """Follow one change of an owned pod; whether anything that is counted changed."""
        pod = new if new is not None else old
        assert pod is not None, "a change has an old or a new pod"
        uid = pod.meta.uid
        before = self._bits.get(uid, 0)
        if new is None:
            after = 0
        elif old is not None and old.meta is new.meta and before & ACTIVE:
            after = self._read_status(new, before & _OF_META)
            if after & ACTIVE and old.node_name == new.node_name:
                return self._turn(new, before, after)
        else:
            after = self._read(new)
        changed = before != after
        if changed:
            self._count(uid, before, after)
        was_on = old.node_name if old is not None and before & ACTIVE else ""
        is_on = new.node_name if new is not None and after & ACTIVE else ""
        if changed or was_on != is_on:
            self._place(pod, before, after, was_on, is_on)
        if (before | after) & READY and self.min_ready_ms:
            changed |= self._wait(uid, new if after & READY else None)
        return changed

    def _turn(self, pod: Pod, before: int, after: int) -> bool:
        """An active pod on the node that it was on may be ready now, or be so no longer."""
        uid, changed = pod.meta.uid, before ^ after
        if changed:
            self._bits[uid] = after
            if changed & READY:
                self.ready += 1 if after & READY else -1
            if changed & RANKED:
                self._rank(pod, before, after, pod.node_name, pod.node_name)
        has_moved = (before | after) & READY and self.min_ready_ms
        return bool(has_moved and self._wait(uid, pod if after & READY else None)) or changed != 0

    def bind(self, _old: Pod, new: Pod) -> bool:
        """A pod that was on no node, and of which nobody has said anything yet, is on one."""
        if self._bits.get(new.meta.uid, 0) & ACTIVE:
            self.nodes[new.node_name] = self.nodes.get(new.node_name, 0) + 1
        return False

    def _read(self, pod: Pod) -> int:
        meta = pod.meta
        if pod.status.phase in (SUCCEEDED, FAILED):
            return 0
        labels = meta.labels
        if meta.deletion_ms is not None:
            # One that matches no more is nobody's who terminates (FilterClaimedPods).
            is_stray = self._selector is not None and not self._selector.matches(labels)
            return UNFINISHED if is_stray else TERMINATING | UNFINISHED
        bits = ACTIVE | UNFINISHED
        # Pods of the template share its labels, which match the selector.
        if labels is self._labels:
            bits |= LABELED
        else:
            if all(labels.get(name) == value for name, value in self._labels.items()):
                bits |= LABELED
            if self._selector is not None and not self._selector.matches(labels):
                bits |= STRAY
        if DELETION_COST in meta.annotations:
            bits |= COSTED
        return self._read_status(pod, bits)

    def _read_status(self, pod: Pod, bits: int) -> int:
        """What the status adds to the bits of an active pod's metadata; its end takes their place."""
        status = pod.status
        phase = status.phase
        if phase in (SUCCEEDED, FAILED):
            return 0
        # The kubelet tells it last.
        for condition in reversed(status.conditions):
            if condition.type == "Ready":
                if condition.status != "True":
                    break
                is_running = phase not in (PENDING, UNKNOWN) and pod.node_name != ""
                return bits | READY | RANKED if is_running else bits | READY
        return bits

    def _count(self, uid: str, before: int, after: int) -> None:
        changed = before ^ after
        if changed & READY:
            self.ready += 1 if after & READY else -1
        if changed & _BUT_READINESS:
            if changed & ACTIVE:
                self.active += 1 if after & ACTIVE else -1
            if changed & UNFINISHED:
                self.unfinished += 1 if after & UNFINISHED else -1
            if changed & LABELED:
                self.labeled += 1 if after & LABELED else -1
            if changed & _SELDOM:
                self._count_seldom(changed, after)
        if after:
            self._bits[uid] = after
        else:
            del self._bits[uid]
        if after & STRAY:
            self.strays[uid] = None
        elif before & STRAY:
            del self.strays[uid]

    def _count_seldom(self, changed: int, after: int) -> None:
        if changed & TERMINATING:
            self.terminating += 1 if after & TERMINATING else -1
        if changed & COSTED:
            self.costed += 1 if after & COSTED else -1

    def _place(self, pod: Pod, before: int, after: int, was_on: str, is_on: str) -> None:
        if was_on != is_on:
            if was_on:
                self.nodes[was_on] -= 1
                if not self.nodes[was_on]:
                    del self.nodes[was_on]
            if is_on:
                self.nodes[is_on] = self.nodes.get(is_on, 0) + 1
        if (before ^ after) & (ACTIVE | RANKED) or (was_on != is_on and after & RANKED):
            self._rank(pod, before, after, was_on, is_on)

    def _rank(self, pod: Pod, before: int, after: int, was_on: str, is_on: str) -> None:
        uid = pod.meta.uid
        if before & ACTIVE:
            if before & RANKED:
                members = self.ranked[was_on]
                del members[uid]
                if not members:
                    del self.ranked[was_on]
            else:
                del self.unranked[uid]
        if after & ACTIVE:
            if after & RANKED:
                ready = pod.ready_condition
                since_ms = ready.last_transition_ms if ready is not None else None
                # In whole seconds, as the ranking has it.
                second_ms = NEVER if since_ms is None else floor_to_second(since_ms, self._epoch_ms)
                self.ranked.setdefault(is_on, {})[uid] = second_ms
            else:
                self.unranked[uid] = None

    def _wait(self, uid: str, ready_pod: Pod | None) -> bool:
        """Keep the instant at which a ready pod becomes available; a lost readiness starts it anew."""
        if ready_pod is None:
            self._unavailable.pop(uid, None)
            return self._due_ms.pop(uid, 0) != 0
        condition = ready_pod.ready_condition
        assert condition is not None, "a ready pod has the condition"
        since_ms = condition.last_transition_ms
        # The condition's time is kept in whole seconds, so those of one second become available at once:
        # ready at 5.9 s, with minReadySeconds 2, is available at 7 s (IsPodAvailable).
        due_ms = None if since_ms is None else floor_to_second(since_ms, self._epoch_ms) + self.min_ready_ms
        if self._due_ms.get(uid, 0) == due_ms:
            return False
        if due_ms is not None:
            heappush(self._due_heap, (due_ms, uid))
        self._due_ms[uid] = due_ms
        self._unavailable[uid] = None
        return True


class PodCount(Protocol):
    """What is counted of the pods of one owner, as its kind needs it. `key`: (kind, namespace, name)."""

    key: Key

    def change(self, old: Pod | None, new: Pod | None) -> bool:
        """Follow one change of an owned pod; whether anything that is counted changed."""

    def bind(self, old: Pod, new: Pod) -> bool:
        """Follow that the scheduler has bound an owned pod; whether anything that is counted changed."""


@dataclass(slots=True)
class Tally:
    """The tallies of owners by the owner's uid; `counts` are those of all kinds, also of their own ways."""

    epoch_ms: int = 0
    by_owner: dict[str, OwnerTally] = field(default_factory=dict)
    counts: dict[str, PodCount] = field(default_factory=dict)

    def of(self, reference: OwnerReference, namespace: str) -> OwnerTally:
        """The tally of an owner that exists, made at first sight of it."""
        found = self.by_owner.get(reference.uid)
        if found is None:
            found = self.by_owner[reference.uid] = OwnerTally(reference, namespace, self.epoch_ms)
            self.counts[reference.uid] = found
        return found

    def follow(self, uid: str, count: PodCount) -> None:
        """Have an owner's pods counted in another way."""
        self.counts[uid] = count

    def leave(self, uid: str) -> None:
        """Drop the count of an owner that is gone."""
        self.by_owner.pop(uid, None)
        self.counts.pop(uid, None)

    def on_pod_change(self, old: Pod | None, new: Pod | None) -> Sequence[PodCount]:
        """Follow one write to a pod; the owners for whom it changed a count."""
        before = self._owner(old) if old is not None else None
        after = self._owner(new) if new is not None else None
        if before is after:
            return (after,) if after is not None and after.change(old, new) else ()
        changed: list[PodCount] = []
        if before is not None and before.change(old, None):
            changed.append(before)
        if after is not None and after.change(None, new):
            changed.append(after)
        return changed

    def _owner(self, pod: Pod) -> PodCount | None:
        """The count of a pod's controller. Pods of an owner that is gone are no one's business."""
        reference = pod.meta.controller
        return None if reference is None else self.counts.get(reference.uid)
