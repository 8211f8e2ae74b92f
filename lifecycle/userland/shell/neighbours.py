"""What one container's processes see of each other, and of those they share a process namespace with."""

from __future__ import annotations

from .machine import Machine
from .task import Task


def tasks_in_sight(machine: Machine) -> list[Task]:
    """Every process that a process of this container sees, in the order of their ids."""
    namespace = machine.world.processes
    if namespace is None:
        return list(machine.tasks.values())
    machine.is_volatile = True
    found = [task for other in namespace.machines if other is not machine for task in other.tasks.values()]
    return sorted([namespace.first, *machine.tasks.values(), *found], key=lambda task: task.pid)


def find_task(machine: Machine, pid: int) -> Task | None:
    """A process by its id, as seen from this container."""
    task = machine.tasks.get(pid)
    if task is not None or machine.world.processes is None:
        return task
    return next((other for other in tasks_in_sight(machine) if other.pid == pid), None)


def send_signal(machine: Machine, task: Task, name: str) -> None:
    """Send a signal (its name without SIG) to a process in sight, which may have ended by now."""
    namespace = machine.world.processes
    if machine.tasks.get(task.pid) is task:
        machine.signal(task, name)
    elif namespace is not None and task is namespace.first:
        problem = namespace.signal_first(name, machine.entered_ms)
        if problem is not None:
            machine.note(problem)
        elif namespace.has_ended:
            machine.kill_all(machine.entered_ms)
    elif namespace is not None:
        for other in namespace.machines:
            if other.tasks.get(task.pid) is task:
                # A check runs ahead in time, the others do not.
                other.set_time(machine.entered_ms)
                other.signal(task, name)


def answers_on(machine: Machine, port: int) -> bool:
    """Whether a process of the container listens on a port, or its main program does by itself."""
    ports = machine.local_ports
    return port in ports or 0 in ports or machine.listens_on(port)
