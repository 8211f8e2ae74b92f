"""What will come: a cluster taken up in this process and run ahead of its present, recorded nowhere.

The same engine from the same instant: what it does is what the cluster will do, unless somebody asks it for
something else meanwhile. Steps that a scenario still owes are taken at their instants.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lifecycle import reads
from lifecycle.engine import Cluster as Engine
from lifecycle.engine import Command as Order
from lifecycle.engine.heart.trace import Row
from lifecycle.models import Cluster, Command
from lifecycle.runs import upgrades

LONGEST_MS = 15 * 60 * 1000
MOST_CPU_SECONDS = 2.0
MOST_ROWS = 200_000


@dataclass(frozen=True, slots=True)
class Ahead:
    """`rows` from `from_ms`, when the commands were given, to `to_ms`. `end` is `idle`, `span` or `cut`.

    `refusals`: what the cluster would answer to commands that it would not obey.
    """

    engine: Engine
    rows: list[Row]
    from_ms: int
    to_ms: int
    end: str
    refusals: tuple[str, ...] = ()


def run_ahead(
    cluster: Cluster,
    commands: Sequence[tuple[str, dict[str, Any]]] = (),
    span_ms: int = LONGEST_MS,
    cpu_seconds: float = MOST_CPU_SECONDS,
    is_over: Callable[[Engine], bool] = Engine.is_idle,
) -> Ahead:
    """From now on, with these commands (kind, payload) given now, until `is_over`, for so long at most.

    Not more than so many seconds of the processor's time. Raises checkpoints.Unreadable.
    """
    engine = upgrades.restore(cluster).engine
    now_ms = reads.virtual_now_ms(cluster)
    engine.run_until(now_ms)
    engine.take_changes()
    refusals = []
    for number, (kind, payload) in enumerate(commands, 1):
        result = engine.submit(Order(id=f"ahead-{number}", kind=kind, payload=payload))
        if not result.ok:
            refusals.append(str((result.status or {}).get("message") or f"code {result.code}"))
    run = _Run(engine, time.thread_time() + cpu_seconds, is_over)
    if not refusals:
        run.to(now_ms + span_ms, _owed_steps(cluster, now_ms + span_ms))
    return Ahead(engine, run.rows, now_ms, engine.now_ms, run.end, tuple(refusals))


def _owed_steps(cluster: Cluster, until_ms: int) -> list[Command]:
    waiting = cluster.commands.filter(state=Command.State.PENDING, pinned_ms__lte=until_ms)
    return list(waiting.order_by("pinned_ms", "order"))


class _Run:
    """Keeps the rows, and stops in time."""

    def __init__(self, engine: Engine, deadline: float, is_over: Callable[[Engine], bool]) -> None:
        self.engine = engine
        self.deadline = deadline
        self.is_over = is_over
        self.rows: list[Row] = []
        self.end = "span"
        self.owed = 0

    def to(self, until_ms: int, steps: list[Command]) -> None:
        self.owed = len(steps)
        self._stop(self.engine)
        for step in steps:
            assert step.pinned_ms is not None, "an owed step has its instant"
            if self.end != "span" or self._run(step.pinned_ms):
                return
            self.owed -= 1
            self.engine.submit(Order(id=str(step.id), kind=step.kind, payload=step.payload))
        if self.end == "span":
            self._run(until_ms)

    def _run(self, until_ms: int) -> bool:
        """Whether it ended before that instant."""
        self.engine.run_until(max(until_ms, self.engine.now_ms), stop=self._stop)
        return self.end != "span"

    def _stop(self, engine: Engine) -> bool:
        self.rows += engine.take_changes().rows
        if time.thread_time() > self.deadline or len(self.rows) > MOST_ROWS:
            self.end = "cut"
        elif not self.owed and self.is_over(engine):
            self.end = "idle"
        return self.end != "span"
