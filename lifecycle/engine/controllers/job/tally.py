"""What a Job goes by of its pods, kept change by change, so that no look walks ten thousand of them.

Derived from the pods alone: after a load it is built again from them. Ended pods leave it once they are
counted in the Job's status, which takes their finalizer away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ...objects.meta import Key
from ...objects.pods.pod import FAILED, PENDING, RUNNING, SUCCEEDED, Pod
from ...objects.selector import Selector
from ...objects.workloads.job import FAIL_JOB, FailureRule, Job
from ...rules.jobs.failure_policy import judge
from ...rules.jobs.pods import NO_INDEX, count_restarts, is_tracked, read_index

ACTIVE, READY, TERMINATING, TRACKED, STRAY = 1, 2, 4, 8, 16
_OF_META = TRACKED | STRAY
# The phase of a pod that is not active.
_PHASES = {PENDING: 32, RUNNING: 64, SUCCEEDED: 128, FAILED: 256}
_NO_PHASE = 512
_ENDS = (SUCCEEDED, FAILED)


class JobTally:
    """The pods of one Job, counted. Maps with None as values are ordered sets of uids."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self._selector: Selector | None = None
        self._completions: int | None = None
        # The rules of failed pods, if one of them fails the Job.
        self._failing_rules: tuple[FailureRule, ...] = ()
        # The labels that were last found to match the selector.
        self._selected: Mapping[str, str] | None = None
        # The version of a pod that was followed last.
        self._followed: Pod | None = None
        self._clear()

    def _clear(self) -> None:
        # What counts of each pod that is of interest; its index, and its restarts in place, where it has any.
        self._bits: dict[str, int] = {}
        self._places: dict[str, int] = {}
        self._restarts: dict[str, int] = {}
        self.restarts = self.ready = self.terminating = 0
        self.active_pods: dict[str, None] = {}
        # Active or ending pods whose labels no longer match the selector.
        self.strays: dict[str, None] = {}
        # Pods that keep their finalizer, and those of them that have come to an end.
        self.tracked: dict[str, None] = {}
        self.ended: dict[str, None] = {}
        # Failed pods without the finalizer that a rule of the Job would still have it fail for.
        self.failing: dict[str, None] = {}
        # Of an Indexed Job: active pods by index, and how many of them are not the first of theirs.
        self.by_index: dict[int, dict[str, None]] = {}
        self.repeated = 0
        # Active pods whose index is none, or none any more.
        self.misplaced = 0
        # Pods that are being deleted, by index.
        self.going_by_index: dict[int, int] = {}

    @property
    def active(self) -> int:
        """How many pods are neither finished nor being deleted."""
        return len(self.active_pods)

    def describe_job(self, job: Job, pods: Callable[[], Iterable[Pod]]) -> None:
        """Take in a new Job, or a changed one; counts again where that matters."""
        selector, completions = job.spec.selector, job.spec.completions if job.spec.is_indexed else None
        known = self._selector
        if known is not None and known.raw == selector.raw and self._completions == completions:
            return
        self._selector, self._completions, self._selected = selector, completions, None
        rules = job.spec.failure_rules or ()
        self._failing_rules = rules if any(rule.action == FAIL_JOB for rule in rules) else ()
        self._clear()
        self._followed = None
        for pod in pods():
            self.change(None, pod)

    def change(self, old: Pod | None, new: Pod | None) -> bool:
        """Follow one change of an owned pod; whether anything that the Job goes by changed."""
        pod = new if new is not None else old
        assert pod is not None, "a change has an old or a new pod"
        uid = pod.meta.uid
        before = self._bits.get(uid, 0)
        if new is None:
            after = 0
        elif new is self._followed:
            # Of a pod that restarts in place two tell.
            return False
        elif before and old is not None and old.meta is new.meta:
            after = self._read_status(new, before & _OF_META)
        else:
            after = self._read(new)
            if after and self._completions is not None:
                before = self._take_place(uid, before, read_index(new))
        self._followed = new
        has_changed = before != after
        if has_changed:
            self._count(uid, before, after)
        if self._failing_rules:
            has_changed |= self._judge(uid, new)
        if pod.spec.restart_policy == "OnFailure":
            has_changed |= self._count_restarts(uid, count_restarts(pod) if after else 0)
        return has_changed

    def bind(self, _old: Pod, _new: Pod) -> bool:
        """Follow that a pod was bound: a Job does not go by that."""
        return False

    def _take_place(self, uid: str, before: int, place: int) -> int:
        """Keep the index of a pod; one that has moved counts as new. Returns what counts of it by then."""
        if place == self._places.get(uid, NO_INDEX):
            return before
        if before:
            self._count(uid, before, 0)
        self._places[uid] = place
        return 0

    def _read(self, pod: Pod) -> int:
        """What counts of a pod; 0 once it is of no more interest."""
        kept = TRACKED if is_tracked(pod) else 0
        if not self._selects(pod.meta.labels):
            kept |= STRAY
        return self._read_status(pod, kept)

    def _read_status(self, pod: Pod, of_meta: int) -> int:
        status = pod.status
        phase = status.phase
        if phase in _ENDS:
            return of_meta | _PHASES[phase] if of_meta else 0
        if pod.meta.deletion_ms is not None:
            return of_meta | TERMINATING | _PHASES.get(phase, _NO_PHASE)
        # The kubelet tells it last.
        for condition in reversed(status.conditions):
            if condition.type == "Ready":
                return of_meta | ACTIVE | (READY if condition.status == "True" else 0)
        return of_meta | ACTIVE

    def _selects(self, labels: Mapping[str, str]) -> bool:
        # Pods of the template share its labels.
        if labels is self._selected or self._selector is None:
            return True
        if not self._selector.matches(labels):
            return False
        self._selected = labels
        return True

    def _count(self, uid: str, before: int, after: int) -> None:
        changed = before ^ after
        if changed & READY:
            self.ready += 1 if after & READY else -1
        if changed & (ACTIVE | TERMINATING | TRACKED):
            self._file(uid, before, after)
        if changed & STRAY:
            _put(self.strays, uid, after & STRAY)
        if after:
            self._bits[uid] = after
        else:
            del self._bits[uid]
            if self._places:
                self._places.pop(uid, None)

    def _file(self, uid: str, before: int, after: int) -> None:
        """A pod that has come, has ended, or has been counted."""
        changed = before ^ after
        if changed & ACTIVE:
            _put(self.active_pods, uid, after & ACTIVE)
            self._count_index(uid, 1 if after & ACTIVE else -1)
        if changed & TRACKED:
            _put(self.tracked, uid, after & TRACKED)
        is_ended = after & (TRACKED | ACTIVE) == TRACKED
        if is_ended != (before & (TRACKED | ACTIVE) == TRACKED):
            _put(self.ended, uid, is_ended)
        if changed & TERMINATING:
            sign, place = (1 if after & TERMINATING else -1), self._places.get(uid, NO_INDEX)
            self.terminating += sign
            going = self.going_by_index[place] = self.going_by_index.get(place, 0) + sign
            if not going:
                del self.going_by_index[place]

    def _count_index(self, uid: str, sign: int) -> None:
        if self._completions is None:
            return
        index = self._places.get(uid, NO_INDEX)
        if not 0 <= index < self._completions:
            self.misplaced += sign
            return
        alike = self.by_index.setdefault(index, {})
        self.repeated -= max(0, len(alike) - 1)
        _put(alike, uid, sign > 0)
        self.repeated += max(0, len(alike) - 1)
        if not alike:
            del self.by_index[index]

    def _judge(self, uid: str, pod: Pod | None) -> bool:
        """Keep whether a pod that counts no more fails the Job; whether that is new (JOB-PFP-05)."""
        is_failing = pod is not None and pod.status.phase == FAILED and not is_tracked(pod)
        if is_failing and pod is not None:
            is_failing = judge(self._failing_rules, pod).message is not None
        if is_failing == (uid in self.failing):
            return False
        _put(self.failing, uid, is_failing)
        return True

    def _count_restarts(self, uid: str, restarts: int) -> bool:
        """Keep how often containers of a pod were restarted in place; whether that is new."""
        known = self._restarts.pop(uid, 0)
        if restarts:
            self._restarts[uid] = restarts
        self.restarts += restarts - known
        return restarts != known


def _put(uids: dict[str, None], uid: str, is_there: int) -> None:
    if is_there:
        uids[uid] = None
    else:
        del uids[uid]
