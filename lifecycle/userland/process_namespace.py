"""Process ids that the containers of a pod share (`shareProcessNamespace`, and `hostPID` inside one pod).

The sandbox's own program is process 1: `/pause`, which ends on TERM and INT and takes the whole namespace
with it, as the kernel does when the first process of one ends. Every container's processes are numbered from
one count, seen by all and signalled by all. On the host's own processes (`hostPID`) nothing is known.
"""

from typing import TYPE_CHECKING, Any

from .shell.task import Task, Wait
from .world import Exit

if TYPE_CHECKING:
    from .shell.machine import Machine

FIRST_OF_CONTAINERS = 8
"""The container runtime's helpers take the numbers before it."""
PAUSE, HOST_INIT = "/pause", "/sbin/init"
_ENDS_PAUSE = ("TERM", "INT")
_KILLED, _KILL = 137, 9


class ProcessNamespace:
    """The processes of one sandbox. `machines` are those of its running containers, in their order."""

    __slots__ = ("first", "has_ended", "machines", "next_pid")

    def __init__(self, first: str = PAUSE) -> None:
        self.first = Task(1, 0, 1, [first], 0)
        self.first.wait = Wait(Wait.SIGNAL)
        self.next_pid = FIRST_OF_CONTAINERS
        self.has_ended = False
        self.machines: list[Machine] = []

    def take_pid(self) -> int:
        """The next process id; none is given twice."""
        pid = self.next_pid
        self.next_pid += 1
        return pid

    def signal_first(self, name: str, now_ms: int) -> str | None:
        """A signal for process 1 from inside; gives what cannot be said of it."""
        if self.first.arguments[0] == HOST_INIT:
            return f"cannot interpret SIG{name} to the node's own process 1: taken to do nothing"
        # A namespace's first process gets only signals it has a handler for, from inside not even KILL.
        if name in _ENDS_PAUSE:
            self.has_ended = True
            for machine in self.machines:
                machine.set_time(now_ms)
                machine.end_all(Exit(now_ms, _KILLED, None, _KILL))
        return None

    def save(self) -> list[Any]:
        return [self.first.arguments[0], self.next_pid, self.has_ended]

    @classmethod
    def load(cls, data: list[Any]) -> "ProcessNamespace":
        namespace = cls(data[0])
        namespace.next_pid, namespace.has_ended = data[1], data[2]
        return namespace


def make_namespace(shares_processes: bool, is_host: bool) -> ProcessNamespace | None:
    """The namespace of a new sandbox; None where every container has its own."""
    if is_host:
        return ProcessNamespace(HOST_INIT)
    return ProcessNamespace() if shares_processes else None


def tasks_in_sight(machine: "Machine") -> list[Task]:
    """Every process that a process of this container sees, in the order of their ids."""
    namespace = machine.world.processes
    if namespace is None:
        return list(machine.tasks.values())
    machine.is_volatile = True
    found = [task for other in namespace.machines if other is not machine for task in other.tasks.values()]
    return sorted([namespace.first, *machine.tasks.values(), *found], key=lambda task: task.pid)


def find_task(machine: "Machine", pid: int) -> Task | None:
    """A process by its id, as seen from this container."""
    task = machine.tasks.get(pid)
    if task is not None or machine.world.processes is None:
        return task
    return next((other for other in tasks_in_sight(machine) if other.pid == pid), None)


def send_signal(machine: "Machine", task: Task, name: str) -> None:
    """Sends a signal (its name without SIG) to a process in sight, which may have ended by now."""
    namespace = machine.world.processes
    if machine.tasks.get(task.pid) is task:
        machine.signal(task, name)
    elif namespace is not None and task is namespace.first:
        problem = namespace.signal_first(name, machine.entered_ms)
        if problem is not None:
            machine.note(problem)
        elif namespace.has_ended:
            machine.end_all(Exit(machine.entered_ms, _KILLED, None, _KILL))
    elif namespace is not None:
        for other in namespace.machines:
            if other.tasks.get(task.pid) is task:
                # A check runs ahead in time, the others do not.
                other.set_time(machine.entered_ms)
                other.signal(task, name)
