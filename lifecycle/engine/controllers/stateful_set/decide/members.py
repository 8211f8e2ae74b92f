"""The pods of one StatefulSet by ordinal, counted and sorted change by change.

A look at a set of ten thousand pods asks for the first that is missing or not well, for the last that is
outdated, and for counts: all of that is here without walking the pods. Derived from the pods alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush

from lifecycle.lean_tuples import NamedTuple

from ....objects.names import REVISION_LABEL
from ....objects.pods.pod import FAILED, PENDING, RUNNING, SUCCEEDED, Pod
from ....objects.selector import Selector
from ....objects.times import floor_to_second
from .identity import POD_NAME_LABEL, has_volumes, ordinal_of
from .ordinals import Ordinals

_ENDS = (FAILED, SUCCEEDED)


class Member(NamedTuple):
    """What is counted of a pod. `since_ms`: when it became Ready, where that matters."""

    uid: str
    revision: str
    phase: str
    is_terminating: bool
    is_healthy: bool
    since_ms: int | None
    is_named: bool
    is_stored: bool

    @property
    def is_finished(self) -> bool:
        """Whether it has Failed or Succeeded."""
        return self.phase in _ENDS

    @property
    def is_over(self) -> bool:
        """Whether it has ended by itself, and waits to be deleted."""
        return not self.is_terminating and self.phase in _ENDS


_NOBODY = Member("", "", "", True, False, None, True, True)


class Members:
    """Kept by `change`. A healthy member (Running and Ready) is available after `min_ready_ms`."""

    def __init__(self, kind: str, namespace: str, name: str, epoch_ms: int = 0) -> None:
        self._epoch_ms = epoch_ms
        self.key = (kind, namespace, name)
        self._name = name
        self._selector = Selector(None)
        self._min_ready_ms = 0
        self.claim_names: Sequence[str] = ()
        # Ordinals whose claims are to be looked at, and those where they are not as they should be.
        self.dirty: dict[int, None] = {}
        self.mismatched = Ordinals()
        self._clear()

    def _clear(self) -> None:
        self._members: dict[int, Member] = {}
        self._ordinals: dict[str, int] = {}
        self.present = Ordinals()
        # Present, but going, finished or not available; Failed or Succeeded, not going.
        self.unsettled, self.finished = Ordinals(), Ordinals()
        # Without the label that names them; without volumes for their claims.
        self.misnamed, self.unstored = Ordinals(), Ordinals()
        # Those that are not going, by their revision; how many of a revision there are at all.
        self.by_revision: dict[str, Ordinals] = {}
        self.live: dict[str, int] = {}
        # uids of pods that match the selector no more, or that no member would be named as.
        self.strays: dict[str, None] = {}
        self.ready = 0
        # When healthy members that are not available yet are to be, and the same as a heap.
        self._waiting: dict[int, int | None] = {}
        self._due_heap: list[tuple[int, int]] = []

    # --- what is asked ------------------------------------------------------------------------------------

    def __getitem__(self, ordinal: int) -> Member:
        return self._members[ordinal]

    def __contains__(self, ordinal: int) -> bool:
        return ordinal in self._members

    @property
    def available(self) -> int:
        """Healthy for long enough, as of the last `advance`."""
        return self.ready - len(self._waiting)

    def count_of(self, revision: str) -> int:
        """How many that are not going are of a revision."""
        return len(self.by_revision.get(revision, ()))

    def outdated(self, revision: str, low: int, high: int) -> Iterator[int]:
        """Those of a range that are of another revision and not going, highest first."""
        others = [one.falling_within(low, high) for name, one in self.by_revision.items() if name != revision]
        if len(others) == 1:
            return others[0]
        return iter(sorted((ordinal for one in others for ordinal in one), reverse=True))

    @property
    def next_due_ms(self) -> int | None:
        """When the next healthy member becomes available, if nothing happens to it."""
        heap, waiting = self._due_heap, self._waiting
        while heap and waiting.get(heap[0][1]) != heap[0][0]:
            heappop(heap)
        return heap[0][0] if heap else None

    # --- what is kept -------------------------------------------------------------------------------------

    def advance(self, now_ms: int) -> None:
        """Count as available what has been healthy long enough."""
        if not self._due_heap:
            return
        due_ms = self.next_due_ms
        while due_ms is not None and due_ms <= now_ms:
            ordinal = heappop(self._due_heap)[1]
            del self._waiting[ordinal]
            if not self._members[ordinal].is_terminating:
                self.unsettled.discard(ordinal)
            due_ms = self.next_due_ms

    def describe(self, selector: Selector, min_ready_seconds: int, pods: Callable[[], Iterable[Pod]]) -> None:
        """Take the set's selector and minReadySeconds; counts again if they changed."""
        min_ready_ms = min_ready_seconds * 1000
        if self._selector.raw == selector.raw and self._min_ready_ms == min_ready_ms:
            return
        self._selector, self._min_ready_ms = selector, min_ready_ms
        self._clear()
        for pod in pods():
            self.change(None, pod)

    def change(self, old: Pod | None, new: Pod | None) -> bool:
        """Follow one change of a pod that the set controls; whether anything that is counted changed."""
        if old is not None and new is not None and old.meta is new.meta:
            return self._change_status(new)
        pod = new if new is not None else old
        assert pod is not None, "a change has an old or a new pod"
        # Whoever was counted once keeps its name.
        ordinal = self._ordinals.get(pod.meta.uid)
        if ordinal is None:
            ordinal = ordinal_of(self._name, pod.meta.name)
        has_strayed = self._note_stray(ordinal, old, new)
        if ordinal is None:
            return has_strayed
        before = self._members.get(ordinal)
        after = self._read(new, ordinal, before) if new is not None else None
        return self._follow(ordinal, before, after) or has_strayed

    def bind(self, _old: Pod, _new: Pod) -> bool:
        """Follow that a pod was bound: nobody counts where they are."""
        return False

    def _change_status(self, pod: Pod) -> bool:
        """Most changes: who the pod is stays, and how it is may have changed."""
        ordinal = self._ordinals.get(pod.meta.uid)
        if ordinal is None:
            return False
        before = self._members[ordinal]
        is_healthy, since_ms = self._read_health(pod)
        phase = pod.status.phase or PENDING
        if before.phase == phase and before.is_healthy == is_healthy and before.since_ms == since_ms:
            return False
        uid, revision, _, is_terminating, _, _, is_named, is_stored = before
        after = Member(uid, revision, phase, is_terminating, is_healthy, since_ms, is_named, is_stored)
        return self._follow(ordinal, before, after)

    def _follow(self, ordinal: int, before: Member | None, after: Member | None) -> bool:
        if before == after:
            return False
        self._count(ordinal, before, after)
        if self.claim_names and (before is None or after is None or before.phase != after.phase):
            self.dirty[ordinal] = None
        return True

    def _note_stray(self, ordinal: int | None, old: Pod | None, new: Pod | None) -> bool:
        """Keep the strays; whether this is a new one."""
        if new is None:
            if old is not None:
                self.strays.pop(old.meta.uid, None)
            return False
        uid, labels = new.meta.uid, new.meta.labels
        if old is not None and old.meta.labels is labels:
            return False
        if ordinal is not None and self._selector.matches(labels):
            self.strays.pop(uid, None)
            return False
        is_new = uid not in self.strays
        self.strays[uid] = None
        return is_new

    def _read(self, pod: Pod, ordinal: int, before: Member | None) -> Member:
        meta = pod.meta
        is_healthy, since_ms = self._read_health(pod)
        return Member(
            meta.uid,
            meta.labels.get(REVISION_LABEL, ""),
            pod.status.phase or PENDING,
            meta.deletion_ms is not None,
            is_healthy,
            since_ms,
            meta.labels.get(POD_NAME_LABEL) == meta.name and meta.namespace == self.key[1],
            # Its volumes stay for life.
            before.is_stored
            if before is not None and before.uid == meta.uid
            else not self.claim_names or has_volumes(pod, self._name, self.claim_names, ordinal),
        )

    def _read_health(self, pod: Pod) -> tuple[bool, int | None]:
        """Whether a pod is Running and Ready, and since when, where that matters."""
        condition = pod.ready_condition if pod.status.phase == RUNNING else None
        if condition is None or condition.status != "True":
            return False, None
        return True, condition.last_transition_ms if self._min_ready_ms else None

    def _count(self, ordinal: int, before: Member | None, after: Member | None) -> None:
        if before is None or after is None or before.uid != after.uid:
            self._count_pod(ordinal, before, after)
        was, now = before or _NOBODY, after or _NOBODY
        if after is not None:
            self._members[ordinal] = after
        if was.is_healthy or now.is_healthy:
            self.ready += now.is_healthy - was.is_healthy
            self._wait(ordinal, now)
        is_well = now.is_healthy and not now.is_terminating and ordinal not in self._waiting
        self.unsettled.put(ordinal, after is not None and not is_well)
        if was.phase in _ENDS or now.phase in _ENDS:
            self.finished.put(ordinal, now.is_over)
        if was.is_named != now.is_named:
            self.misnamed.put(ordinal, not now.is_named)
        if was.is_stored != now.is_stored:
            self.unstored.put(ordinal, not now.is_stored)
        if was.revision != now.revision or was.is_terminating != now.is_terminating:
            self._count_revision(ordinal, before, -1)
            self._count_revision(ordinal, after, 1)

    def _count_pod(self, ordinal: int, before: Member | None, after: Member | None) -> None:
        """There is one, or there is one no more."""
        if before is not None:
            del self._ordinals[before.uid]
        if after is not None:
            self._ordinals[after.uid] = ordinal
            self.present.add(ordinal)
        else:
            del self._members[ordinal]
            self.present.discard(ordinal)

    def _count_revision(self, ordinal: int, member: Member | None, sign: int) -> None:
        if member is None:
            return
        name = member.revision
        number = self.live.get(name, 0) + sign
        if number:
            self.live[name] = number
        else:
            del self.live[name]
        if member.is_terminating:
            return
        alike = self.by_revision.get(name)
        if alike is None:
            alike = self.by_revision[name] = Ordinals()
        alike.put(ordinal, sign > 0)
        if not alike:
            del self.by_revision[name]

    def _wait(self, ordinal: int, member: Member) -> None:
        """Keep when a healthy member becomes available; a lost readiness starts the wait anew."""
        self._waiting.pop(ordinal, None)
        if not self._min_ready_ms or not member.is_healthy:
            return
        # The condition's time is kept in whole seconds, so those of one second become available at once.
        since_ms = member.since_ms
        due_ms = None if since_ms is None else floor_to_second(since_ms, self._epoch_ms) + self._min_ready_ms
        self._waiting[ordinal] = due_ms
        if due_ms is not None:
            heappush(self._due_heap, (due_ms, ordinal))
