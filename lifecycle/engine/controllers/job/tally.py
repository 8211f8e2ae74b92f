"""What a Job goes by of its pods, kept change by change, so that no look walks ten thousand of them.

Derived from the pods alone: after a load it is built again from them. Ended pods leave it once they are
counted in the Job's status, which takes their finalizer away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ...objects.job import Job
from ...objects.meta import Key
from ...objects.pod import Pod
from ...objects.selector import Selector
from ...rules.jobs.pods import count_restarts, is_tracked, read_index


class Facts(NamedTuple):
    """What counts of one pod. `place`: its index. `restarts`: in place. `phase`: if it is not active."""

    is_active: bool
    is_ready: bool
    is_terminating: bool
    is_tracked: bool
    is_stray: bool
    place: int
    restarts: int
    phase: str

    @property
    def is_ended(self) -> bool:
        """Whether it is finished or being deleted, and that is in no count yet."""
        return self.is_tracked and not self.is_active


class JobTally:
    """The pods of one Job, counted. Maps with None as values are ordered sets of uids."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self._selector: Selector | None = None
        self._completions: int | None = None
        # The labels that were last found to match the selector.
        self._selected: Mapping[str, str] | None = None
        self._clear()

    def _clear(self) -> None:
        self._facts: dict[str, Facts] = {}
        self.active = self.ready = self.terminating = 0
        self.active_pods: dict[str, None] = {}
        # Active or ending pods whose labels no longer match the selector.
        self.strays: dict[str, None] = {}
        # Pods that keep their finalizer, and those of them that have come to an end.
        self.tracked: dict[str, None] = {}
        self.ended: dict[str, None] = {}
        # Of an Indexed Job: active pods by index, and how many of them are not the first of theirs.
        self.by_index: dict[int, dict[str, None]] = {}
        self.repeated = 0
        # Active pods whose index is none, or none any more.
        self.misplaced = 0
        # Pods that are being deleted, by index.
        self.going_by_index: dict[int, int] = {}
        self.restarts = 0

    def describe_job(self, job: Job, pods: Callable[[], Iterable[Pod]]) -> None:
        """Take in a new Job, or a changed one; counts again where that matters."""
        selector, completions = job.spec.selector, job.spec.completions if job.spec.is_indexed else None
        known = self._selector
        if known is not None and known.raw == selector.raw and self._completions == completions:
            return
        self._selector, self._completions, self._selected = selector, completions, None
        self._clear()
        for pod in pods():
            self.change(None, pod)

    def change(self, old: Pod | None, new: Pod | None) -> bool:
        """Follow one change of an owned pod; whether anything that the Job goes by changed."""
        pod = new if new is not None else old
        assert pod is not None, "a change has an old or a new pod"
        uid = pod.meta.uid
        before = self._facts.get(uid)
        is_known = before is not None and before.is_active and old is not None and old.meta is pod.meta
        if is_known and new is not None and before is not None and not new.is_finished:
            return self._follow_status(uid, before, new)
        after = self._look(new) if new is not None else None
        if before == after:
            return False
        if before is not None:
            self._weigh(uid, before, -1)
        if after is None:
            del self._facts[uid]
        else:
            self._facts[uid] = after
            self._weigh(uid, after, 1)
        return True

    def _follow_status(self, uid: str, before: Facts, pod: Pod) -> bool:
        """Of an active pod that stays one its status alone has changed: whether that is of interest."""
        is_ready, restarts = pod.is_ready, self._count_restarts(pod)
        if before.is_ready == is_ready and before.restarts == restarts:
            return False
        self.ready += is_ready - before.is_ready
        self.restarts += restarts - before.restarts
        self._facts[uid] = before._replace(is_ready=is_ready, restarts=restarts)
        return True

    def _look(self, pod: Pod) -> Facts | None:
        """The facts of a pod; None once it is of no more interest."""
        is_active, is_tracked_still = pod.is_active, is_tracked(pod)
        is_stray = not self._selects(pod.meta.labels)
        is_terminating = not is_active and not pod.is_finished
        if not (is_active or is_terminating or is_tracked_still or is_stray):
            return None
        return Facts(
            is_active,
            is_active and pod.is_ready,
            is_terminating,
            is_tracked_still,
            is_stray,
            read_index(pod),
            self._count_restarts(pod),
            "" if is_active else pod.status.phase,
        )

    def _count_restarts(self, pod: Pod) -> int:
        return count_restarts(pod) if pod.spec.restart_policy == "OnFailure" else 0

    def _selects(self, labels: Mapping[str, str]) -> bool:
        # Pods of the template share its labels.
        if labels is self._selected or self._selector is None:
            return True
        if not self._selector.matches(labels):
            return False
        self._selected = labels
        return True

    def _weigh(self, uid: str, facts: Facts, sign: int) -> None:
        self.restarts += sign * facts.restarts
        self.ready += sign * facts.is_ready
        if facts.is_active:
            self.active += sign
            _put(self.active_pods, uid, sign)
            self._count_index(uid, facts.place, sign)
        if facts.is_terminating:
            self.terminating += sign
            going = self.going_by_index.get(facts.place, 0) + sign
            self.going_by_index[facts.place] = going
            if not going:
                del self.going_by_index[facts.place]
        if facts.is_tracked:
            _put(self.tracked, uid, sign)
        if facts.is_ended:
            _put(self.ended, uid, sign)
        if facts.is_stray:
            _put(self.strays, uid, sign)

    def _count_index(self, uid: str, index: int, sign: int) -> None:
        if self._completions is None:
            return
        if not 0 <= index < self._completions:
            self.misplaced += sign
            return
        alike = self.by_index.setdefault(index, {})
        self.repeated -= max(0, len(alike) - 1)
        _put(alike, uid, sign)
        self.repeated += max(0, len(alike) - 1)
        if not alike:
            del self.by_index[index]


def _put(uids: dict[str, None], uid: str, sign: int) -> None:
    if sign > 0:
        uids[uid] = None
    else:
        del uids[uid]
