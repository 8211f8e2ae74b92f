"""What will come: a cluster taken up in this process and run ahead of its present, recorded nowhere.

The same engine from the same instant: what it does is what the cluster will do, unless somebody asks it for
something else meanwhile. Steps that a scenario still owes are taken at their instants, also those between the
last recorded instant and now.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Case, F, Q, When

from lifecycle import reads
from lifecycle.engine import Changes
from lifecycle.engine import Cluster as Engine
from lifecycle.engine import Command as Order
from lifecycle.engine.heart.trace import Row
from lifecycle.models import Cluster, Command
from lifecycle.runs import checkpoints, upgrades

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
    at_start: Callable[[Engine], None] | None = None,
    watch: Callable[[Changes], None] | None = None,
) -> Ahead:
    """From now on, with these commands (kind, payload) given now, until `is_over`, for so long at most.

    Not more than so many seconds of the processor's time. `at_start` sees the engine as it stands now, before
    the commands: what is recorded is older than that. `watch` is told of all that is not recorded, before now
    and after. Raises checkpoints.Unreadable.
    """
    engine = upgrades.restore(cluster).engine
    now_ms = reads.virtual_now_ms(cluster)
    coming = _list_coming(cluster, now_ms + span_ms)
    unrecorded = _run_to_now(engine, now_ms, [step for step in coming if step.due_ms <= now_ms])
    if watch is not None:
        watch(unrecorded)
    if at_start is not None:
        at_start(engine)
    refusals = []
    for number, (kind, payload) in enumerate(commands, 1):
        result = engine.submit(Order(id=f"ahead-{number}", kind=kind, payload=payload))
        if not result.ok:
            refusals.append(str((result.status or {}).get("message") or f"code {result.code}"))
    run = _Run(engine, time.thread_time() + cpu_seconds, is_over, watch)
    if not refusals:
        run.to(now_ms + span_ms, [step for step in coming if step.due_ms > now_ms])
    return Ahead(engine, run.rows, now_ms, engine.now_ms, run.end, tuple(refusals))


class _Step(NamedTuple):
    """A command that is not in the engine that was taken up, and when it enters."""

    due_ms: int
    order: Order


def _list_coming(cluster: Cluster, until_ms: int) -> list[_Step]:
    """The steps that a scenario owes, and what entered since the cluster's cursor was read."""
    owed = Q(state=Command.State.PENDING, pinned_ms__lte=until_ms)
    entered = Q(state=Command.State.DONE, instant_ms__gt=cluster.instant_ms)
    due = Case(When(state=Command.State.DONE, then=F("instant_ms")), default=F("pinned_ms"))
    found = cluster.commands.filter(owed | entered).annotate(due_ms=due).order_by("due_ms", "order")
    return [_Step(one.due_ms, checkpoints.engine_command(one)) for one in found]


def _run_to_now(engine: Engine, now_ms: int, steps: Sequence[_Step]) -> Changes:
    """Live through what is not recorded yet: what that changed."""
    for step in steps:
        engine.run_until(step.due_ms)
        engine.submit(step.order)
    engine.run_until(now_ms)
    return engine.take_changes()


class _Run:
    """Keeps the rows, and stops in time."""

    def __init__(
        self,
        engine: Engine,
        deadline: float,
        is_over: Callable[[Engine], bool],
        watch: Callable[[Changes], None] | None,
    ) -> None:
        self.engine = engine
        self.deadline = deadline
        self.is_over = is_over
        self.watch = watch
        self.rows: list[Row] = []
        self.end = "span"
        self.owed = 0

    def to(self, until_ms: int, steps: Sequence[_Step]) -> None:
        self.owed = len(steps)
        # Under `instant` all that the commands lead to may be of this instant.
        self.engine.run_until(self.engine.now_ms)
        self._stop(self.engine)
        for step in steps:
            if self.end != "span" or self._run(step.due_ms):
                return
            self.owed -= 1
            self.engine.submit(step.order)
        if self.end == "span":
            self._run(until_ms)

    def _run(self, until_ms: int) -> bool:
        """Whether it ended before that instant."""
        self.engine.run_until(max(until_ms, self.engine.now_ms), stop=self._stop)
        return self.end != "span"

    def _stop(self, engine: Engine) -> bool:
        changes = engine.take_changes()
        self.rows += changes.rows
        if self.watch is not None:
            self.watch(changes)
        if time.thread_time() > self.deadline or len(self.rows) > MOST_ROWS:
            self.end = "cut"
        elif not self.owed and self.is_over(engine):
            self.end = "idle"
        return self.end != "span"
