"""How much of a claim may fail: budgets of claims, of all workloads and of one. Pure.

claims:
  no-request-lost: {atMost: 500ms}       # so much of all requests may be lost
  no-hard-kill: {atMost: 1}              # so many containers may be killed
  whole-again: {within: 5m}              # in place of the time that an ordeal gives
  one-writer: {severity: minor}          # or none: the claim is not made
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.check.claims import CLAIMS, list_claims
from lifecycle.check.facts import list_about
from lifecycle.check.life import Future
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.scene import SERIOUS, SEVERITIES, Violation
from lifecycle.check.settled import Settled
from lifecycle.check.trials import Trial
from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.engine.objects.shortened import shorten
from lifecycle.engine.programs.reading import Reader
from lifecycle.engine.rules.telling.verdicts import tell_span
from lifecycle.lean_dataclasses import dataclass, field, replace
from lifecycle.lean_tuples import NamedTuple

WHOLE_AGAIN = "whole-again"
NONE = "none"
AT_MOST, WITHIN, SEVERITY = "atMost", "within", "severity"
_MEASURED = ("rollout-keeps-its-budget", "budget-kept", "no-request-lost")
"""The amount of a violation is a time."""
_COUNTED = ("no-hard-kill", "no-restart-storm")
"""The amount of a violation is a number."""
MOST = 1_000_000
"""The largest number that may be allowed."""


class Limit(NamedTuple):
    """`at_most`: in ms, or how many. What is None is as it is for everybody."""

    at_most: int | None = None
    within_ms: int | None = None
    severity: str | None = None


ByClaim = Mapping[str, Limit]


@dataclass(frozen=True, slots=True)
class Limits:
    """`of_all` by claim; `of_one` by the title of a workload, then by claim."""

    of_all: ByClaim = field(default_factory=dict)
    of_one: Mapping[str, ByClaim] = field(default_factory=dict)

    def find(self, claim: str, titles: Iterable[str]) -> Limit:
        """What holds for a claim about workloads: what is said of the first that anything is said of."""
        found = [self.of_one[one][claim] for one in titles if claim in self.of_one.get(one, {})]
        special, usual = found[0] if found else Limit(), self.of_all.get(claim, Limit())
        said = {name: value for name, value in special._asdict().items() if value is not None}
        return usual._replace(**said)

    def longest_ms(self) -> int:
        """The longest time that anything may take to be whole again."""
        every = [self.of_all, *self.of_one.values()]
        return max((one[WHOLE_AGAIN].within_ms or 0 for one in every if WHOLE_AGAIN in one), default=0)


class Judge:
    """Grades what futures violate. `ordeals`: those to live through, which last as long as limits allow."""

    def __init__(self, limits: Limits, ordeals: Sequence[Ordeal]) -> None:
        self._limits = limits
        longest_ms = limits.longest_ms()
        self.ordeals = [replace(one, within_ms=max(one.within_ms, longest_ms)) for one in ordeals]

    def judge(self, settled: Settled, trial: Trial, future: Future) -> Future:
        """The same future, with what is not allowed in it."""
        graded = [self._grade(settled, one) for one in future.violations]
        graded += self._list_late(settled, trial, future)
        return future._replace(violations=tuple(one for one in graded if one is not None))

    def _grade(self, settled: Settled, one: Violation) -> Violation | None:
        limit = self._limits.find(one.claim, list_about(one.object, settled))
        if limit.severity == NONE or (limit.at_most is not None and one.amount <= limit.at_most):
            return None
        return one._replace(severity=limit.severity) if limit.severity else one

    def _list_late(self, settled: Settled, trial: Trial, future: Future) -> Iterator[Violation]:
        """What was whole again, but later than it may be; what never was violates the claim itself."""
        took_ms = future.figures.recovery_ms
        if took_ms is None or WHOLE_AGAIN not in list_claims(trial.ordeal):
            return
        for one in trial.workloads:
            limit = self._limits.find(WHOLE_AGAIN, [one.title])
            allowed_ms = limit.within_ms
            if allowed_ms is not None and took_ms > allowed_ms and limit.severity != NONE:
                text = f"whole again after {tell_span(took_ms)}; {tell_span(allowed_ms)} are allowed"
                at_ms, late_ms = settled.now_ms + allowed_ms, took_ms - allowed_ms
                severity = limit.severity or SERIOUS
                yield Violation(WHOLE_AGAIN, one.title, severity, at_ms, text, None, late_ms)


def read_limits(reader: Reader, value: Any, path: str) -> dict[str, Limit]:
    """The limits by claim that a mapping gives; every mistake is noted, and left out."""
    given = reader.mapping(value, path, tuple(CLAIMS))
    return {claim: _read_limit(reader, claim, given[claim], f"{path}.{claim}") for claim in given}


def list_fields(claim: str) -> tuple[str, ...]:
    """What may be said of a claim."""
    at_most = (AT_MOST,) if claim in _MEASURED or is_counted(claim) else ()
    return (*((WITHIN,) if claim == WHOLE_AGAIN else ()), *at_most, SEVERITY)


def is_counted(claim: str) -> bool:
    """Whether the most that is allowed of a claim is a number; else it is a time."""
    return claim in _COUNTED


def _read_limit(reader: Reader, claim: str, value: Any, path: str) -> Limit:
    given = reader.mapping(value, path, list_fields(claim))
    if is_counted(claim):
        at_most = reader.number(given, AT_MOST, path, 0, MOST)
    else:
        at_most = read_ms(reader, given, AT_MOST, path)
    severity = read_choice(reader, given, SEVERITY, path, (*SEVERITIES, NONE))
    return Limit(at_most, read_ms(reader, given, WITHIN, path), severity)


def read_ms(reader: Reader, given: Mapping[str, Any], key: str, path: str) -> int | None:
    """A span of time; None, noted, for what is none."""
    if key not in given:
        return None
    found = read_duration_ms(given[key]) if isinstance(given[key], str) else None
    if found is None:
        reader.note(f"{path}.{key}", f"{shorten(given[key])} is no duration; write for example 500ms or 5m")
    return found


def read_choice(
    reader: Reader, given: Mapping[str, Any], key: str, path: str, choices: Sequence[str]
) -> str | None:
    """One of a few words; None, noted, for any other."""
    if key not in given:
        return None
    if given[key] not in choices:
        reader.note(f"{path}.{key}", f"{shorten(given[key])} must be one of {', '.join(choices)}")
        return None
    return str(given[key])
