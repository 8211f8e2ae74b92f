"""What probes have to do with a container that has ended."""

from __future__ import annotations

from ...rules.probe_rules import SUCCESS, next_check_ms
from ..container_run import ContainerRun, ProbeRun
from ..parts import PROBE, Parts
from ..worker import PodWorker


def await_turn(parts: Parts, worker: PodWorker, run: ContainerRun, probed: ProbeRun) -> None:
    """Have the worker look when a check is due that finds its container ended.

    That turns a verdict that was good, and a verdict that turns is news (worker.doProbe).
    """
    if probed.state.result != SUCCESS or probed.state.on_hold or not parts.look_period_ms:
        return
    told_ms = parts.next_look_ms(worker.node, parts.now_ms + 1)
    due_ms = next_check_ms(probed.probe, probed.first_ms, told_ms + 1)
    parts.later(due_ms - parts.now_ms, PROBE, worker, run.container.name, is_progress=False)
