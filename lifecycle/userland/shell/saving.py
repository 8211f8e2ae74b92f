"""A machine as JSON-able data, and back: everything but the world, which is handed in anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..file_layers import FileLayer
from ..world import Exit
from .machine import Machine
from .open_files import OpenFiles
from .task import Task


def save_machine(machine: Machine) -> dict[str, Any]:
    """All processes and files as JSON-able data."""
    return {
        "flavour": machine.flavour,
        "is_process_one": machine.is_process_one,
        "is_lenient": machine.is_lenient,
        "tail_runs": machine.tail_runs,
        "root": machine.root.save(),
        "tasks": [task.save() for task in machine.tasks.values()],
        "open_files": machine.open_files.save(),
        "next_pid": machine.next_pid,
        "main_pid": machine.main_pid,
        "changes": machine.changes,
        "overruns": [machine.overruns, machine.busy_until_ms],
        "now": [machine.now_ms, machine.steps],
        "exit": [machine.exit.at_ms, machine.exit.code, machine.exit.reason, machine.exit.signal]
        if machine.exit
        else None,
        "ended": [[pid, at_ms, status] for pid, (at_ms, status) in machine.ended.items()],
        "output": [list(line) for line in machine.output],
        "partial": machine.partial,
        "passed_signals": list(machine.passed_signals),
        "local_ports": list(machine.local_ports),
        "problems": list(machine.problems),
    }


def load_machine(data: Mapping[str, Any]) -> Machine:
    """The machine that `save_machine` described."""
    machine = Machine(data["flavour"], data["is_process_one"], data["is_lenient"])
    machine.tail_runs = data["tail_runs"]
    machine.root = FileLayer.load(data["root"])
    machine.tasks = {entry["pid"]: Task.load(entry) for entry in data["tasks"]}
    machine.open_files = OpenFiles.load(data["open_files"])
    machine.next_pid = data["next_pid"]
    machine.main_pid = data["main_pid"]
    machine.changes = data["changes"]
    machine.overruns, machine.busy_until_ms = data["overruns"]
    machine.now_ms, machine.steps = data["now"]
    machine.exit = Exit(*data["exit"]) if data["exit"] else None
    machine.ended = {pid: (at_ms, status) for pid, at_ms, status in data["ended"]}
    machine.output = [(line[0], line[1]) for line in data["output"]]
    machine.partial = data["partial"]
    machine.passed_signals = list(data["passed_signals"])
    machine.local_ports = tuple(data["local_ports"])
    machine.problems = list(data["problems"])
    return machine
