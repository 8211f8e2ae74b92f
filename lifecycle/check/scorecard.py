"""The scorecard of a check: rows are workloads, columns ordeals; it fills while futures are lived through.

It is plain data, so that several processes can each fill in what they know:
`{"ordeal": {"Deployment/shop/web": {"of": 8, "done": 3, "isDown": false, "found": {}}}}`,
where `found` is `{"claim": {"object": "serious"}}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lifecycle.check.findings import Finding
from lifecycle.check.life import Future
from lifecycle.check.scene import SEVERITIES, Violation
from lifecycle.check.settled import Settled
from lifecycle.check.trials import Trial
from lifecycle.check.untouched import is_down

Card = dict[str, dict[str, dict[str, Any]]]


def begin_card(trials: Iterable[Trial], seeds: int, settled: Settled) -> Card:
    """The cells that will be filled, and of how many futures each.

    `isDown`: it had no pod that serves before anything was done, so it passes no ordeal.
    """
    card: Card = {}
    for trial in trials:
        for one in trial.workloads:
            cell = _find_cell(card, trial.ordeal.name, one.title)
            cell["of"] += seeds
            cell["isDown"] = is_down(one, settled)
    return card


def note_faults(card: Card, faults: Iterable[Finding], settled: Settled) -> None:
    """Write down what was wrong before all, in the ordeals that it is told in."""
    for one in faults:
        for title in list_rows(one.worst.violation, one.worst.trial, settled):
            found = _find_cell(card, one.ordeal, title)["found"]
            _note(found, one.claim, one.object, one.severity)


def fill_card(card: Card, trial: Trial, future: Future, settled: Settled) -> None:
    """Write down what came of one future."""
    for one in trial.workloads:
        _find_cell(card, trial.ordeal.name, one.title)["done"] += 1
    for violation in future.violations:
        for title in list_rows(violation, trial, settled):
            found = _find_cell(card, trial.ordeal.name, title)["found"]
            _note(found, violation.claim, violation.object, violation.severity)


def join_cards(cards: Iterable[Card]) -> Card:
    """One card of what several know."""
    joined: Card = {}
    for card in cards:
        for ordeal, cells in card.items():
            for title, cell in cells.items():
                mine = _find_cell(joined, ordeal, title)
                mine["of"] += cell["of"]
                mine["done"] += cell["done"]
                mine["isDown"] |= cell.get("isDown", False)
                for claim, objects in cell["found"].items():
                    for name, severity in objects.items():
                        _note(mine["found"], claim, name, severity)
    return joined


def list_rows(violation: Violation, trial: Trial, settled: Settled) -> list[str]:
    """The workloads that a violation is told of: its own, those around its object, else all that were met."""
    kind, _, rest = violation.object.partition("/")
    namespace, _, name = rest.partition("/")
    found = [
        one.title
        for one in settled.workloads
        if one.title == violation.object
        or (kind == "Service" and (namespace, name) in one.services)
        or (kind == "PodDisruptionBudget" and (namespace, name) in one.budgets)
    ]
    return found or [one.title for one in trial.workloads]


def tell_worst(cell: dict[str, Any]) -> tuple[str, int]:
    """The gravest severity of a cell and how many findings it has; ("", 0) where there is none."""
    found = list(_list_severities(cell))
    return (min(found, key=SEVERITIES.index), len(found)) if found else ("", 0)


def _list_severities(cell: dict[str, Any]) -> Iterator[str]:
    for objects in cell["found"].values():
        yield from objects.values()


def _find_cell(card: Card, ordeal: str, title: str) -> dict[str, Any]:
    return card.setdefault(ordeal, {}).setdefault(title, {"of": 0, "done": 0, "isDown": False, "found": {}})


def _note(found: dict[str, dict[str, str]], claim: str, name: str, severity: str) -> None:
    known = found.setdefault(claim, {}).get(name, severity)
    found[claim][name] = min(known, severity, key=SEVERITIES.index)
