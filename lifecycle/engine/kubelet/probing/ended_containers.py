"""Probes of a container that has ended.

Until its kubelet has looked at its runtime again it is taken to run: a check in between meets nobody, or no
container to run a command in. The first probe that finds it ended changes a good result, and a changed one
starts a sync of the pod (worker.doProbe): the reason why the container waits is reported before its back-off
is over.
Left out: that a failure of such a check counts, of an end that is known a second later at most.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...objects.pods.pod import Pod
from ...objects.pods.probe import EXEC
from ...programs.sights import find_refusal
from ...rules.pods.probe_rules import SUCCESS, next_check_ms
from ..parts import PROBE, SOURCE, WARNING, Parts
from ..state.container_run import ContainerRun
from ..state.worker import PodWorker

_NO_WAKE_MS = -1
UNSEEN = "unseen "
"""How the timer of a check is told that it is of a container which has ended, and is taken to run."""
_EXITED = (
    "rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state"
)


def list_turns(parts: Parts, worker: PodWorker, run: ContainerRun) -> list[int]:
    """When checks of a run that ends now will turn good verdicts, in ms, in order."""
    if not run.probes:
        return []
    told_ms = parts.after_look_ms(worker)
    return sorted(
        next_check_ms(probed.probe, probed.first_ms, told_ms + 1)
        for probed in run.probes.values()
        if probed.state.result == SUCCESS and not probed.state.on_hold
    )


def list_unseen(parts: Parts, worker: PodWorker, run: ContainerRun) -> list[tuple[int, str]]:
    """The checks that a run which ends now has before its kubelet knows that: when, and of which kind."""
    if not run.probes or worker.is_ending:
        return []
    now_ms = parts.now_ms
    told_ms = parts.after_look_ms(worker)
    found = [
        (next_check_ms(probed.probe, probed.first_ms, now_ms + 1), kind)
        for kind, probed in run.probes.items()
        if probed.seen is None and not probed.state.on_hold
    ]
    return sorted((due_ms, kind) for due_ms, kind in found if due_ms < told_ms)


def await_unseen(
    parts: Parts, worker: PodWorker, run: ContainerRun, checks: Sequence[tuple[int, str]]
) -> None:
    """Make them in their time."""
    for due_ms, kind in checks:
        parts.later(
            due_ms - parts.now_ms, PROBE, worker, run.container.name, UNSEEN + kind, is_progress=False
        )


def on_unseen(parts: Parts, worker: PodWorker, pod: Pod, run: ContainerRun, kind: str) -> None:
    """A check meets what is no more: tell what it says."""
    probe = run.container.probe(kind)
    if probe is None or run.process is not None or worker.is_ending or parts.told_of(worker) is None:
        return
    if probe.kind == EXEC:
        what, message = "errored and resulted in unknown state", _EXITED
    else:
        # The pod has one network: another container may answer, and another host does anyway.
        others = [one.process for one in worker.runs.values() if one.process is not None]
        what, message = "failed", find_refusal(probe, run.container, pod.status.pod_ip, others, parts.now_ms)
    if message:
        text = f"{kind.capitalize()} probe {what}: {message}"
        parts.trace.event(pod.subject, WARNING, "Unhealthy", text, SOURCE, run.container.field_path)


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
