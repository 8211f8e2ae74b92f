"""Seeing a CronJob and its Jobs, and being there when the next run is due, which is upkeep."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...api.context import CRON_JOB_KEYS, Context
from ...heart.errors import AlreadyExists, ApiError
from ...objects.condition import find_condition
from ...objects.meta import StoredObject
from ...objects.workloads.cron_job import CRON_JOB_KIND, CronJob
from ...objects.workloads.job import FAILURE_TARGET, JOB_KIND, SUCCESS_CRITERIA_MET, Job
from ...releases.switches import MANY_MISSES_START
from ...rules.actions import CreateJson
from ...rules.event_sources import CRON_JOB
from ..act import Act
from ..loop_controller import LoopController

if TYPE_CHECKING:
    from .decide import Look, Manager, Seen


class CronJobController(LoopController):
    """Keys are CronJobs. They are looked at when they or their Jobs change, and just after a run is due."""

    name, source = CRON_JOB_KEYS, CRON_JOB
    kind = CRON_JOB_KIND.id

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        # uids of Jobs by namespace and their controller's name: Kubernetes asks for no more of them.
        self._jobs: dict[tuple[str, str], dict[str, None]] = {}
        # Looks that found nothing to do, by the CronJob's uid: until something changes, or a run is due.
        self._idle: dict[str, Look] = {}
        context.store.listen(CRON_JOB_KIND.id, self._on_cron_job)
        context.store.listen(JOB_KIND.id, self._on_job)

    @cached_property
    def _manager(self) -> Manager:
        from .decide import Manager

        context = self._context
        zone, starts = context.settings.manager["timeZone"], context.switches[MANY_MISSES_START]
        return Manager(context.clock.epoch_ms, zone, starts)

    def restore(self) -> None:
        """File the Jobs again, after a cluster was loaded."""
        for job in self._store.list(JOB_KIND.id):
            self._file(None, job)

    # --- what a change can affect ---------------------------------------------------------------------

    def _on_cron_job(self, old: CronJob | None, new: CronJob | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._idle.pop(old.meta.uid, None)
            return
        from .decide import decide_changed

        namespace, name, loop = new.meta.namespace or "", new.meta.name, self._context.loop
        due_ms, actions = decide_changed(old, new, self._context.now_ms, self._manager)
        self._do(actions)
        if due_ms is not None:
            loop.enqueue_at(self.name, namespace, name, due_ms, is_progress=False)

    def _on_job(self, old: Job | None, new: Job | None) -> None:
        if old is not None and new is not None and old.meta is new.meta:
            if old.is_finished or new.is_finished:
                self._idle.clear()
            owner = self._controller_of(new)
            if owner is not None:
                if _is_about_to_finish(old, new) and not self._context.loop.is_away(self.name):
                    # The Job's last write comes some ms later: this one is looked at by itself.
                    self.sync(*owner)
                self._context.loop.enqueue(self.name, *owner)
            return
        self._file(old, new)
        self._idle.clear()
        before = self._controller_of(old) if old is not None else None
        after = self._controller_of(new) if new is not None else None
        for cron_job in dict.fromkeys((before, after)):
            if cron_job is not None:
                self._context.loop.enqueue(self.name, *cron_job)

    def _file(self, old: StoredObject | None, new: StoredObject | None) -> None:
        from .decide import find_owner

        for job, is_there in ((old, False), (new, True)):
            owner = find_owner(job) if job is not None else None
            if job is None or owner is None:
                continue
            uids = self._jobs.setdefault(owner, {})
            if is_there:
                uids[job.meta.uid] = None
            else:
                uids.pop(job.meta.uid, None)

    def _controller_of(self, job: Job) -> tuple[str, str] | None:
        """The key of the CronJob that controls a Job, if it is there."""
        reference, namespace = job.meta.controller, job.meta.namespace or ""
        if reference is None or reference.kind_id != CRON_JOB_KIND.id:
            return None
        found = self.find(namespace, reference.name)
        return (namespace, reference.name) if found is not None and found.meta.uid == reference.uid else None

    # --- a look at one key ----------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Tidy up, follow the Jobs, start a run that is due, and ask for the look at the next one."""
        cron_job = self.find(namespace, name)
        if not isinstance(cron_job, CronJob):
            return
        look, is_well = self._idle.get(cron_job.meta.uid), True
        if look is None or not self._holds(look, cron_job):
            from .decide import decide

            look = decide(self._see(cron_job), self._context.now_ms, self._manager)
            is_well = self._carry_out(look)
        loop = self._context.loop
        if not is_well:
            loop.retry(self.name, namespace, name)
            return
        loop.forget(self.name, namespace, name)
        if look.wakes_ms is not None:
            loop.enqueue_at(self.name, namespace, name, look.wakes_ms, is_progress=False)

    def _holds(self, look: Look, cron_job: CronJob) -> bool:
        """Whether a look that found nothing to do would find nothing still, and come again as it said."""
        now_ms, steady_until_ms, wakes_ms = self._context.now_ms, look.steady_until_ms, look.wakes_ms
        return (
            look.cron_job is cron_job
            and steady_until_ms is not None
            and now_ms < steady_until_ms
            # Under a deadline `@every` counts from later on, and so a run that was waited for does not come.
            and (wakes_ms is None or now_ms < wakes_ms)
        )

    def _carry_out(self, look: Look) -> bool:
        """Do what a look leads to; whether that went well."""
        from .decide import decide_status

        self._do(look.actions)
        is_well = look.start is None or self._start(look, look.start)
        self._do(decide_status(look))
        if look.is_idle:
            self._idle[look.cron_job.meta.uid] = look
        return is_well

    def _see(self, cron_job: CronJob) -> Seen:
        from .decide import Seen

        namespace = cron_job.meta.namespace or ""
        filed = map(self._store.find, self._jobs.get((namespace, cron_job.meta.name), ()))
        jobs = [job for job in filed if isinstance(job, Job)]
        active = {one.get("name", "") for one in cron_job.status.active}
        found = {name: self._store.get(JOB_KIND.id, namespace, name) for name in sorted(active)}
        present = {name: job for name, job in found.items() if isinstance(job, Job)}
        return Seen(cron_job, jobs, present)

    def _start(self, look: Look, start: CreateJson) -> bool:
        """Make the Job of a run; whether that went well."""
        from .decide import decide_started

        try:
            self._act(start)
        except AlreadyExists:
            # Perhaps it was made before, and the status did not come to say so.
            pass
        except ApiError:
            return False
        job = self._store.get(JOB_KIND.id, look.cron_job.meta.namespace, start.name)
        decide_started(look, job if isinstance(job, Job) else None)
        return True


def _is_about_to_finish(old: Job, new: Job) -> bool:
    """Whether a write adds the condition after which only the finalizers of pods hold up a Job's end."""
    return not new.is_finished and any(
        find_condition(new.status.conditions, one) is not None
        and find_condition(old.status.conditions, one) is None
        for one in (SUCCESS_CRITERIA_MET, FAILURE_TARGET)
    )
