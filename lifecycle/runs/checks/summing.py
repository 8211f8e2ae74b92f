"""From the futures of all parts to the report, by the same code that `podline check` sums up with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from lifecycle.check.asking.left_out import tell_not_run, tell_rests_on
from lifecycle.check.checking import Checked, conclude
from lifecycle.check.film import Films
from lifecycle.check.findings import Finding, explain, find_findings
from lifecycle.check.life import Future
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.remedies.curing import cure
from lifecycle.check.report import Report, Where
from lifecycle.check.scorecard import Card, join_cards
from lifecycle.check.trials import Trial
from lifecycle.models import Check
from lifecycle.runs.checks import futures
from lifecycle.runs.checks.grounds import Grounds

Lived = list[tuple[Trial, Future]]
MOST_FINDINGS = 500
"""So many are told, the gravest; the scorecard counts all."""


class Summed(NamedTuple):
    """What a check comes to."""

    report: dict[str, Any]
    counterexamples: dict[str, Any]
    remarks: list[str]


def gather(check: Check, found: Grounds) -> tuple[Card, Lived]:
    """The whole scorecard, and every future with its trial, in order."""
    cards: list[Card] = [check.card]
    lived: Lived = []
    for part in check.parts.iterator():
        cards.append(part.card)
        for number, data in enumerate(part.futures, part.first):
            lived.append((found.job(number)[0], futures.from_json(data)))
    return join_cards(cards), lived


def sum_up(check: Check, found: Grounds, lived: Lived, is_wanted: Callable[[], bool]) -> Summed | None:
    """The report with what led to each finding; None when nobody wants it any more."""
    every = find_findings(found.settled, lived, len(found.seeds), found.untouched)
    findings = every[:MOST_FINDINGS]
    for _, group in groupby(sorted(findings, key=_place), key=_place):
        if not is_wanted():
            return None
        explain(found.settled, list(group))
    untried = cure(found.settled, [*lived, *found.untouched], findings, is_wanted=is_wanted)
    if not is_wanted():
        return None
    checked = conclude(found.settled, lived, found.seeds, findings, untried)
    summed = tell(check, checked)
    if left_out := len(every) - len(findings):
        summed.remarks.insert(0, f"{left_out:,} more findings, no graver than these, are left out")
    return summed


def tell(check: Check, checked: Checked) -> Summed:
    """What is kept of a check whose findings are known."""
    page = f"/clusters/{check.cluster.name}/check/"
    report = Report(
        checked,
        lambda finding: Where(),
        lambda finding: f"{page}#finding-{finding.id}",
        Films(checked.settled).find,
    )
    wanted = [one for one in list_ordeals() if one.name in check.ordeals]
    remarks = [*tell_not_run(wanted, checked), *tell_rests_on(checked.settled, checked)]
    counterexamples = {one.id: _tell_counterexample(one) for one in checked.findings}
    return Summed(report.to_json(), counterexamples, remarks)


def _place(one: Finding) -> tuple[str, int]:
    """The future that it is shown by."""
    return one.worst.trial.title, one.worst.seed


def _tell_counterexample(one: Finding) -> dict[str, Any]:
    trial = one.worst.trial
    steps: Sequence[list[Any]] = [[step.at_ms, step.kind, dict(step.payload)] for step in trial.steps]
    return {"title": trial.title, "seed": one.worst.seed, "steps": steps}
