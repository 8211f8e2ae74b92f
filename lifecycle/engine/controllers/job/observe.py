"""Seeing what a Job's decision needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...objects.selector import Selector
from ...objects.workloads.job import TRACKING_FINALIZER, Job
from ...rules.actions import Decision, Tried
from ...rules.event_sources import JOB
from ...rules.jobs.backoff import NO_FAILURES, Failures
from ...rules.jobs.gates import JobGates
from ...rules.jobs.pods import is_tracked
from ..act import Act
from ..loop_controller import Remembering
from ..owner.orphans import list_by_age
from ..owner.pods import PodOwnerController, PodOwners
from . import release

if TYPE_CHECKING:
    from .decide import Look, SeenPods
    from .tally import JobTally


class JobController(PodOwnerController[Job], Remembering):
    """Keys are Jobs. What happens to pods is gathered for a while; a new or changed Job is looked at soon."""

    name, kind, source = "job", "Job", JOB
    owner_class = Job
    gathers = "job_sync"
    adopts_with = (TRACKING_FINALIZER,)
    retry_ms = (60_000, 1_000)

    def __init__(self, context: Context, act: Act, pods: PodOwners) -> None:
        self._gates = JobGates.read(context.features)
        self._soon_ms = context.timing.spread("controller_sync")[1]
        self._batch_ms = context.timing.spread(self.gathers)[1]
        self._hears_of_restarts = False
        self._tallies: dict[str, JobTally] = {}
        # Of the Job that is looked at now: what was made of it before some of its pods were made.
        self._look: Look | None = None
        # What the back-off goes by, by the Job's uid: it lives as long as a controller does.
        self._failures: dict[str, Failures] = {}
        super().__init__(context, act, pods)

    def selector_of(self, owner: Job) -> Selector:
        """Which pods the Job looks for."""
        return owner.spec.selector

    def describe(self, owner: Job) -> None:
        """Count the Job's pods."""
        from .tally import JobTally

        uid = owner.meta.uid
        tally = self._tallies.get(uid)
        if tally is None:
            tally = self._tallies[uid] = JobTally(owner.key)
            self._tally.follow(uid, tally)
        tally.describe_job(owner, lambda: self.list_controlled(uid))
        if owner.spec.template.spec.restart_policy == "OnFailure" and not self._hears_of_restarts:
            # A restart alone is no change of note; only such Jobs go by it.
            self._hears_of_restarts = True
            self._store.listen("Pod", self._on_detail)

    def forget(self, uid: str) -> None:
        """Drop the count of a Job that is gone, and let its pods go."""
        for pod_uid in self._tallies.pop(uid).tracked:
            self._let_go(self._store.pods[pod_uid])
        self._failures.pop(uid, None)
        super().forget(uid)

    def save(self) -> dict[str, list[int | None]]:
        """The failures that Jobs wait for, as plain data."""
        return {uid: list(failures) for uid, failures in self._failures.items()}

    def load(self, data: Any) -> None:
        """Go on from what `save` described; what cannot be read is forgotten."""
        for uid, entry in data.items() if isinstance(data, dict) else ():
            if isinstance(entry, list) and len(entry) == 2 and all(isinstance(one, int) for one in entry):
                self._failures[uid] = Failures(*entry)

    def list_strays(self, owner: Job) -> Sequence[Pod]:
        """Its pods that match no more."""
        strays = self._tallies[owner.meta.uid].strays
        return list_by_age(self._store.pods.get, strays) if strays else ()

    # --- what a change can affect ---------------------------------------------------------------------

    def _on_owner(self, old: StoredObject | None, new: StoredObject | None) -> None:
        super()._on_owner(old, new)
        if new is None or new.key == self._busy:
            return
        if old is None or old.meta.generation != new.meta.generation:
            soon_ms = self._context.now_ms + self._soon_ms
            self._context.loop.enqueue_at(self.name, new.meta.namespace or "", new.meta.name, soon_ms)

    def _on_detail(self, old: Pod | None, new: Pod | None) -> None:
        """Containers that restart in place may do so without the pod's changing otherwise."""
        if old is None or new is None or old.meta is not new.meta or new.meta.controller is None:
            return
        if old.status.containers is new.status.containers and not new.status.init_containers:
            return
        tally = self._tallies.get(new.meta.controller.uid)
        if tally is not None and tally.change(old, new):
            self.on_count(tally)

    def note_orphan(self, free: StoredObject) -> None:
        """A pod that nobody controls: a Job may adopt it, and no Job that has lost it counts its end."""
        super().note_orphan(free)
        if isinstance(free, Pod) and is_tracked(free):
            self._let_go(free)

    def _let_go(self, pod: Pod) -> None:
        self._context.loop.enqueue(release.NAME, pod.meta.namespace or "", pod.meta.name)

    # --- a look at one key ----------------------------------------------------------------------------

    def _look_at(self, owner: Job, namespace: str, name: str) -> None:
        """As with any owner; what is managed elsewhere is left alone altogether."""
        if not self._gates.is_managed_elsewhere(owner.spec):
            super()._look_at(owner, namespace, name)

    def decide(self, owner: Job, tried: Tried) -> Decision:
        """The next batch of pods, or what the status says once they are there."""
        from .decide import Seen, decide

        uid = owner.meta.uid
        failures = self._failures.get(uid, NO_FAILURES)
        look = self._look if tried.calls else None
        seen = Seen(
            owner,
            self._see_pods(owner),
            failures,
            tried,
            self._gates,
            self._batch_ms,
            look=look,
            epoch_ms=self._context.clock.epoch_ms,
        )
        decision = decide(seen, self._context.now_ms)
        self._look = decision.look
        if owner.is_finished or decision.failures == NO_FAILURES:
            self._failures.pop(uid, None)
        elif decision.failures is not None:
            self._failures[uid] = decision.failures
        return decision

    def _see_pods(self, owner: Job) -> SeenPods:
        from .decide import SeenPods

        tally, find = self._tallies[owner.meta.uid], self._store.pods.get
        return SeenPods(
            tally.active,
            tally.ready,
            tally.terminating,
            tally.restarts,
            list_by_age(find, tally.ended) if tally.ended else (),
            tally.tracked,
            lambda: list_by_age(find, tally.active_pods),
            lambda: list_by_age(find, tally.tracked),
            tally.by_index,
            tally.going_by_index,
            bool(tally.repeated or tally.misplaced),
            list_by_age(find, tally.failing) if tally.failing else (),
        )
