"""The scorecard: by workload and family of ordeals the severity of the worst finding. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle.check.facts import list_about
from lifecycle.check.findings import Finding
from lifecycle.check.report import Report
from lifecycle.check.untouched import UNTOUCHED, is_down
from lifecycle.lean_tuples import NamedTuple

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "rollouts": (
        *("rollout-healthy", "rollout-slow", "rollout-never-ready", "rollout-crashing"),
        *("rollout-unpullable", "rollout-ignores-term", "undo", "restart-all"),
    ),
    "drains": ("drain-each", "drain-all", "spot"),
    "upgrades": ("upgrade-control-plane", "upgrade-nodes"),
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
_FAMILY_BY_ORDEAL[UNTOUCHED.name] = UNTOUCHED.name


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
    settled, worst = report.checked.settled, dict[tuple[str, str], Cell]()
    # The gravest come first.
    for finding in report.findings:
        family = find_family(finding.worst.trial.ordeal.name)
        for title in list_about(finding.object, settled) or [CLUSTER]:
            worst.setdefault((title, family), Cell(finding.severity, finding))
    shown = {family for _, family in (*tried, *worst)}
    families = tuple(one for one in (UNTOUCHED.name, *FAMILIES, OWN) if one in shown)
    if UNTOUCHED.name in families:
        tried |= {(one.title, UNTOUCHED.name) for one in settled.workloads}
    # What never came up passes no ordeal.
    down = {one.title for one in settled.workloads if is_down(one, settled)}
    told = {title for title, _ in (*tried, *worst)}
    rows = []
    for title in (*(one.title for one in settled.workloads), CLUSTER):
        if title in told:
            fine = {
                one: Cell(FINE if (title, one) in tried and title not in down else NOT_TRIED)
                for one in families
            }
            rows.append(Row(title, {one: worst.get((title, one), cell) for one, cell in fine.items()}))
    return Scorecard(families, tuple(rows))
