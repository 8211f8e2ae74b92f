"""What all outputs for people say in the same words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lifecycle.check.checking import Summary
from lifecycle.check.claims.requests import CLAIM as LOST
from lifecycle.check.claims.stuck import CLAIM as STUCK
from lifecycle.check.comparing import KINDS
from lifecycle.check.findings import Finding, Remedied
from lifecycle.check.limits import WHOLE_AGAIN
from lifecycle.check.report import Report, count_by_severity
from lifecycle.check.scene import SEVERITIES
from lifecycle.engine.rules.telling.verdicts import tell_instant, tell_span
from lifecycle.lost_requests import tell_worth

_MOST_NAMES = 3
_OF_STUCK = (WHOLE_AGAIN, LOST)
_ENDS = {"degraded": "not whole again, but serving", "stuck": "stuck"}


def tell_total(findings: Sequence[Finding]) -> str:
    """`3 findings: 1 critical, 2 minor`"""
    if not findings:
        return "no findings"
    counts = count_by_severity(findings)
    told = ", ".join(f"{counts[one]} {one}" for one in SEVERITIES if one in counts)
    return f"{len(findings)} finding{'' if len(findings) == 1 else 's'}: {told}"


def tell_verdict(report: Report) -> str:
    """How the check ended, in one line."""
    total = tell_total(report.findings)
    failing = sum(map(report.is_failing, report.findings))
    if not report.findings or failing == len(report.findings):
        return total
    return f"{total}; {failing or 'none'} of them fail{'s' if failing == 1 else ''} the check"


def group_faults(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Those of one claim about one object, the gravest first: other ordeals show the same fault.

    What is stuck is not whole again, and serves nobody: that is one fault as well.
    """
    stuck = {(one.worst.trial.title, one.object) for one in findings if one.claim == STUCK}
    found: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        is_stuck = one.claim in _OF_STUCK and (one.worst.trial.title, one.object) in stuck
        found.setdefault((STUCK if is_stuck else one.claim, one.object), []).append(one)
    return list(found.values())


def tell_other(one: Finding, first: Finding, standing: str) -> str:
    """How another finding of a fault differs: `also serious in node-crash node-1 (1c33…): …`."""
    claim = f"{one.claim}, " if one.claim != first.claim else ""
    told = f" ({standing})" if standing else ""
    return (
        f"also {claim}{one.severity}{told} in {one.worst.trial.title} ({one.id}): {one.worst.violation.text}"
    )


def tell_extent(report: Report) -> str:
    """`Kubernetes v1.35, 20 futures of each ordeal`"""
    count = len(report.checked.seeds)
    release = report.checked.settled.plan.settings.release.name
    return f"Kubernetes {release}, {count} future{'' if count == 1 else 's'} of each ordeal"


def tell_headline(one: Finding) -> str:
    """What was done to whom, if to another, and what did not hold: `node-crash node-1: whole-again`."""
    trial = one.worst.trial
    done = trial.ordeal.name if trial.target == one.object else trial.title
    return f"{done}: {one.claim}"


def tell_often(one: Finding) -> str:
    """`in 7 of 20 futures; worst with seed 4 at 00:01:15`"""
    often = f"in {one.times} of {one.of} futures; worst " if one.of > 1 else ""
    return f"{often}with seed {one.worst.seed} at {tell_instant(one.worst.violation.at_ms)}"


def tell_remedy(one: Remedied) -> str:
    """`with preStop sleep 5: lost nothing, rollout 61s -> 74s`"""
    return f"with {one.text}: {one.price}" if one.price else f"with {one.text}"


def tell_workloads(titles: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Their names, or how many there are."""
    return ", ".join(titles) if len(titles) <= most else f"{len(titles)} workloads"


def tell_figures(one: Summary) -> str:
    """What one ordeal came to: `whole again in 18s to 27s, p50 21s, p95 26s; …`"""
    return "; ".join(_tell_parts(one))


def _tell_parts(one: Summary) -> Iterator[str]:
    figures = one.figures
    if one.end in _ENDS:
        yield f"{_ENDS[one.end]} at worst"
    if any(figures["recoverySeconds"].values()) or one.end not in _ENDS:
        yield f"whole again in {tell_range(figures['recoverySeconds'])}"
    yield f"fewest available {figures['fewestAvailable']['min']}"
    if figures["belowBudgetSeconds"]["max"]:
        yield f"below budget for {tell_range(figures['belowBudgetSeconds'])}"
    if figures["lostMs"]["max"]:
        lost = figures["lostMs"]
        middle = f", p50 {tell_worth(lost['p50'])}" if lost["p50"] != lost["max"] else ""
        yield f"lost {tell_worth(lost['max'])} of all requests{' at most' if middle else ''}{middle}"
    if figures["restarts"]["max"]:
        yield f"restarts {figures['restarts']['max']}"


def tell_range(seconds: dict[str, Any]) -> str:
    """`21s`, or `18s to 27s, p50 21s, p95 26s`."""
    low, high = tell_span(seconds["min"] * 1000), tell_span(seconds["max"] * 1000)
    if low == high:
        return low
    middle, most = tell_span(seconds["p50"] * 1000), tell_span(seconds["p95"] * 1000)
    return f"{low} to {high}, p50 {middle}, p95 {most}"


def tell_comparison(report: Report) -> Iterator[str]:
    """What is new, worse, better and fixed; nothing without something to compare with."""
    comparison = report.comparison
    if comparison is None:
        return
    kinds = list(comparison.kinds.values())
    counts = [f"{kinds.count(kind)} {kind}" for kind in KINDS]
    yield f"Beside {comparison.label}: {', '.join(counts)}, {len(comparison.fixed)} fixed"
    for one in comparison.fixed:
        yield f"fixed: {one.object} {one.ordeal}: {one.claim}: {one.text}"
