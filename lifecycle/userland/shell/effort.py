"""How much work a container's processes may do before time has to pass.

Work takes no virtual time of its own. A task that never lets time pass is made to after so many instructions,
which is reported; moving and looking at long texts counts as instructions do. A container that works on and
on is given less and less. All containers together are given so much at one instant, and the rest later.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..crowd import Crowd
from ..guesses import BUSY_LOOP
from ..saved import Saved
from .compiler import count_parts, is_too_long
from .task import Task, Wait

_MOST_STEPS = 20_000
_MOST_STEPS_TOGETHER = 60_000
_SIGNS_OF_A_STEP = 1 << 10
"""Moving so many signs about is work like one instruction."""
_SIGNS_OF_READING = 64
_SIGNS_OF_A_COMMAND = 2 << 10
"""Reading a command is work like running two."""
_FEWER_STEPS = 4_000
_PATIENCE = 5
"""So many seconds of work in a row are believed; after that each stretch is shorter and lasts longer."""
_BUSY_MS = 1_000
_MOST_DOUBLINGS = 12
_BUSY_MILLI = 1_000
_MOST_STEPS_OF_ALL = 200_000
"""So many instructions of all containers together have room in one instant."""


@dataclass(slots=True, eq=False, kw_only=True)
class Effort(Saved, ABC):
    """What the tasks of one container did at this instant, and how long they have been busy."""

    now_ms: int = 0
    overruns: int = 0
    """How often in a row a task ran too long without letting time pass."""
    busy_until_ms: int = 0
    """The end of the last stretch of work that was taken to need time."""
    steps: int = 0
    """Instructions run by all tasks at this instant."""
    _known_checks: dict[tuple[str, ...], Any] = field(default_factory=dict)

    @property
    def known_checks(self) -> dict[tuple[str, ...], Any]:
        """By its command each check that is done again without work where it would see the same (checks)."""
        return self._known_checks

    def has_room_for(self, steps: int) -> bool:
        """Whether so much can be done at this instant without anything being made to wait."""
        most = min(_MOST_STEPS_TOGETHER - self.steps, _MOST_STEPS_OF_ALL + 1 - self.crowd.steps)
        return not self.overruns and steps < most

    @abstractmethod
    def note(self, problem: str) -> None:
        """Keep a problem for the kubelet to report, once."""

    @property
    @abstractmethod
    def crowd(self) -> Crowd:
        """The work of all containers."""

    @property
    @abstractmethod
    def has_to_queue(self) -> bool:
        """Whether it is the others' instant as well: not in a check, which runs ahead of it."""

    @abstractmethod
    def take_work(self) -> int:
        """What the files looked at since the last time have cost, in signs moved."""

    def charge(self, task: Task) -> bool:
        """Count one instruction; True when the task has run too long without letting time pass."""
        signs, crowd = self.take_work(), self.crowd
        if signs:
            self.work(task, signs)
        task.steps += 1
        self.steps += 1
        crowd.steps += 1
        most = _MOST_STEPS if self.overruns < _PATIENCE else _FEWER_STEPS
        if task.steps < most and self.steps < _MOST_STEPS_TOGETHER:
            if crowd.steps <= _MOST_STEPS_OF_ALL or not self.has_to_queue:
                return False
            # Nobody's fault: the others' work comes first, and this one's a moment later.
            task.wait = Wait(Wait.TIME, self.now_ms + 1)
            return True
        task.steps = 0
        self.overruns += 1
        busy_ms = _BUSY_MS << min(max(self.overruns - _PATIENCE, 0), _MOST_DOUBLINGS)
        self.busy_until_ms = self.now_ms + busy_ms
        task.wait = Wait(Wait.TIME, self.busy_until_ms)
        task.cpu_milli = _BUSY_MILLI
        self.note(f"{BUSY_LOOP.of}: {BUSY_LOOP.taken.format(steps=_MOST_STEPS)}")
        return True

    def work(self, task: Task, signs: int) -> None:
        """Count what moving, or looking at, so many signs costs."""
        steps = signs // _SIGNS_OF_A_STEP
        task.steps += steps
        self.steps += steps
        self.crowd.steps += steps

    def work_reading(self, task: Task, text: str) -> None:
        """Count what reading a script costs: little by its length, much by how many commands it has.

        One that is too long is only looked at.
        """
        if is_too_long(text):
            self.work(task, len(text))
        else:
            self.work(task, _SIGNS_OF_READING * len(text) + _SIGNS_OF_A_COMMAND * count_parts(text))

    def rested(self, task: Task) -> None:
        """The task let time pass by itself, unless it only waited for others that work without end."""
        task.steps = 0
        task.cpu_milli = 0
        if self.now_ms > self.busy_until_ms:
            self.overruns = 0
