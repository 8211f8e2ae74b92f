"""A container's main process in virtual time: when it ends, what probes see, what signals and hooks do.

A process is plain data. It wakes only when due: `next_wake_ms` says when, `run` does what is due then. It
never looks at a clock and holds no reference to its world.
"""

from collections.abc import Mapping
from typing import Any

from lifecycle.engine.programs.behavior import FAILURE, SUCCESS, Behavior, HookPlan
from lifecycle.engine.programs.world import (
    ContainerSpec,
    Exit,
    HookRun,
    ProbeSpec,
    Sight,
    World,
)

SIGKILL = "SIGKILL"
SIGNALS: Mapping[str, int] = {
    "SIGHUP": 1,
    "SIGINT": 2,
    "SIGQUIT": 3,
    "SIGABRT": 6,
    "SIGKILL": 9,
    "SIGUSR1": 10,
    "SIGSEGV": 11,
    "SIGUSR2": 12,
    "SIGPIPE": 13,
    "SIGALRM": 14,
    "SIGTERM": 15,
    "SIGCHLD": 17,
    "SIGCONT": 18,
    "SIGSTOP": 19,
    "SIGWINCH": 28,
}
OOM_KILLED = "OOMKilled"
_HOOKS = {"postStart": "post_start", "preStop": "pre_stop"}
Points = list[tuple[int, str, str | None]]


class Process:
    """One run of a container. Made by `start_process`; instants in ms since the cluster's epoch."""

    __slots__ = (
        "attempt",
        "behavior",
        "container",
        "ends",
        "exit",
        "hooks",
        "output",
        "probe_points",
        "ready_ms",
        "started_ms",
        "usage_points",
        "version",
    )

    def __init__(self, behavior: Behavior, container: ContainerSpec, attempt: int, started_ms: int) -> None:
        self.behavior = behavior
        self.container = container
        self.attempt = attempt
        self.started_ms = started_ms
        self.exit: Exit | None = None
        self.ends: Exit | None = None
        """The end that is due, unless something comes before it."""
        self.ready_ms = started_ms
        self.hooks: dict[str, HookRun] = {}
        self.output: list[tuple[int, str]] = []
        self.probe_points: dict[str, Points] = {}
        self.usage_points: list[tuple[int, int, int]] = []
        self.version = 0

    def next_wake_ms(self) -> int | None:
        """When `run` has something to do; None when nothing is due ever, or the process has ended."""
        if self.exit is not None:
            return None
        due = [self.ends.at_ms] if self.ends is not None else []
        return min(due, default=None)

    def run(self, now_ms: int, world: World) -> None:
        """Does everything due at this instant."""
        if self.exit is None and self.ends is not None and self.ends.at_ms <= now_ms:
            self._finish(self.ends)

    def signal(self, now_ms: int, name: str, world: World) -> None:
        """Delivers a signal to process 1. A process that has ended takes none."""
        if self.exit is not None:
            return
        number = SIGNALS.get(name, 15)
        if name == SIGKILL:
            self._finish(Exit(now_ms, 128 + number, None, number))
            return
        plan = self.behavior.on_term
        if plan is None or plan.ignore:
            return
        takes_ms = plan.takes.draw_ms(world.draw, "term", *self._key(world))
        if self.ends is None or now_ms + takes_ms < self.ends.at_ms:
            self.ends = Exit(now_ms + takes_ms, plan.exit)
        self.run(now_ms, world)

    def probe(self, probe_type: str, probe: ProbeSpec, now_ms: int, world: World) -> Sight:
        """What a check of this type would see now, and until when that is certain."""
        points = self.probe_points.get(probe_type)
        if points:
            return _sight_of_points(points, probe, now_ms)
        return _sight_of_program(self, probe, now_ms, world)

    def hook(self, kind: str, handler: Mapping[str, Any], now_ms: int, world: World) -> HookRun:
        """Starts `postStart` or `preStop`; its end may be known only after some `run` of the process."""
        plan: HookPlan | None = getattr(self.behavior, _HOOKS[kind])
        if plan is not None:
            takes_ms = plan.takes.draw_ms(world.draw, "hook", kind, *self._key(world))
            run = HookRun(kind, now_ms + takes_ms, plan.exit)
        elif "sleep" in handler:
            run = HookRun(kind, now_ms + 1000 * int(handler["sleep"].get("seconds", 0)))
        else:
            run = HookRun(kind, now_ms)
        self.hooks[kind] = run
        return run

    def usage(self, now_ms: int) -> tuple[int, int]:
        """CPU in thousandths and memory in bytes, now."""
        cpu_milli, memory_bytes = 0, 0
        for at_ms, cpu, memory in self.usage_points:
            if at_ms <= now_ms:
                cpu_milli, memory_bytes = cpu, memory
        return cpu_milli, memory_bytes

    def next_usage_change_ms(self, now_ms: int) -> int | None:
        """When `usage` changes next, as far as is known."""
        return min((at_ms for at_ms, _, _ in self.usage_points if at_ms > now_ms), default=None)

    def take_output(self) -> list[tuple[int, str]]:
        """Log lines since the last call: instant and text without the line's end."""
        output, self.output = self.output, []
        return output

    def _finish(self, end: Exit) -> None:
        self.exit = end
        self.ends = None
        self.version += 1

    def _key(self, world: World) -> tuple[str, str, int]:
        return (world.pod.uid, self.container.name, self.attempt)

    def save(self) -> dict[str, Any]:
        """Everything the process knows, as JSON-able data."""
        return {
            "attempt": self.attempt,
            "started_ms": self.started_ms,
            "exit": _save_exit(self.exit),
            "ends": _save_exit(self.ends),
            "ready_ms": self.ready_ms,
            "hooks": [
                [hook.kind, hook.finished_ms, hook.exit_code, hook.message, hook.task]
                for hook in self.hooks.values()
            ],
            "output": [list(line) for line in self.output],
            "probe_points": {kind: [list(p) for p in points] for kind, points in self.probe_points.items()},
            "usage_points": [list(point) for point in self.usage_points],
            "version": self.version,
        }

    @classmethod
    def load(cls, data: Mapping[str, Any], behavior: Behavior, container: ContainerSpec) -> "Process":
        """The process that `save` described, with the behaviour and container it was started with."""
        process = cls(behavior, container, data["attempt"], data["started_ms"])
        process.exit = _load_exit(data["exit"])
        process.ends = _load_exit(data["ends"])
        process.ready_ms = data["ready_ms"]
        process.hooks = {entry[0]: HookRun(*entry) for entry in data["hooks"]}
        process.output = [(line[0], line[1]) for line in data["output"]]
        process.probe_points = {
            kind: [(p[0], p[1], p[2]) for p in points] for kind, points in data["probe_points"].items()
        }
        process.usage_points = [(point[0], point[1], point[2]) for point in data["usage_points"]]
        process.version = data["version"]
        return process


def start_process(
    behavior: Behavior, container: ContainerSpec, attempt: int, started_ms: int, world: World
) -> Process:
    """Starts the run numbered `attempt` (from 0) of a container. Draws every duration of the run by key."""
    process = Process(behavior, container, attempt, started_ms)
    key = process._key(world)
    if behavior.ready_after is not None:
        process.ready_ms += behavior.ready_after.draw_ms(world.draw, "ready", *key)
    process.probe_points = {
        kind: [
            (
                started_ms + point.at.draw_ms(world.draw, "probe", kind, index, *key),
                point.result,
                point.message,
            )
            for index, point in enumerate(points)
        ]
        for kind, points in behavior.probes.items()
    }
    process.usage_points = _draw_usage(behavior, started_ms, world, key)
    plan = behavior.run_plan(attempt)
    ends: list[Exit] = []
    if plan.for_ is not None:
        ends.append(Exit(started_ms + plan.for_.draw_ms(world.draw, "run", *key), plan.exit, plan.reason))
    limit = world.limits.memory_bytes
    if limit is not None:
        over = (at_ms for at_ms, _, memory in process.usage_points if memory > limit)
        ends += [Exit(at_ms, 137, OOM_KILLED) for at_ms in over]
    process.ends = min(ends, key=lambda end: end.at_ms, default=None)
    process.run(started_ms, world)
    return process


def _draw_usage(
    behavior: Behavior, started_ms: int, world: World, key: tuple[str, str, int]
) -> list[tuple[int, int, int]]:
    points: list[tuple[int, int, int]] = []
    cpu_milli, memory_bytes = 0, 0
    for index, point in enumerate(behavior.usage):
        cpu_milli = cpu_milli if point.cpu_milli is None else point.cpu_milli
        memory_bytes = memory_bytes if point.memory_bytes is None else point.memory_bytes
        at_ms = started_ms + point.at.draw_ms(world.draw, "usage", index, *key)
        points.append((at_ms, cpu_milli, memory_bytes))
    return points


def _sight_of_points(points: Points, probe: ProbeSpec, now_ms: int) -> Sight:
    result, message = points[0][1], points[0][2]
    until_ms = None
    for at_ms, next_result, next_message in points:
        if at_ms > now_ms:
            until_ms = at_ms
            break
        result, message = next_result, next_message
    if message is None:
        message = "" if result == SUCCESS else _DEFAULT_MESSAGES.get(probe.kind, "")
    return Sight(result, message, 0, until_ms)


_DEFAULT_MESSAGES = {
    "http": "HTTP probe failed with statuscode: 503",
    "tcp": "dial tcp: connect: connection refused",
    "grpc": 'service unhealthy (responded with "NOT_SERVING")',
    "exec": "",
}


def probe_port(probe: ProbeSpec, container: ContainerSpec) -> int | None:
    """The port a probe asks; a name is looked up among the container's ports, None when it is not there."""
    port = probe.handler.get("port")
    if isinstance(port, str) and not port.isdigit():
        named = (entry for entry in container.raw.get("ports") or () if entry.get("name") == port)
        return next((int(entry["containerPort"]) for entry in named), None)
    return int(port) if port is not None else None


def _sight_of_program(process: Process, probe: ProbeSpec, now_ms: int, world: World) -> Sight:
    if now_ms < process.ready_ms:
        return Sight(FAILURE, _refused(probe, process, world), 0, process.ready_ms)
    if probe.kind == "exec":
        return Sight(SUCCESS)
    port = probe_port(probe, process.container)
    ports = process.behavior.ports
    if port is None or (ports and port not in ports):
        return Sight(FAILURE, _refused(probe, process, world))
    if probe.kind != "http":
        return Sight(SUCCESS)
    return _sight_of_http(process, probe, now_ms)


def _sight_of_http(process: Process, probe: ProbeSpec, now_ms: int) -> Sight:
    path = "/" + str(probe.handler.get("path") or "/").lstrip("/").partition("?")[0]
    status, until_ms = 404, None
    if not process.behavior.paths or path in process.behavior.paths:
        for answer in process.behavior.answers:
            if process.started_ms + answer.at_ms > now_ms:
                until_ms = process.started_ms + answer.at_ms
                break
            status = answer.status
    # The kubelet takes every status from 200 up to, not including, 400 as healthy.
    if 200 <= status < 400:
        return Sight(SUCCESS, "", 0, until_ms)
    return Sight(FAILURE, f"HTTP probe failed with statuscode: {status}", 0, until_ms)


def _refused(probe: ProbeSpec, process: Process, world: World) -> str:
    port = probe_port(probe, process.container)
    host = probe.handler.get("host") or world.pod.ip
    dial = f"dial tcp {host}:{port}: connect: connection refused"
    if probe.kind == "http":
        scheme = str(probe.handler.get("scheme") or "HTTP").lower()
        path = "/" + str(probe.handler.get("path") or "/").lstrip("/")
        return f'Get "{scheme}://{host}:{port}{path}": {dial}'
    if probe.kind == "grpc":
        return f'timeout: failed to connect service "{host}:{port}" within {probe.timeout_seconds}s'
    return dial if probe.kind == "tcp" else ""


def _save_exit(end: Exit | None) -> list[Any] | None:
    return None if end is None else [end.at_ms, end.code, end.reason, end.signal]


def _load_exit(data: list[Any] | None) -> Exit | None:
    return None if data is None else Exit(*data)
