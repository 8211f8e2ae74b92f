"""What the page of checks says: the scorecard, how far a check is, what was found."""

from __future__ import annotations

from typing import Any

from dashboard.plots.theme import clock, duration
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.scene import SEVERITIES
from lifecycle.check.scorecard import Card, join_cards, tell_worst
from lifecycle.models import Check, Cluster

Json = dict[str, Any]
FINE, WAITING, NOT_MET, DOWN = "fine", "waiting", "none", "down"
_FIGURES = (
    ("lostMs", "lost {} ms of requests"),
    ("belowBudgetSeconds", "{} s below its budget"),
    ("recoverySeconds", "whole after {} s"),
    ("restarts", "{} restarts"),
)


def find_last(cluster: Cluster) -> Check | None:
    """The newest check of a cluster."""
    heavy = ("base", "counterexamples")
    return cluster.checks.select_related("user", "cluster").defer(*heavy).first()


def list_choices() -> list[Json]:
    """The ordeals there are, with their words."""
    return [{"name": one.name, "text": one.text} for one in list_ordeals()]


def read_check(check: Check, ordeal: str = "", workload: str = "") -> Json:
    """All that is shown of a check; of its findings those of one cell, where one is named."""
    findings = [one for one in check.report.get("findings", ()) if _is_of(one, check.card, ordeal, workload)]
    return {
        "check": check,
        "percent": 100 * check.done // check.total if check.total else 0,
        "at": clock(check.at_ms) if check.at_ms is not None else "",
        "took": _tell_took(check),
        "card": make_card(check),
        "counts": _count(check.report),
        "cell": f"{ordeal} of {workload}" if ordeal else "",
        "findings": [_tell_finding(one) for one in findings],
        "summaries": [_tell_summary(one) for one in check.report.get("ordeals", ())],
    }


def _is_of(finding: Json, card: Card, ordeal: str, workload: str) -> bool:
    """Whether a finding is told of in a cell; in any, if none is named."""
    if not ordeal:
        return True
    cell = card.get(ordeal, {}).get(workload, {"found": {}})
    return finding["ordeal"] == ordeal and finding["object"] in cell["found"].get(finding["claim"], {})


def _tell_took(check: Check) -> str:
    if check.ended_at is None:
        return ""
    return duration(round((check.ended_at - check.created_at).total_seconds() * 1000))


def make_card(check: Check) -> Json:
    """The scorecard: a row for each workload, a column for each ordeal that befalls any."""
    parts = check.parts.values_list("card", flat=True) if check.is_going_on else ()
    card = join_cards([check.card, *parts])
    columns = [one for one in list_choices() if one["name"] in card]
    titles = sorted({title for cells in card.values() for title in cells})
    rows = [{"title": title, "cells": [_tell_cell(card, one, title) for one in columns]} for title in titles]
    return {"columns": columns, "rows": rows}


def _tell_cell(card: Card, column: Json, title: str) -> Json:
    cell = card[column["name"]].get(title)
    if cell is None:
        return {"state": NOT_MET, "ordeal": column["name"], "count": 0}
    worst, count = tell_worst(cell)
    # What never came up passes no ordeal.
    passed = DOWN if cell["isDown"] else FINE
    state = worst or (passed if cell["done"] >= cell["of"] else WAITING)
    return {"state": state, "count": count, "ordeal": column["name"]}


def _count(report: Json) -> list[tuple[str, int]]:
    found = [one["severity"] for one in report.get("findings", ())]
    return [(severity, found.count(severity)) for severity in SEVERITIES if severity in found]


def _tell_finding(one: Json) -> Json:
    often = f"in {one['times']} of {one['of']} futures" if one["of"] > 1 else ""
    return {**one, "at": clock(one["counterexample"]["at_ms"]), "often": often}


def _tell_summary(one: Json) -> Json:
    told = [_tell_range(one["figures"][name], words) for name, words in _FIGURES]
    return {**one, "told": [text for text in told if text]}


def _tell_range(spread: Json, words: str) -> str:
    """`whole after 18 to 27 s`; "" where all is nothing."""
    low, high = spread["min"], spread["max"]
    if not high:
        return ""
    return words.format(f"{low:,}" if low == high else f"{low:,} to {high:,}")
