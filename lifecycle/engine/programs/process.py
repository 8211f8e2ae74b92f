"""A container's main process in virtual time: when it ends, what probes see, what signals and hooks do.

A process is plain data. It wakes only when due: `next_wake_ms` says when, `run` does what is due then. It
never looks at a clock and holds no reference to its world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.userland.guesses import SIGNAL
from lifecycle.userland.signals import HARMLESS
from lifecycle.userland.world import Exit, World

from ..objects.pods.container import Container
from ..objects.pods.probe import Probe
from . import shell
from .behavior import Behavior, HookPlan
from .compiled import digest_scripts
from .durations import Duration
from .images.sources import shell_flavour
from .protocol import HookRun, Served, Sight
from .sights import (
    Points,
    find_exec_problem,
    find_request_problem,
    sight_of_points,
    sight_of_program,
    tell_exec_problem,
)

_KILL_STATUS, _KILL = 137, 9
_MOST_SAID, _KEPT_LINES = 1024, 80
_ENDING = ("TERM", "INT", "QUIT")
_HOOKS = {"postStart": "post_start", "preStop": "pre_stop"}
_NO_POINTS: Mapping[str, Points] = {}


class Process:
    """One run of a container. Made by `starting.start_process`; instants in ms since the cluster's epoch."""

    __slots__ = (
        "attempt",
        "behavior",
        "binds_ms",
        "changes",
        "closed_ms",
        "container",
        "ends",
        "exit",
        "hooks",
        "machine",
        "output",
        "probe_points",
        "ready_ms",
        "started_ms",
        "tail",
        "told",
        "usage_points",
    )

    def __init__(self, behavior: Behavior, container: Container, attempt: int, started_ms: int) -> None:
        self.behavior = behavior
        self.container = container
        self.attempt = attempt
        self.started_ms = started_ms
        self.exit: Exit | None = None
        self.ends: Exit | None = None
        """The end that is due, unless something comes before it."""
        self.machine: shell.Machine | None = None
        """The container's processes, once something runs in it that is interpreted."""
        self.ready_ms = started_ms
        self.binds_ms: int | None = None
        """When the program will bind its ports; None when it has, or needs none that can be taken."""
        self.closed_ms: int | None = None
        """Since when it takes no new connections because of its stop signal."""
        self.hooks: dict[str, HookRun] = {}
        self.output: list[tuple[int, str]] = []
        self.told = 0
        """How many of the machine's problems have been taken."""
        self.probe_points: Mapping[str, Points] = _NO_POINTS
        self.usage_points: Sequence[tuple[int, int, int]] = ()
        self.changes = 0
        self.tail: list[str] = []

    @property
    def version(self) -> int:
        """Grows when anything changes that a probe could see."""
        return self.changes + (self.machine.version if self.machine is not None else 0)

    def next_wake_ms(self) -> int | None:
        """When `run` has something to do; None when nothing is due ever, or the process has ended."""
        if self.exit is not None:
            return None
        due = self.ends.at_ms if self.ends is not None else None
        if self.binds_ms is not None and (due is None or self.binds_ms < due):
            due = self.binds_ms
        machine_due = self._machine_due_ms()
        if due is None or machine_due is None:
            return machine_due if due is None else due
        return min(due, machine_due)

    def _machine_due_ms(self) -> int | None:
        machine = self.machine
        if machine is None:
            return None
        # Another container may have signalled, or ended, what runs here.
        if machine.exit is not None or machine.passed_signals:
            return machine.now_ms
        return shell.next_wake_ms(machine)

    def run(self, now_ms: int, world: World) -> None:
        """Do everything due at this instant."""
        if self.exit is not None:
            return
        if self.machine is not None:
            shell.run_machine(self.machine, now_ms, world)
            self._collect(now_ms, world)
        if self.binds_ms is not None and self.binds_ms <= now_ms:
            self._bind(now_ms, world)
        if self.exit is None and self.ends is not None and self.ends.at_ms <= now_ms:
            self._finish(self.ends)

    def _bind(self, now_ms: int, world: World) -> None:
        """The containers of a pod share its ports: whoever comes second ends with an error."""
        ports = self.behavior.binds
        is_taken = any(world.connect("localhost", port, now_ms).is_held for port in ports)
        self.binds_ms = None
        if is_taken and self.exit is None:
            self._finish(Exit(now_ms, 1))

    def signal(self, now_ms: int, name: str, world: World) -> None:
        """Deliver a signal to process 1. A process that has ended takes none."""
        if self.exit is not None:
            return
        if name.removeprefix("SIG") == "KILL":
            self._finish(Exit(now_ms, _KILL_STATUS, None, _KILL))
            return
        if self.behavior.on_term is None:
            self._signal_machine(now_ms, name.removeprefix("SIG"), world)
        else:
            self._end_by_plan(now_ms, world)
            self.run(now_ms, world)

    def _signal_machine(self, now_ms: int, name: str, world: World) -> None:
        machine = self.machine
        if machine is None or machine.main is None:
            return
        machine.enter(now_ms, world)
        machine.signal(machine.main, name, is_from_outside=True)
        machine.leave()
        self.run(now_ms, world)

    def probe(
        self, probe_type: str, probe: Probe, now_ms: int, world: World, others: Sequence[Process] = ()
    ) -> Sight:
        """What a check sees now, and until when that is certain. `others`: those of its pod."""
        points = self.probe_points.get(probe_type)
        if points:
            return sight_of_points(points, probe, now_ms)
        return sight_of_program(self, probe, now_ms, world, others)

    def hook(self, kind: str, handler: Mapping[str, Any], now_ms: int, world: World) -> HookRun:
        """Start `postStart` or `preStop`; its end may be known only after some `run` of the process."""
        plan: HookPlan | None = getattr(self.behavior, _HOOKS[kind])
        if plan is not None:
            takes_ms = self.draw_ms(plan.takes, world, "hook", kind)
            run = HookRun(kind, now_ms + takes_ms, plan.exit)
        elif "sleep" in handler:
            run = HookRun(kind, now_ms + 1000 * int((handler["sleep"] or {}).get("seconds") or 0))
        elif "exec" in handler:
            arguments = [str(word) for word in handler["exec"].get("command") or ()]
            run = self._start_command(kind, arguments, now_ms, world)
        else:
            run = self._request(kind, handler, now_ms, world)
        self.hooks[kind] = run
        return run

    def command(
        self, arguments: list[str], given: str | shell.Said, limit_ms: int, now_ms: int, world: World
    ) -> shell.CommandResult:
        """Run somebody's command among the container's processes, to its end or its limit, at once."""
        machine, folder = self.open_machine(now_ms, world), self.folder
        if isinstance(given, str):
            result = shell.run_command(machine, arguments, folder, given, now_ms, limit_ms, world)
        else:
            result = shell.converse(machine, arguments, folder, given, now_ms, limit_ms, world)
        self._collect(now_ms, world)
        return result

    def _start_command(self, kind: str, arguments: list[str], now_ms: int, world: World) -> HookRun:
        if not arguments:
            return HookRun(kind, now_ms, 126, "no command given")
        problem = find_exec_problem(self, arguments[0], now_ms, world)
        if problem:
            return HookRun(kind, now_ms, 128, tell_exec_problem(problem, world, self.container.name, now_ms))
        run = HookRun(kind, None)
        self.hooks[kind] = run
        machine = self.open_machine(now_ms, world)
        run.task, run.output = shell.start_command(machine, arguments, self.folder, now_ms, world)
        shell.run_machine(machine, now_ms, world)
        self._collect(now_ms, world)
        return run

    def _request(self, kind: str, handler: Mapping[str, Any], now_ms: int, world: World) -> HookRun:
        action = handler.get("httpGet") or handler.get("tcpSocket") or {}
        problem = find_request_problem(self, action, now_ms, world)
        return HookRun(kind, now_ms, 1, problem) if problem else HookRun(kind, now_ms)

    @property
    def folder(self) -> str:
        """The container's working directory."""
        from .images.folders import find_working_folder

        return find_working_folder(self.container.raw)

    def open_machine(self, now_ms: int, world: World) -> shell.Machine:
        """The container's processes; for a declared main program, with that one as a closed box."""
        if self.machine is None:
            self.machine = shell.Machine(shell_flavour(self.container.image), is_lenient=True)
            name = self.container.image.rpartition("/")[2].partition(":")[0]
            shell.add_opaque_main(self.machine, name, self.folder, now_ms, world)
        ports = self.behavior.ports or (0,)
        is_open = now_ms >= self.ready_ms and self.closed_ms is None
        does_listen = self.behavior.script is None and not self.behavior.is_silent
        self.machine.local_ports = ports if does_listen and is_open else ()
        return self.machine

    def listens_on(self, port: int, now_ms: int) -> bool:
        """Whether a connection to this port of the container is taken now."""
        is_open = now_ms >= self.ready_ms and self.binds_ms is None and self.closed_ms is None
        return is_open and self.exit is None and self.serves(port)

    def serves(self, port: int) -> bool:
        """Whether it is to take connections to a port, while it lives and takes any."""
        if self.behavior.script is not None:
            return self.machine is not None and self.machine.listens_on(port)
        if self.behavior.is_silent:
            return False
        return not self.behavior.ports or port in self.behavior.ports

    def holds_port(self, port: int, now_ms: int) -> bool:
        """Whether it is known to listen on this port, and not only taken to answer on every one."""
        if not self.listens_on(port, now_ms):
            return False
        if self.behavior.script is None:
            return port in self.behavior.ports
        return self.machine is not None and any(port in task.ports for task in self.machine.tasks.values())

    def http_status(self, path: str, now_ms: int) -> tuple[int, int | None]:
        """The status an HTTP request is answered with, and until when that is certain."""
        path = "/" + path.lstrip("/").partition("?")[0]
        if self.behavior.paths and path not in self.behavior.paths:
            return 404, None
        status = 200
        for answer in self.behavior.answers:
            if self.started_ms + answer.at_ms > now_ms:
                return status, self.started_ms + answer.at_ms
            status = answer.status
        return status, None

    def find_served(self, port: int, path: str, now_ms: int, world: World) -> Served | None:
        """What is found in the folder that is served on a port; None where none is."""
        machine = self.machine
        tasks = machine.tasks.values() if machine is not None else ()
        server = next((task for task in tasks if port in task.ports and shell.HOME in task.state), None)
        if machine is None or server is None:
            return None
        machine.enter(now_ms, world)
        files = machine.file_system
        found = shell.find_served(files, server.state[shell.HOME], path)
        machine.leave()
        return Served(404 if found is None else 200, files.reads_volumes, found.text if found else "")

    def usage(self, now_ms: int) -> tuple[int, int]:
        """CPU in thousandths and memory in bytes, now."""
        if self.exit is not None or not self.usage_points:
            return self.machine.usage() if self.machine is not None and self.exit is None else (0, 0)
        cpu_milli, memory_bytes = 0, 0
        for at_ms, cpu, memory in self.usage_points:
            if at_ms <= now_ms:
                cpu_milli, memory_bytes = cpu, memory
        return cpu_milli, memory_bytes

    def take_output(self) -> list[tuple[int, str]]:
        """Log lines since the last call: instant and text without the line's end."""
        output, self.output = self.output, []
        if self.container.falls_back_to_logs:
            self.tail = [*self.tail, *(text for _, text in output)][-_KEPT_LINES:]
        return output

    def last_lines(self) -> list[str]:
        """The end of its log; only of containers whose log may tell how they ended."""
        return [*self.tail, *(text for _, text in self.output)][-_KEPT_LINES:]

    def take_problems(self) -> list[str]:
        """What could not be interpreted while running, since the last call: a Warning event each."""
        if self.machine is None:
            return []
        new = self.machine.problems[self.told :]
        self.told += len(new)
        return new

    def draw_ms(self, duration: Duration, world: World, purpose: str, *key: object) -> int:
        """A duration of this run in whole milliseconds, drawn for the run alone."""
        return duration.draw_ms(world.draw, purpose, *key, world.pod_uid, self.container.name, self.attempt)

    def _collect(self, now_ms: int, world: World) -> None:
        machine = self.machine
        assert machine is not None, self.container.name
        if machine.output:
            self.output.extend(machine.output)
            machine.output = []
        self._pass_signals(now_ms, world)
        for hook in self.hooks.values():
            if hook.task in machine.ended:
                hook.finished_ms, hook.exit_code = machine.ended.pop(hook.task)
                hook.task = None
                if hook.output is not None:
                    hook.said, hook.output = shell.take_output(machine, hook.output)[:_MOST_SAID], None
        if machine.exit is not None:
            self._finish(machine.exit)

    def _pass_signals(self, now_ms: int, world: World) -> None:
        """Pass on signals from a hook or another container to a main program known only by its behaviour."""
        assert self.machine is not None, self.container.name
        signals, self.machine.passed_signals = self.machine.passed_signals, []
        for name in signals:
            if name in _ENDING or name == (self.behavior.stop_signal or "").removeprefix("SIG"):
                self._end_by_plan(now_ms, world)
            elif name not in HARMLESS and self.behavior.is_opaque:
                self.machine.note(f"cannot interpret SIG{name} to the main program: {SIGNAL.taken}")

    def _end_by_plan(self, now_ms: int, world: World) -> None:
        plan = self.behavior.on_term
        if plan is None or plan.ignore or self.exit is not None:
            return
        takes_ms = self.draw_ms(plan.takes, world, "term")
        if not plan.accepts and self.closed_ms is None:
            self.closed_ms = now_ms
            self.changes += 1
        if self.ends is None or now_ms + takes_ms < self.ends.at_ms:
            self.ends = Exit(now_ms + takes_ms, plan.exit)

    def _finish(self, end: Exit) -> None:
        self.exit = end
        self.ends = None
        self.changes += 1
        if self.machine is not None:
            self.machine.flush_log(end.at_ms)
            self.output.extend(self.machine.output)
            self.machine.output = []
        for hook in self.hooks.values():
            if hook.finished_ms is None:
                hook.finished_ms, hook.exit_code, hook.task = end.at_ms, _KILL_STATUS, None

    def save(self) -> dict[str, Any]:
        """Everything the process knows, as JSON-able data."""
        machine = self.machine.save() if self.machine is not None else None
        return {
            "attempt": self.attempt,
            "started_ms": self.started_ms,
            "exit": self.exit and self.exit.save(),
            "ends": self.ends and self.ends.save(),
            "ready_ms": self.ready_ms,
            "hooks": [hook.save() for hook in self.hooks.values()],
            "output": [list(line) for line in self.output],
            "probe_points": {kind: [list(p) for p in points] for kind, points in self.probe_points.items()},
            "usage_points": [list(point) for point in self.usage_points],
            "binds_ms": self.binds_ms,
            "closed_ms": self.closed_ms,
            "changes": self.changes,
            "told": self.told,
            "tail": self.tail,
            "machine": machine,
            "scripts": digest_scripts(machine),
        }

    @classmethod
    def load(cls, data: Mapping[str, Any], behavior: Behavior, container: Container) -> Process:
        """The process that `save` described, with the behaviour and container it was started with."""
        process = cls(behavior, container, data["attempt"], data["started_ms"])
        process.exit = data["exit"] and Exit.load(data["exit"])
        process.ends = data["ends"] and Exit.load(data["ends"])
        process.ready_ms = data["ready_ms"]
        process.hooks = {entry["kind"]: HookRun.load(entry) for entry in data["hooks"]}
        process.output = [(line[0], line[1]) for line in data["output"]]
        process.probe_points = {
            kind: [(p[0], p[1], p[2]) for p in points] for kind, points in data["probe_points"].items()
        }
        process.usage_points = [(point[0], point[1], point[2]) for point in data["usage_points"]]
        process.binds_ms = data["binds_ms"]
        process.closed_ms = data.get("closed_ms")
        process.changes = data["changes"]
        process.told = data["told"]
        process.tail = list(data.get("tail", ()))
        process.machine = data["machine"] and shell.Machine.load(data["machine"])
        return process
