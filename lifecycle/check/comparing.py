"""What a change makes better or worse: the findings of now beside those of an earlier check. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lifecycle.check.findings import Finding
from lifecycle.check.scene import SEVERITIES
from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple

NEW, WORSE, SAME, BETTER = "new", "worse", "same", "better"
KINDS = (NEW, WORSE, BETTER, SAME)
NOTABLE_PERCENT = 10
"""So many more of 100 futures are worse, or fewer are better: less than that is chance."""


class Earlier(NamedTuple):
    """A finding as a report has it."""

    id: str
    ordeal: str
    claim: str
    severity: str
    object: str
    text: str
    times: int
    of: int

    @classmethod
    def from_finding(cls, one: Finding) -> Earlier:
        """A finding as a report would have it."""
        text = one.worst.violation.text
        return cls(one.id, one.ordeal, one.claim, one.severity, one.object, text, one.times, one.of)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Earlier:
        """One of `findings`. Raises KeyError, TypeError or ValueError for what is none."""
        found = cls(*(data[name] for name in cls._fields))
        words, counts = found[:-2], (found.times, found.of)
        if not all(isinstance(one, str) for one in words) or not all(isinstance(one, int) for one in counts):
            raise TypeError("a finding has words and counts")
        if found.severity not in SEVERITIES or found.of < 1:
            raise ValueError(f"no finding is {found.severity}, {found.times} of {found.of}")
        return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """`label`: with what it is compared; `kinds`: NEW, WORSE, SAME or BETTER by the id of each finding."""

    label: str
    kinds: Mapping[str, str]
    fixed: tuple[Earlier, ...]

    def is_to_blame(self, finding_id: str) -> bool:
        """Whether the change brought it, or made it worse."""
        return self.kinds[finding_id] in (NEW, WORSE)


def compare(now: Iterable[Earlier], before: Iterable[Earlier], label: str) -> Comparison:
    """Each finding beside the one with its id."""
    known = {one.id: one for one in before}
    kinds = {one.id: _tell_kind(one, known.get(one.id)) for one in now}
    fixed = tuple(one for one in known.values() if one.id not in kinds)
    return Comparison(label, kinds, fixed)


def _tell_kind(now: Earlier, before: Earlier | None) -> str:
    if before is None:
        return NEW
    graver = SEVERITIES.index(before.severity) - SEVERITIES.index(now.severity)
    if graver:
        return WORSE if graver > 0 else BETTER
    more_percent = 100 * now.times / now.of - 100 * before.times / before.of
    if abs(more_percent) < NOTABLE_PERCENT:
        return SAME
    return WORSE if more_percent > 0 else BETTER
