"""Drives a cluster through a plan as fast as it goes, handing every row on as soon as its instant is over.

Memory does not grow with the trace: rows are taken after each drained instant and given to the sink.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from lifecycle.engine import Changes, Cluster, Command
from lifecycle.engine.heart.timing import Timing
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.rules.nodes.drains import CANCELLED, DONE, DRAIN, ENDS
from lifecycle.input.expressions import Look
from lifecycle.input.scenario import IDLE, READY, Until, format_duration
from lifecycle.lean_dataclasses import dataclass
from lifecycle.simulation.expectations import Watches
from lifecycle.simulation.installation import PAUSE_MS, Installation, Task, list_tasks
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.rejections import Rejections
from lifecycle.simulation.upgrade import UpgradeReport, list_pruned

if TYPE_CHECKING:
    from lifecycle.input.scenario_steps import Step
    from lifecycle.simulation.readiness import Readiness

LIMIT_MS = 24 * 60 * 60 * 1000
"""A run always ends after a virtual day."""
READY_LIMIT_MS = 60 * 60 * 1000
"""What is not well after an hour is not waited for, unless a later instant was asked for."""
DONE_AS_ASKED, FAILED, BAD_INPUT, NOT_REACHED = range(4)
EXIT_STATUSES = {
    DONE_AS_ASKED: "done",
    FAILED: "a claim of `expect` failed; a step or a part of a folder was refused; each is named on stderr",
    BAD_INPUT: "bad input, and nothing was run; each problem is named with its object and field",
    NOT_REACHED: "a condition of `until` was not reached",
}
"""What the exit status of `simulate` says."""


class Sink(Protocol):
    """Where the trace goes."""

    def take(self, changes: Changes) -> None:
        """What one instant changed."""


class Tee:
    """Hands the same changes to several sinks."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = sinks

    def take(self, changes: Changes) -> None:
        for sink in self._sinks:
            sink.take(changes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: why (`until`, `condition`, `idle`, `limit`), when, and what went wrong.

    `endless`: why it was ended though nothing said so. `upgrade`: what that changed, and what it cost.
    `is_partial`: something of the input was refused, and left out.
    """

    why: str
    at_ms: int
    failures: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    not_reached: tuple[str, ...] = ()
    endless: str = ""
    upgrade: tuple[str, ...] = ()
    is_partial: bool = False

    @property
    def exit_status(self) -> int:
        """One of `EXIT_STATUSES`: what has failed comes before what was not reached."""
        if self.failures or self.refusals or self.is_partial:
            return FAILED
        return NOT_REACHED if self.not_reached else DONE_AS_ASKED


def run(plan: Plan, sink: Sink, limit_ms: int = LIMIT_MS) -> tuple[Outcome, Cluster]:
    """Run a plan to its end. The cluster comes back as it stands then, for whoever wants to look."""
    driver = Driver(plan, sink, limit_ms)
    outcome = driver.run()
    return outcome, driver.cluster


@dataclass(slots=True)
class End:
    """A condition of the end about an object."""

    look: Look
    has_existed: bool = False

    def holds(self, cluster: Cluster) -> bool:
        """What was never there cannot be gone."""
        verdict = self.look.at(cluster)
        self.has_existed = self.has_existed or verdict.exists
        return verdict.holds and (self.has_existed or self.look.expression.test != "gone")


def _make_readiness(forgets: bool) -> Readiness:
    from lifecycle.simulation.readiness import Readiness

    return Readiness(forgets)


class Driver:
    """One run. Steps enter at their instants; claims and the end are looked at after every instant."""

    def __init__(self, plan: Plan, sink: Sink, limit_ms: int = LIMIT_MS) -> None:
        self.plan = plan
        self.sink = sink
        is_awaited = any(one.text == READY for one in plan.untils)
        forgets = bool(plan.steps or plan.then)
        self.readiness = _make_readiness(forgets) if is_awaited or plan.then else None
        self.limit_ms = min(limit_ms, _limit_of_ready_ms(plan)) if is_awaited else limit_ms
        self.cluster = Cluster(plan.seed, plan.epoch_ms, plan.settings)
        self.watches = Watches(
            plan.expects, plan.sequences, is_instant=Timing(plan.settings.timing).is_instant
        )
        self.refusals: list[str] = []
        # Drains that go on, by their commands: what they came to is known when they end.
        self.drains: dict[str, tuple[str, str | None]] = {}
        self.steps_left = len(plan.steps)
        self.report = UpgradeReport()
        self.installation = Installation(
            _list_all_tasks(plan),
            lambda command, subject: self._submit(command, subject, None),
            lambda: self.readiness is None or self.readiness.is_ready,
            self.report,
        )
        self.borders_ms = self._borders()
        self.rejections = Rejections()
        self.ends = {
            until: End(Look(until.expression)) for until in plan.untils if until.expression is not None
        }

    def run(self) -> Outcome:
        self._make_objects()
        for border_ms in self.borders_ms:
            if self._is_over(self.cluster) or self._is_endless():
                break
            if not self._live_until(border_ms):
                break
            self._do_steps(border_ms)
            self._settle()
        return self._finish()

    def _live_until(self, border_ms: int) -> bool:
        """Go on to a border, past the ends of hooks; False where the run is over before it."""
        while True:
            if not self.installation.is_due(self.cluster):
                # The callback looks at every instant on the way; the border is looked at after its steps.
                aim_ms = min(border_ms, self.installation.deadline_ms)
                reached_ms = self.cluster.run_until(aim_ms, stop=self._after_instant)
                if not self.installation.is_due(self.cluster):
                    return reached_ms == border_ms
            self._make_objects()
            if self._is_over(self.cluster):
                return False

    def _make_objects(self) -> None:
        self.installation.advance(self.cluster)
        self._settle()

    def _do_steps(self, now_ms: int) -> None:
        for number, step in enumerate(self.plan.steps, 1):
            if step.at_ms == now_ms:
                command = Command(id=f"step-{number}", kind=step.kind, payload=step.payload)
                self.steps_left -= 1
                # It may have ended what went round in circles.
                self.rejections = Rejections()
                self._submit(command, f"step {number}, {step.kind} at {format_duration(now_ms)}", step)

    def _submit(self, command: Command, subject: str, step: Step | None) -> None:
        """A refusal is a failure, unless the step says that it must be refused."""
        result = self.cluster.submit(command)
        wanted = None if step is None else step.refused
        if command.kind == DRAIN and result.ok and not command.payload.get("cancel"):
            self.drains[command.id] = subject, wanted
            return
        answer = str((result.status or {}).get("message") or f"code {result.code}")
        self._judge(subject, wanted, None if result.ok else answer)

    def _judge(self, subject: str, wanted: str | None, answer: str | None) -> None:
        """`wanted`: a text that a refusal must hold, None where none may be; `answer`: what it says."""
        if wanted is None and answer is not None:
            self.refusals.append(f"{subject} was refused: {answer}")
        elif wanted is not None and answer is None:
            self.refusals.append(f'{subject} was not refused; it must be, saying "{wanted}"')
        elif wanted is not None and answer is not None and wanted not in answer:
            self.refusals.append(f'{subject} was refused, but not with "{wanted}": {answer}')

    def _follow_drains(self, rows: Sequence[Row]) -> None:
        """A drain that gives up is a step that was refused, only later; the last of several nodes counts."""
        for row in rows:
            if isinstance(row, Transition) and row.field == DRAIN and row.new in ENDS:
                detail = row.detail or {}
                known = self.drains.get(str(detail.get("command")))
                if known is not None and (row.new != DONE or not detail.get("left")):
                    del self.drains[str(detail.get("command"))]
                    is_well = row.new in (DONE, CANCELLED)
                    self._judge(*known, None if is_well else row.message or row.new)

    def _borders(self) -> list[int]:
        """All instants at which something is to be done from outside, in order, the limit last."""
        times = {step.at_ms for step in self.plan.steps} | self.watches.borders
        times |= {until.at_ms for until in self.plan.untils if until.at_ms is not None}
        return [*sorted(time for time in times if time < self.limit_ms), self.limit_ms]

    def _settle(self) -> None:
        """Take what has happened at this instant, and look at every claim."""
        self._take(self.cluster)
        self.watches.look_at_all(self.cluster, self.cluster.now_ms)

    def _after_instant(self, cluster: Cluster) -> bool:
        changed = self._take(cluster)
        self.watches.look_at(changed, cluster, cluster.now_ms)
        return self.installation.is_due(cluster) or self._is_over(cluster) or self._is_endless()

    def _take(self, cluster: Cluster) -> set[tuple[str, str, str]]:
        changes = cluster.take_changes()
        self.sink.take(changes)
        self.watches.take(changes.rows)
        self.rejections.take(changes.versions)
        if self.readiness is not None:
            self.readiness.take(changes.versions)
            self.report.take(changes.rows, self.readiness.is_ready, cluster.now_ms)
        if self.drains:
            self._follow_drains(changes.rows)
        return {version.new.key for version in changes.versions}

    def _is_over(self, cluster: Cluster) -> bool:
        """Do all conditions of the end hold together? Without any, a run ends when nothing moves."""
        if not self.plan.untils:
            return self._is_idle(cluster)
        # All are looked at every time: what comes and goes while others wait has existed.
        held = [self._holds(until, cluster) for until in self.plan.untils]
        return all(held)

    def _is_endless(self) -> bool:
        """Does a run that may end at any instant go round in circles, with nothing to come that ends it?"""
        # The last border is the limit itself.
        return bool(self.rejections.told) and all(one <= self.cluster.now_ms for one in self.borders_ms[:-1])

    def _is_idle(self, cluster: Cluster) -> bool:
        return self._is_all_begun() and cluster.is_idle()

    def _is_all_begun(self) -> bool:
        return self.steps_left == 0 and self.installation.is_done

    def _holds(self, until: Until, cluster: Cluster) -> bool:
        if until.at_ms is not None:
            return cluster.now_ms >= until.at_ms
        if until.text == READY and self.readiness is not None:
            return self._is_all_begun() and self.readiness.is_ready
        end = self.ends.get(until)
        return self._is_idle(cluster) if end is None else end.holds(cluster)

    def _tell(self, until: Until) -> str:
        """A condition of the end that was missed."""
        if until.text == READY and self.readiness is not None:
            return f"{READY}: {self.readiness.tell()}"
        if until.expression is None:
            return until.text
        return f"{until.text}: {until.expression.evaluate(self.cluster).seen}"

    def _finish(self) -> Outcome:
        now_ms = self.cluster.now_ms
        is_over = self._is_over(self.cluster)
        for subject, wanted in self.drains.values():
            # What has not ended was not refused either.
            self._judge(subject, wanted, None)
        missed = [self._tell(until) for until in self.plan.untils if not self._holds(until, self.cluster)]
        if not (is_over or self.plan.untils) and self.rejections.told:
            missed = [IDLE]
        if self.installation.failure:
            self.refusals.append(self.installation.failure)
        self.cluster.close_series()
        self._take(self.cluster)
        return Outcome(
            why=_name_end(self.plan.untils) if is_over else "limit",
            at_ms=now_ms,
            failures=tuple(self.watches.finish(now_ms)),
            refusals=tuple(self.refusals),
            not_reached=tuple(missed),
            upgrade=tuple(self.report.tell()),
            is_partial=bool(self.plan.refused),
            endless=self.installation.tell_unfinished() or ("" if is_over else self.rejections.told),
        )


def _list_all_tasks(plan: Plan) -> list[Task]:
    """An installation, and the upgrade behind it."""
    tasks, new = list_tasks(plan.objects, plan.subjects, plan.hooks), plan.then
    if new is None:
        return tasks
    made = [Task(*one) for one in zip(plan.objects, plan.subjects, strict=True)][: plan.extra]
    old = [task for task in tasks if task not in made]
    wanted = list_tasks(new.objects, new.subjects, new.hooks)
    pruned = list_pruned(old, wanted)
    return [*tasks, Task({}, "", is_pause=True), *list_tasks(new.objects, new.subjects, new.hooks, pruned)]


def _limit_of_ready_ms(plan: Plan) -> int:
    """When a run that waits until all is ready gives up; steps get as long as any other beginning."""
    asked = [until.at_ms for until in plan.untils if until.at_ms is not None]
    begun_ms = max((step.at_ms for step in plan.steps), default=0) + (PAUSE_MS if plan.then else 0)
    return max([begun_ms + READY_LIMIT_MS, *asked])


def _name_end(untils: Sequence[Until]) -> str:
    if any(until.expression is not None or until.text == READY for until in untils):
        return "condition"
    return "until" if any(until.at_ms is not None for until in untils) else IDLE
