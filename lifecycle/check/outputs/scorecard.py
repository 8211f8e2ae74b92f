"""The scorecard: by workload and family of ordeals the severity of the worst finding. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle.check.facts import list_about
from lifecycle.check.findings import Finding
from lifecycle.check.report import Report
from lifecycle.lean_tuples import NamedTuple

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "rollouts": (
        *("rollout-healthy", "rollout-slow", "rollout-never-ready", "rollout-crashing"),
        *("rollout-unpullable", "rollout-ignores-term", "undo", "restart-all"),
    ),
    "drains": ("drain-each", "drain-all", "spot"),
    "nodes": ("node-crash", "node-cut", "node-reboot", "zone-away", "kubelet-restart"),
    "kills": ("kill-each",),
    "outages": ("registry-away", "dependency-away", "dns-away", "control-plane-away"),
    "load": ("load-double", "load-tenfold", "load-gone"),
    "room": ("full-cluster", "quota-met", "memory-pressure", "disk-pressure", "preempted"),
    "jobs": ("cron-away", "job-pod-lost"),
}
OWN = "own"
"""Of ordeals that did not come with Podline."""
FINE, NOT_TRIED = "fine", ""
CLUSTER = "the cluster"
_FAMILY_BY_ORDEAL = {name: family for family, names in FAMILIES.items() for name in names}


class Cell(NamedTuple):
    """`mark`: FINE, NOT_TRIED, or the severity of the worst finding."""

    mark: str
    finding: Finding | None = None


class Row(NamedTuple):
    """What came of one workload, by family."""

    title: str
    cells: Mapping[str, Cell]


class Scorecard(NamedTuple):
    """`families`: those that anything was tried of."""

    families: tuple[str, ...]
    rows: tuple[Row, ...]


def find_family(ordeal: str) -> str:
    """The column that an ordeal is in."""
    return _FAMILY_BY_ORDEAL.get(ordeal, OWN)


def make_scorecard(report: Report) -> Scorecard:
    """Each workload's row, and one for what is of no workload, where there is any."""
    tried = {
        (title, find_family(one.ordeal.name)) for one in report.checked.summaries for title in one.workloads
    }
    families = tuple(one for one in (*FAMILIES, OWN) if one in {family for _, family in tried})
    worst: dict[tuple[str, str], Cell] = {}
    # The gravest come first.
    for finding in report.findings:
        for title in list_about(finding.object, report.checked.settled) or [CLUSTER]:
            worst.setdefault((title, find_family(finding.ordeal)), Cell(finding.severity, finding))
    told = {title for title, _ in (*tried, *worst)}
    titles = [*(one.title for one in report.checked.settled.workloads), CLUSTER]
    rows = []
    for title in (one for one in titles if one in told):
        untouched = {one: Cell(FINE if (title, one) in tried else NOT_TRIED) for one in families}
        rows.append(Row(title, {one: worst.get((title, one), cell) for one, cell in untouched.items()}))
    return Scorecard(families, tuple(rows))
