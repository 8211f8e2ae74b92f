"""Process ids that the containers of a pod share (`shareProcessNamespace`, and `hostPID` inside one pod).

The sandbox's own program is process 1: `/pause`, which ends on TERM and INT and takes the whole namespace
with it, as the kernel does when the first process of one ends. Every container's processes are numbered from
one count, seen by all and signalled by all. On the host's own processes (`hostPID`) nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from .guesses import SIGNAL_TO_HOST
from .shell.task import Task, Wait

FIRST_OF_CONTAINERS = 8
"""The container runtime's helpers take the numbers before it."""
PAUSE, HOST_INIT = "/pause", "/sbin/init"
_ENDS_PAUSE = ("TERM", "INT")


class Neighbour(Protocol):
    """A container's processes, as those of another container of the namespace see them."""

    @property
    def tasks(self) -> Mapping[int, Task]:
        """The container's processes by id."""

    def set_time(self, now_ms: int) -> None:
        """Move the container to an instant."""

    def signal(self, task: Task, name: str) -> None:
        """Deliver a signal, its name without SIG."""

    def kill_all(self, at_ms: int) -> None:
        """End every process of the container at once."""


class ProcessNamespace:
    """The processes of one sandbox. `machines` are those of its running containers, in their order."""

    __slots__ = ("first", "has_ended", "machines", "next_pid")

    def __init__(self, first: str = PAUSE) -> None:
        self.first = Task(1, 0, 1, [first], 0)
        self.first.wait = Wait(Wait.SIGNAL)
        self.next_pid = FIRST_OF_CONTAINERS
        self.has_ended = False
        self.machines: Sequence[Neighbour] = ()

    def take_pid(self) -> int:
        """The next process id; none is given twice."""
        pid = self.next_pid
        self.next_pid += 1
        return pid

    def signal_first(self, name: str, now_ms: int) -> str | None:
        """A signal for process 1 from inside; gives what cannot be said of it."""
        if self.first.arguments[0] == HOST_INIT:
            return f"cannot interpret SIG{name} to the node's own process 1: {SIGNAL_TO_HOST.taken}"
        # A namespace's first process gets only signals it has a handler for, from inside not even KILL.
        if name in _ENDS_PAUSE:
            self.has_ended = True
            for machine in self.machines:
                machine.set_time(now_ms)
                machine.kill_all(now_ms)
        return None

    def save(self) -> list[Any]:
        """The namespace as JSON-able data, without the containers in it."""
        return [self.first.arguments[0], self.next_pid, self.has_ended]

    @classmethod
    def load(cls, data: list[Any]) -> ProcessNamespace:
        """The namespace that `save` described."""
        namespace = cls(data[0])
        namespace.next_pid, namespace.has_ended = data[1], data[2]
        return namespace


def make_namespace(shares_processes: bool, is_host: bool) -> ProcessNamespace | None:
    """The namespace of a new sandbox; None where every container has its own."""
    if is_host:
        return ProcessNamespace(HOST_INIT)
    return ProcessNamespace() if shares_processes else None
