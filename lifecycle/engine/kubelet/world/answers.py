"""What a connection to a pod meets: a program that takes it, nobody who listens, or no network any more."""

from __future__ import annotations

from ...api.connections import ACCEPTS, REFUSES, SILENT, Answer
from ...programs import Process
from ..state.container_run import ContainerRun
from ..state.worker import PodWorker

NO_ANSWER = Answer(SILENT)
Running = tuple[ContainerRun, Process]


def find_answer(worker: PodWorker, port: int, now_ms: int, stays_ms: int) -> Answer:
    """What a new connection to a port of a pod meets now; its machine is on.

    `stays_ms`: how long the network of a pod that ends is there after its last container.
    """
    runs = [(run, run.process) for run in worker.runs.values() if run.process is not None]
    if not runs:
        return _answer_of_ended(worker, now_ms, stays_ms)
    if not (worker.runtime.sandbox_ready or worker.spec.host_network):
        return NO_ANSWER
    taking = [one for one in runs if one[1].listens_on(port, now_ms)]
    if taking:
        # One that is known to listen there before those that are taken to, on every port.
        known = (one for one in taking if one[1].holds_port(port, now_ms))
        return Answer(ACCEPTS, _name(next(known, taking[0])))
    closing = next((one for one in runs if _is_closing(one[1], port)), None)
    if closing is not None:
        return Answer(REFUSES, _name(closing), None, _drops_requests(closing[1]))
    openings = [_find_opening_ms(process, port, now_ms) for _run, process in runs]
    return Answer(REFUSES, "", min((one for one in openings if one is not None), default=None))


def _answer_of_ended(worker: PodWorker, now_ms: int, stays_ms: int) -> Answer:
    """No container runs: of a pod that ends the network goes as well, in a while."""
    if not worker.is_ending or worker.spec.host_network:
        return Answer(REFUSES) if worker.runtime.sandbox_ready else NO_ANSWER
    gone_ms = max((run.ended_ms for run in worker.runs.values()), default=0) + stays_ms
    return Answer(REFUSES, "", gone_ms) if gone_ms > now_ms else NO_ANSWER


def _name(running: Running) -> str:
    return f"{running[0].container.name}/{running[0].attempt}"


def _find_opening_ms(process: Process, port: int, now_ms: int) -> int | None:
    """When it begins to take connections to a port, as far as is known beforehand."""
    if process.exit is not None or process.closed_ms is not None or not process.serves(port):
        return None
    opens_ms = process.ready_ms if process.binds_ms is None else process.binds_ms
    return opens_ms if opens_ms > now_ms else None


def _is_closing(process: Process, port: int) -> bool:
    """Whether it lives, and takes connections to a port no more because of its stop signal."""
    return process.closed_ms is not None and process.exit is None and process.serves(port)


def _drops_requests(process: Process) -> bool:
    """Whether requests that were under way at its stop signal have been dropped."""
    plan = process.behavior.on_term
    return process.closed_ms is not None and plan is not None and not plan.finishes
