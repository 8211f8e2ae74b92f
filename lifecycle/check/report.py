"""A check with all that is told of it; as JSON by the contract of `podline check -o json`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lifecycle.check.checking import Checked, Summary
from lifecycle.check.comparing import Comparison
from lifecycle.check.film import Film
from lifecycle.check.findings import Finding, Remedied
from lifecycle.check.scene import SERIOUS, SEVERITIES
from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.lean_tuples import NamedTuple

SCHEMA_VERSION = 1
FINE, FOUND = 0, 1


class Where(NamedTuple):
    """Where an object stands in the input. `file` is empty where no file is to blame."""

    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A check, with what its surface knows of a finding: its place, the command that opens it, its film."""

    checked: Checked
    find_place: Callable[[Finding], Where]
    tell_command: Callable[[Finding], str]
    find_film: Callable[[Finding], Film]
    command: str = "podline check"
    """What makes this report again."""
    fail_on: str = SERIOUS
    comparison: Comparison | None = None
    accepted: Mapping[str, str] = field(default_factory=dict)
    """By the id of a finding why it is accepted."""
    not_run: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()

    @property
    def findings(self) -> Sequence[Finding]:
        """All, the gravest first."""
        return self.checked.findings

    @property
    def exit_status(self) -> int:
        """Whether any finding fails the check."""
        return FOUND if any(map(self.is_failing, self.findings)) else FINE

    def is_failing(self, one: Finding) -> bool:
        """Whether it is grave enough, nobody has accepted it, and what is compared is to blame."""
        is_grave = SEVERITIES.index(one.severity) <= SEVERITIES.index(self.fail_on)
        is_new = self.comparison is None or self.comparison.is_to_blame(one.id)
        return is_grave and is_new and one.id not in self.accepted

    def tell_standing(self, one: Finding) -> str:
        """`new`, `worse`, `accepted: …`; "" where there is nothing to say."""
        if one.id in self.accepted:
            return f"accepted: {self.accepted[one.id]}"
        return self.comparison.kinds[one.id] if self.comparison else ""

    def to_json(self) -> dict[str, Any]:
        """Plain data, in the order of the contract."""
        checked = self.checked
        return {
            "schema_version": SCHEMA_VERSION,
            "kubernetes": checked.settled.plan.settings.release.name,
            "seeds": len(checked.seeds),
            "ordeals": [_summary(one) for one in checked.summaries],
            "findings": [self.finding_to_json(one) for one in checked.findings],
        }

    def finding_to_json(self, one: Finding) -> dict[str, Any]:
        """One of `findings`."""
        place = self.find_place(one)
        return {
            "id": one.id,
            "ordeal": one.ordeal,
            "claim": one.claim,
            "severity": one.severity,
            "object": one.object,
            "file": place.file or None,
            "line": place.line,
            "text": one.worst.violation.text,
            "times": one.times,
            "of": one.of,
            "counterexample": {
                "seed": one.worst.seed,
                "at_ms": one.worst.violation.at_ms,
                "command": self.tell_command(one),
            },
            "because": list(one.because),
            "known_as": list(one.known_as),
            "remedies": [_remedy(cure) for cure in one.remedies],
        }


def _remedy(cure: Remedied) -> dict[str, Any]:
    return {"text": cure.text, "patch": cure.patch, "figures": cure.figures, "price": cure.price}


def _summary(one: Summary) -> dict[str, Any]:
    return {
        "name": one.ordeal.name,
        "text": one.ordeal.text,
        "workloads": list(one.workloads),
        "figures": one.figures,
        "end": one.end,
    }


def count_by_severity(findings: Sequence[Finding]) -> dict[str, int]:
    """How many findings there are of each severity."""
    counts: dict[str, int] = {}
    for one in findings:
        counts[one.severity] = counts.get(one.severity, 0) + 1
    return counts
