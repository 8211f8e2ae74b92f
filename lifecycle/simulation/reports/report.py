"""What came of a run, for programs: findings with the place in a file that each is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lifecycle.input.manifests import Document
from lifecycle.input.problems import Problem
from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.simulation.durations import Basis
from lifecycle.simulation.lost_requests import Lost
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.run import Outcome
from lifecycle.simulation.verdicts_at_end import Told

ERROR, WARNING, NOTE = "error", "warning", "note"
RULES = {
    "bad-input": (ERROR, "An input is refused; it was not run"),
    "refused": (ERROR, "A step of the scenario, or an object, was refused"),
    "expectation-failed": (ERROR, "A claim of `expect` does not hold"),
    "not-reached": (ERROR, "A condition of `until` was not reached"),
    "missing": (WARNING, "An object wants another one that nobody gives"),
    "assumed": (NOTE, "Something is assumed, left out, or stored without a model of it"),
}
"""By id: how grave a finding of this rule is, and what it says."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know. `file` is empty where no file is to blame, or it came by standard input."""

    rule: str
    text: str
    subject: str = ""
    file: str = ""
    line: int | None = None

    @property
    def level(self) -> str:
        """`error`, `warning` or `note`."""
        return RULES[self.rule][0]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object of the input stands."""

    subject: str
    file: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Report:
    """A run as a whole. Without `outcome` nothing was run: the input was refused."""

    exit_status: int
    findings: tuple[Finding, ...] = ()
    plan: Plan | None = None
    outcome: Outcome | None = None
    hash: str = ""
    told: tuple[Told, ...] = field(default=())
    lost: tuple[Lost, ...] = field(default=())
    bases: tuple[Basis, ...] = field(default=())


def list_places(documents: Iterable[Document]) -> list[Place]:
    """Where each object of the input stands."""
    return [Place(one.subject, _name_file(one.source), one.line_of(())) for one in documents]


def _name_file(source: str) -> str:
    """The file that something came from; "" for standard input, and for what a program has rendered."""
    return source if Path(source).is_file() else ""


def find_problems(problems: Iterable[Problem]) -> tuple[Finding, ...]:
    """Findings of what is refused of the input."""
    return tuple(
        Finding(
            "bad-input",
            _without_place(one),
            one.subject,
            _name_file(one.source),
            one.line,
        )
        for one in problems
    )


def _without_place(problem: Problem) -> str:
    text = ": ".join(part for part in (problem.subject, problem.path, problem.message) if part)
    return f"{text}; {problem.remedy}" if problem.remedy else text


def find_findings(
    plan: Plan, outcome: Outcome, notes: Iterable[str], places: Sequence[Place]
) -> tuple[Finding, ...]:
    """Findings of a run, the gravest first."""
    endless = [outcome.endless] if outcome.endless else []
    texts = [
        *(("refused", text) for text in outcome.refusals),
        *(("expectation-failed", text) for text in outcome.failures),
        *(("not-reached", f"not reached: {text}") for text in outcome.not_reached),
        *(("not-reached", text) for text in endless),
        *(("missing", f"missing: {text}") for text in plan.missing),
        *(("assumed", text) for text in notes),
    ]
    return tuple(_place(rule, text, places) for rule, text in texts)


def _place(rule: str, text: str, places: Sequence[Place]) -> Finding:
    """The finding at the object that its text names; of several the one with the longest name."""
    words = f" {text} "
    named = [one for one in places if one.subject and any(f" {one.subject}{end}" in words for end in " :,.(")]
    if rule in ("refused", "expectation-failed", "not-reached") and not named:
        named = [one for one in places if one.subject.startswith("Scenario ")]
    if not named:
        return Finding(rule, text)
    best = max(named, key=lambda one: len(one.subject))
    return Finding(rule, text, best.subject, best.file, best.line)
