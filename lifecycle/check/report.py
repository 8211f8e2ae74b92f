"""The report as JSON: contract of `podline check -o json`. Arrays are never null."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lifecycle.check.checking import Checked, Summary
from lifecycle.check.findings import Finding
from lifecycle.lean_tuples import NamedTuple

SCHEMA_VERSION = 1


class Where(NamedTuple):
    """Where an object stands in the input. `file` is empty where no file is to blame."""

    file: str = ""
    line: int | None = None


class Report(NamedTuple):
    """A check, with what only its surface knows: `find_place` of objects, `tell_command` of findings."""

    checked: Checked
    find_place: Callable[[str], Where]
    tell_command: Callable[[Finding], str]

    def to_json(self) -> dict[str, Any]:
        """Plain data, in the order of the contract."""
        checked = self.checked
        return {
            "schema_version": SCHEMA_VERSION,
            "kubernetes": checked.settled.plan.settings.release.name,
            "seeds": len(checked.seeds),
            "ordeals": [_summary(one) for one in checked.summaries],
            "findings": [self._finding(one) for one in checked.findings],
        }

    def _finding(self, one: Finding) -> dict[str, Any]:
        place = self.find_place(one.object)
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
            "remedies": [
                {"text": cure.text, "patch": cure.patch, "figures": cure.figures, "price": cure.price}
                for cure in one.remedies
            ],
        }


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
