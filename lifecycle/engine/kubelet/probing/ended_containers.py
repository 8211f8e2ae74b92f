"""Probes of a container that has ended.

The first probe that finds it ended changes a good result, and a changed result starts a sync of the pod
(worker.doProbe). So the reason why the container waits is reported before its back-off is over.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...rules.pods.probe_rules import SUCCESS, next_check_ms
from ..parts import PROBE, Parts
from ..state.container_run import ContainerRun
from ..state.worker import PodWorker

_NO_WAKE_MS = -1


def list_turns(parts: Parts, worker: PodWorker, run: ContainerRun) -> list[int]:
    """When checks of a run that ends now will turn good verdicts, in ms, in order."""
    if not run.probes or not parts.relist_period_ms:
        return []
    told_ms = parts.next_relist_ms(worker.node, parts.now_ms + 1)
    return sorted(
        next_check_ms(probed.probe, probed.first_ms, told_ms + 1)
        for probed in run.probes.values()
        if probed.state.result == SUCCESS and not probed.state.on_hold
    )


def await_turns(parts: Parts, worker: PodWorker, run: ContainerRun, turns: Sequence[int]) -> None:
    """Wait for the first of them, in the place of a program's next act: there is no program now."""
    due_ms, *later = turns
    detail = ",".join(map(str, later))
    delay_ms = due_ms - parts.now_ms
    number, _ = parts.later(delay_ms, PROBE, worker, run.container.name, detail, is_progress=False)
    run.wake_timer = (number, _NO_WAKE_MS, False)


def on_turn(parts: Parts, worker: PodWorker, run: ContainerRun, later: str) -> None:
    """A verdict turns, if the container has not been started again."""
    if run.process is not None:
        return
    run.wake_timer = None
    if later:
        await_turns(parts, worker, run, [int(due_ms) for due_ms in later.split(",")])
    if not worker.is_ending:
        worker.must_act = True
        parts.touch(worker)
