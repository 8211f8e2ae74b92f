"""Following Jobs to their end, and beyond."""

from __future__ import annotations

from ...api.context import Context
from ...heart.settings import read_offset_ms
from ...objects.workloads.job import JOB_KIND, Job
from ..act import Act
from ..loop_controller import LoopController


class TtlAfterFinishedController(LoopController):
    """Keys are finished Jobs with a limited time. It says nothing of what it does."""

    name, source = "ttlAfterFinished", "ttl-after-finished-controller"
    kind = JOB_KIND.id
    gathers = "controller_sync"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._offset_ms = read_offset_ms(context.settings.manager["ttlAfterFinishedClockOffset"])
        context.store.listen(JOB_KIND.id, self._on_job)

    def _on_job(self, old: Job | None, new: Job | None) -> None:
        if new is None or new.spec.ttl_seconds_after_finished is None or new.meta.deletion_ms is not None:
            return
        if new.is_finished:
            self._enqueue_object(new)

    def sync(self, namespace: str, name: str) -> None:
        """Delete the Job if it is time, else be there when it is."""
        from .decide import decide

        job, context = self.find(namespace, name), self._context
        if not isinstance(job, Job):
            context.loop.forget(self.name, namespace, name)
            return
        decision = decide(job, context.now_ms, context.clock.epoch_ms, self._offset_ms)
        self._do(decision.actions)
        if decision.is_failure:
            context.loop.retry(self.name, namespace, name)
            return
        context.loop.forget(self.name, namespace, name)
        if decision.recheck_at_ms is not None:
            context.loop.enqueue_at(self.name, namespace, name, decision.recheck_at_ms)
