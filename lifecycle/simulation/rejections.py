"""Notices that a run goes round in circles: pods that no kubelet takes, replaced without end.

A ReplicaSet makes another pod for each that was rejected, and waits for nothing in between; so does a real
one, until somebody mends its template. A run with no instant to end at would go on for all of its day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lifecycle.engine.heart.trace import Version
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.rules.pods.rejections import is_rejected, tell_rejection

MOST_REJECTED = 1_000
"""So many rejected pods of one owner show where it leads."""
_PATIENT = (JOB_KIND.id, DAEMON_SET_KIND.id)
"""These wait longer after each failure, or give up."""


class Rejections:
    """Counts the rejected pods of each owner; `told` is a sentence once one has had too many."""

    def __init__(self) -> None:
        self.told = ""
        self._counts: Counter[str] = Counter()

    def take(self, versions: Iterable[Version]) -> None:
        """Count those of some writes."""
        for version in versions:
            pod = version.new
            if isinstance(pod, Pod) and is_rejected(pod) and not is_rejected(version.old):
                self._count(pod)

    def _count(self, pod: Pod) -> None:
        owner = pod.meta.controller
        if owner is None or owner.kind_id in _PATIENT:
            return
        self._counts[owner.uid] += 1
        if self._counts[owner.uid] == MOST_REJECTED and not self.told:
            self.told = (
                f"{owner.kind} {pod.meta.namespace}/{owner.name}: {MOST_REJECTED:,} of its pods were rejected"
                f" and replaced, and nothing ends that ({tell_rejection(pod)}); the run ends here, with an"
                " instant to end at (--until 10m) it goes on"
            )
