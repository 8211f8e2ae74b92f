"""Starts one run of a container: draws its durations, plans its end, starts its script."""

from __future__ import annotations

from lifecycle.userland.world import OOM_KILLED, Exit, World

from ..objects.pods.container import Container
from . import shell
from .behavior import Behavior, RunPlan
from .executables import is_in_volume
from .process import Process
from .references import expand_references
from .script import Script

_KILL_STATUS, _KILL = 137, 9


def start_process(
    behavior: Behavior, container: Container, attempt: int, started_ms: int, world: World
) -> Process:
    """Start the run numbered `attempt` (from 0) of a container. Draws every duration of the run by key."""
    process = Process(behavior, container, attempt, started_ms)
    plan = behavior.run_plan(attempt)
    if plan.says:
        process.output.append((started_ms, plan.says))
    ready_after = behavior.ready_after
    if ready_after is not None:
        process.ready_ms += process.draw_ms(ready_after, world, "ready")
    if behavior.probes or behavior.usage or plan.for_ is not None:
        _draw(process, plan, world)
    if behavior.binds:
        process.binds_ms = process.ready_ms
    if behavior.script is not None:
        _start_script(process, behavior.script, world)
    elif world.processes is not None or _works_in_volume(process):
        # The other containers see its process, or the folder that is made for it.
        process.open_machine(started_ms, world)
    process.run(started_ms, world)
    return process


def _works_in_volume(process: Process) -> bool:
    raw = process.container.raw
    return bool(raw.get("volumeMounts")) and is_in_volume(process.folder.rpartition("/")[0], raw)


def _draw(process: Process, plan: RunPlan, world: World) -> None:
    """What its checks will see, what it will use and when it will end."""
    behavior, started_ms = process.behavior, process.started_ms
    process.probe_points = {
        kind: [
            (
                started_ms + process.draw_ms(point.at, world, "probe", kind, index),
                point.result,
                point.message,
            )
            for index, point in enumerate(points)
        ]
        for kind, points in behavior.probes.items()
    }
    process.usage_points = _draw_usage(process, world)
    process.ends = _planned_end(process, plan, world)


def _start_script(process: Process, script: Script, world: World) -> None:
    machine = shell.Machine(script.flavour, script.is_process_one, script.is_lenient)
    machine.tail_runs = script.tail_runs
    process.machine = machine
    arguments = list(script.arguments)
    if any("$" in word for word in arguments):
        arguments = [expand_references(word, world.given_env) for word in arguments]
    has_input = bool(process.container.raw.get("stdin"))
    shell.start_main(machine, arguments, script.folder, process.started_ms, world, has_input)


def _planned_end(process: Process, plan: RunPlan, world: World) -> Exit | None:
    """The first of: the declared end of this run, and use of more memory than the limit."""
    started_ms = process.started_ms
    ends: list[Exit] = []
    if plan.for_ is not None:
        takes_ms = process.draw_ms(plan.for_, world, "run")
        ends.append(Exit(started_ms + takes_ms, plan.exit, plan.reason))
    limit = world.limits.memory_bytes
    if limit is not None:
        over = (at_ms for at_ms, _, memory in process.usage_points if memory > limit)
        ends += [Exit(at_ms, _KILL_STATUS, OOM_KILLED, _KILL) for at_ms in over]
    return min(ends, key=lambda end: end.at_ms) if ends else None


def _draw_usage(process: Process, world: World) -> list[tuple[int, int, int]]:
    points: list[tuple[int, int, int]] = []
    cpu_milli, memory_bytes = 0, 0
    for index, point in enumerate(process.behavior.usage):
        cpu_milli = cpu_milli if point.cpu_milli is None else point.cpu_milli
        memory_bytes = memory_bytes if point.memory_bytes is None else point.memory_bytes
        at_ms = process.started_ms + process.draw_ms(point.at, world, "usage", index)
        points.append((at_ms, cpu_milli, memory_bytes))
    return points
