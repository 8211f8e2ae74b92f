"""Commands that people send into a container, as with `kubectl exec`.

A command runs where probes and hooks do, among the container's processes and on its files, but ahead in time
and alone: it has ended, or met its limit, at the instant it was sent. What it wrote comes back whole. One
whose input stays open, a session, runs as far as it comes each time that somebody writes to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lifecycle.lean_dataclasses import dataclass

from ..api.context import Context
from ..heart.errors import BadRequest
from ..objects.pods.pod import Pod
from ..programs import shell
from ..programs.process import Process
from ..programs.sights import find_exec_problem, tell_exec_problem
from .kubelet import Kubelets
from .state.container_run import ContainerRun
from .state.worker import PodWorker

if TYPE_CHECKING:
    from .connects import Met

LIMIT_MS = 60_000
"""A command that has not ended after so much virtual time is killed."""
TIMED_OUT, NOT_KNOWN = 137, 126
NO_READER = "the container's program takes no input: its `stdin` is not true, or the program is not modelled"
Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command wrote, and its exit code."""

    output: str
    errors: str
    exit_code: int | None
    """None of a session that goes on."""
    takes_ms: int
    problem: str = ""
    """Why the command could not be started, in the runtime's words."""

    def to_json(self, epoch_ms: int) -> Payload:
        """Plain data; no object of Kubernetes'."""
        return {
            "kind": "Exec",
            "apiVersion": "podline.dev/v1alpha1",
            "stdout": self.output,
            "stderr": self.errors,
            "exitCode": self.exit_code,
            "takesMs": self.takes_ms,
            "problem": self.problem,
        }


class Execs:
    """Carries out the commands `exec` and `connect`."""

    __slots__ = ("_context", "_kubelets")

    def __init__(self, context: Context, kubelets: Kubelets) -> None:
        self._context = context
        self._kubelets = kubelets

    def run(self, payload: Payload) -> tuple[int, Outcome]:
        """Run a command in a container that runs.

        Raises NotFound for no such pod, BadRequest for a container that does not run.
        """
        pod = self._context.store.require("Pod", payload.get("namespace") or "default", payload["pod"])
        assert isinstance(pod, Pod), "it was asked for by kind"
        worker = self._kubelets.workers.get(pod.kubelet_uid)
        name = payload.get("container") or pod.spec.containers[0].name
        run = worker.runs.get(name) if worker is not None else None
        if worker is None or run is None or run.process is None or run.process.exit is not None:
            raise BadRequest(f'container not found ("{name}")')
        return 200, self._run_in(worker, pod, run, run.process, payload)

    def connect(self, payload: Payload) -> tuple[int, Met]:
        """Connect to a port of a pod: of another module, which is loaded where somebody asks for it."""
        from .connects import connect

        return connect(self._context, self._kubelets, payload)

    def _run_in(
        self, worker: PodWorker, pod: Pod, run: ContainerRun, process: Process, payload: Payload
    ) -> Outcome:
        now_ms, words = self._context.clock.now_ms, payload["command"]
        world = self._kubelets.world(worker, run)
        if payload.get("isAttached"):
            machine = process.machine
            if machine is None or not shell.write_to_main(machine, _read_said(payload), now_ms, world):
                return Outcome("", "", None, 0, NO_READER)
            process.run(now_ms, world)
            self._kubelets.on_command(worker, run)
            return Outcome("", "", None, 0)
        given = _read_given(payload)
        is_first = isinstance(given, str) or given.is_first
        cause = find_exec_problem(process, words[0], now_ms, world) if is_first else ""
        if cause:
            problem = _without_code(tell_exec_problem(cause, world, run.container.name, now_ms, "exec"))
            return Outcome("", "", NOT_KNOWN, 0, f"error executing command in container: {problem}")
        machine = process.open_machine(now_ms, world)
        # Whoever asks is told what cannot be interpreted, also when others were told before.
        before, machine.problems = machine.problems, []
        found = process.command(words, given, LIMIT_MS, now_ms, world)
        problems = machine.problems
        machine.problems = [*before, *(one for one in problems if one not in before)]
        self._kubelets.on_command(worker, run)
        errors = found.errors + "".join(f"podline: {problem}\n" for problem in problems)
        is_session = not isinstance(given, str)
        if found.is_stopped or (found.status is None and not is_session):
            errors += f"podline: killed after {LIMIT_MS // 1000} s of virtual time\n"
        if found.status is None:
            return Outcome(found.output, errors, None if is_session else TIMED_OUT, found.takes_ms)
        # What could not be interpreted is no success.
        is_unknown = found.status == 0 and bool(problems)
        return Outcome(found.output, errors, NOT_KNOWN if is_unknown else found.status, found.takes_ms)


def _read_given(payload: Payload) -> str | shell.Said:
    """What the command reads: a text that is all of it, or what somebody says to a session."""
    text = payload.get("stdin") or ""
    if not payload.get("session"):
        return text
    return _read_said(payload)


def _read_said(payload: Payload) -> shell.Said:
    first, end, interrupt, terminal = (
        bool(payload.get(name)) for name in ("isFirst", "isEnd", "isInterrupt", "isTerminal")
    )
    text = payload.get("stdin") or ""
    return shell.Said(payload.get("session") or "", text, first, end, interrupt, terminal)


def _without_code(text: str) -> str:
    """What the runtime says, without the frame of the call that brought it."""
    return text.partition(" desc = ")[2]
