"""Speed `auto`: after each write a cluster runs until nothing is left to wait for, at once, and stands.

The next write enters when it stands, so that a history depends on what was written and in which order, and on
nothing that a wall clock says.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from lifecycle.engine import Cluster as Engine
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster
from lifecycle.runs.run_clock import LIMIT_MS, RunClock

Json = dict[str, Any]
AUTO = "auto"
RETRY_MS = 5 * 60_000
"""The longest back-off of a kubelet: by then whatever was tried again and again has seen the write."""
_COMMANDS = UUID("6f0b9f0e-6d0c-5a41-9d0c-5f3d1c1a7a43")
TAKING_AWAY = ("ttlAfterFinished", "job")
"""Who looks at a finished Job of limited life: it is not waited for that it goes."""
_GOING_ON = ("Pending", "Running")


def name_command(cluster: Cluster, order: int) -> UUID | None:
    """By what causes name a command: at `auto` the same in each cluster of a seed; None: by its own id."""
    return uuid5(_COMMANDS, f"{cluster.seed}/{order}") if cluster.is_auto else None


def begin_run(clock: RunClock) -> None:
    """Let time go on from where it stands, for a day at most."""
    clock.head_for(clock.anchor_instant_ms + LIMIT_MS, AUTO)


class Ending:
    """Says of an engine whether a run has nothing to wait for any more.

    A container that has failed often is tried again as upkeep. It may have waited for what was just written:
    it gets the time to try. A finished Job whose life is limited goes in the run of a later write: who has
    made it, such as helm for a hook, begins to look when it is answered, and is to find it finished.
    """

    def __init__(self, clock: RunClock) -> None:
        assert clock.run_until_ms is not None
        self._patient_until_ms = clock.run_until_ms - LIMIT_MS + RETRY_MS
        self._looked_at, self._is_any_trying = -1, False

    def __call__(self, engine: Engine) -> bool:
        if not engine.is_idle(TAKING_AWAY):
            return False
        if engine.now_ms >= self._patient_until_ms:
            return True
        if engine.head != self._looked_at:
            self._looked_at = engine.head
            self._is_any_trying = any(map(_is_trying, engine.list(POD_KIND.id)))
        return not self._is_any_trying


def _is_trying(pod: Json) -> bool:
    """Whether a pod has a node and is neither ready nor at its end."""
    if pod["metadata"].get("deletionTimestamp") or not pod["spec"].get("nodeName"):
        return False
    status = pod.get("status") or {}
    conditions = {one["type"]: one["status"] for one in status.get("conditions") or ()}
    return status.get("phase") in _GOING_ON and conditions.get("Ready") != "True"
