"""A check's command, run ahead in time; one that would see the same again is not run again.

What a command does follows from what it looks at: files, the container's processes, what the world tells.
That is written down while it runs. Where all of it is as it was, so is all that the command does, and only
process ids and the like are counted on. What hangs on the time, on chance or on other processes is run each
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from lifecycle.lean_tuples import NamedTuple

from ..file_layers import Mount
from ..world import ConnectResult, World
from .machine import Machine
from .open_files import CAPTURE, OpenFile
from .run import run_ahead, start_task

_NO_FACTS = ("crowd", "processes", "volumes", "draw", "lacks")
"""What is looked at elsewhere, or follows from the image, or from a key."""


class CheckResult(NamedTuple):
    """A command that ran to its end, or to its limit (`status` None), in a container."""

    status: int | None
    output: str
    takes_ms: int
    is_volatile: bool
    met_unknown: bool
    feeds_unknown: bool
    reads_volumes: bool


class _Sight(NamedTuple):
    """What a command can see of its container, and its volumes with their versions."""

    limit_ms: int
    version: int
    ports: Sequence[int]
    tasks: int
    memory_bytes: int
    volumes: Sequence[tuple[Mount, int]]


class _Counts(NamedTuple):
    """What every command counts on, whatever it does."""

    processes: int
    files: int
    pipes: int
    steps: int


class _Told(NamedTuple):
    """What the world has told a command: facts by name, and answers of the network by what was asked.

    With an instant goes how long after the beginning it was.
    """

    facts: dict[str, Any]
    answers: dict[tuple[Any, ...], Any]

    def is_told_by(self, world: World, now_ms: int) -> bool:
        """Whether a world tells all of it at an instant."""
        return all(getattr(world, name) == told for name, told in self.facts.items()) and all(
            _ask(world, now_ms, *asked) == told for asked, told in self.answers.items()
        )


def _ask(world: World, now_ms: int, method: str, *words: Any) -> Any:
    if method == "connect":
        host, port, after_ms = words
        return world.connect(host, port, now_ms + after_ms)
    return getattr(world, method)(*words)


class _Asking:
    """The world, with what it tells written down."""

    def __init__(self, world: World, now_ms: int) -> None:
        self.world, self._now_ms, self.told = world, now_ms, _Told({}, {})

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.world, name)
        if name not in _NO_FACTS:
            self.told.facts[name] = found
        return found

    def resolve(self, host: str) -> str | None:
        """See World."""
        found = self.told.answers["resolve", host] = self.world.resolve(host)
        return found

    def resolve_all(self, host: str) -> Sequence[str]:
        """See World."""
        found = self.told.answers["resolve_all", host] = self.world.resolve_all(host)
        return found

    def find_services(self, name: str) -> Sequence[tuple[str, int]]:
        """See World."""
        found = self.told.answers["find_services", name] = self.world.find_services(name)
        return found

    def connect(self, host: str, port: int, now_ms: int) -> ConnectResult:
        """See World."""
        found = self.world.connect(host, port, now_ms)
        self.told.answers["connect", host, port, now_ms - self._now_ms] = found
        return found


class KnownCheck(NamedTuple):
    """A command that left nothing behind: what it saw and was told, what came of it, what it counted on.

    `moved_time`: whether anything was done at a later instant.
    """

    sight: _Sight
    told: _Told
    result: CheckResult
    counts: _Counts
    moved_time: bool

    def is_same(self, machine: Machine, sight: _Sight, world: World, now_ms: int) -> bool:
        """Whether the command would see the same now, and nothing would hold it up."""
        has_room = machine.has_room_for(self.counts.steps)
        return self.sight == sight and has_room and self.told.is_told_by(world, now_ms)

    def do_again(self, machine: Machine) -> CheckResult:
        """All that the command would do to the machine."""
        counts, result = self.counts, self.result
        machine.next_pid += counts.processes
        machine.open_files.next_file += counts.files
        machine.open_files.next_pipe += counts.pipes
        machine.crowd.steps += counts.steps
        # A new instant makes all work of before forgotten.
        machine.steps = 0 if self.moved_time else machine.steps + counts.steps
        machine.is_volatile = False
        machine.met_unknown, machine.feeds_unknown = result.met_unknown, result.feeds_unknown
        return result


def run_check(
    machine: Machine, arguments: list[str], folder: str, now_ms: int, limit_ms: int, world: World
) -> CheckResult:
    """Run a command ahead in time, alone: the container's other processes stand still meanwhile.

    What is left of it after `limit_ms` is killed, as the container runtime does.
    """
    asking, key = _Asking(world, now_ms), tuple(arguments)
    machine.enter(now_ms, cast(World, asking))
    sight = _look(machine, limit_ms, world)
    known: KnownCheck | None = machine.known_checks.pop(key, None)
    if known is not None and known.is_same(machine, sight, world, now_ms):
        result = known.do_again(machine)
    else:
        result, known = _run(machine, arguments, folder, sight, asking)
    if known is not None:
        machine.known_checks[key] = known
    machine.leave()
    return result


def _run(
    machine: Machine, arguments: list[str], folder: str, sight: _Sight, asking: _Asking
) -> tuple[CheckResult, KnownCheck | None]:
    """What comes of a command, and all of it if the same may come of it again."""
    now_ms, root_version = machine.now_ms, machine.root.version
    before, traces, overruns = (
        _count(machine),
        _list_traces(machine),
        (machine.overruns, machine.busy_until_ms),
    )
    machine.is_volatile = machine.met_unknown = machine.feeds_unknown = False
    status, output, end_ms = _run_to_its_end(machine, arguments, folder, now_ms + sight.limit_ms)
    after = _look(machine, sight.limit_ms, asking.world)
    has_written = machine.root.version != root_version or after.volumes != sight.volumes
    hangs_on_instant = machine.is_volatile or not machine.has_room_for(0)
    hangs_on_others = machine.world.processes is not None
    result = CheckResult(
        status=status,
        output=output,
        takes_ms=end_ms - now_ms,
        is_volatile=machine.is_volatile or has_written or bool(asking.told.answers),
        met_unknown=machine.met_unknown,
        feeds_unknown=machine.feeds_unknown,
        reads_volumes=machine.reads_volumes,
    )
    machine.overruns, machine.busy_until_ms = overruns
    moved_time = machine.now_ms != now_ms
    machine.set_time(now_ms)
    counts = _Counts(*(now - then for now, then in zip(_count(machine), before, strict=True)))
    if hangs_on_instant or hangs_on_others or after != sight or _list_traces(machine) != traces:
        return result, None
    return result, KnownCheck(sight, asking.told, result, counts, moved_time)


def _run_to_its_end(
    machine: Machine, arguments: list[str], folder: str, until_ms: int
) -> tuple[int | None, str, int]:
    """Its status, None where it was killed at the limit, what it has written, and when that was."""
    output = machine.open_files.open(OpenFile(CAPTURE))
    machine.open_files.retain(output)
    pid = start_task(machine, arguments, folder, machine.world, output).pid
    end_ms = run_ahead(machine, pid, until_ms)
    text = machine.open_files.files[output].text if output in machine.open_files.files else ""
    ended = machine.ended.pop(pid, None)
    for task in [task for task in machine.tasks.values() if task.root == pid]:
        machine.finish(task, 137, 9)
    machine.ended.pop(pid, None)
    if machine.exit is None:
        machine.open_files.release(output)
    return None if ended is None else ended[1], text, end_ms


def _look(machine: Machine, limit_ms: int, world: World) -> _Sight:
    volumes = [(mount, mount.layer.version) for mount in world.volumes]
    tasks, memory_bytes = len(machine.tasks), machine.usage()[1]
    return _Sight(limit_ms, machine.version, machine.local_ports, tasks, memory_bytes, volumes)


def _count(machine: Machine) -> _Counts:
    files = machine.open_files
    return _Counts(machine.next_pid, files.next_file, files.next_pipe, machine.crowd.steps)


def _list_traces(machine: Machine) -> list[Any]:
    """What a command may leave to others beside files: lines of the log, signals, children."""
    others = [(one.pid, len(one.pending), tuple(one.reaped.items())) for one in machine.tasks.values()]
    return [len(machine.output), machine.partial, len(machine.passed_signals), tuple(machine.ended), others]
