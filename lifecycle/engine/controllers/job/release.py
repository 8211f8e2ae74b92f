"""Letting go of tracked pods that no Job will ever count (JOB-FIN-05)."""

from __future__ import annotations

from ...api.context import Context
from ...objects.pods.pod import POD_KIND, Pod
from ...objects.workloads.job import JOB_KIND, TRACKING_FINALIZER, Job
from ...rules.actions import RemoveFinalizer
from ...rules.jobs.gates import JobGates
from ...rules.jobs.pods import is_tracked
from ..act import Act
from ..loop_controller import LoopController

NAME = "joborphan"


class JobPodReleaser(LoopController):
    """Keys are pods that keep a Job's finalizer and may have lost the Job."""

    name, source = NAME, "job-controller"
    kind = POD_KIND.id
    gathers = "controller_sync"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._gates = JobGates.read(context.features)

    def sync(self, namespace: str, name: str) -> None:
        """Take the finalizer off, unless a Job has taken the pod since."""
        pod = self.find(namespace, name)
        if isinstance(pod, Pod) and is_tracked(pod) and not self._is_kept(pod):
            self._act(RemoveFinalizer(pod, TRACKING_FINALIZER))

    def _is_kept(self, pod: Pod) -> bool:
        reference = pod.meta.controller
        if reference is None:
            return False
        if reference.kind_id != JOB_KIND.id:
            return True
        job = self._store.find(reference.uid)
        return isinstance(job, Job) and (not job.is_finished or self._gates.is_managed_elsewhere(job.spec))
