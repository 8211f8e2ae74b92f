"""`--output table`: a scorecard, the findings, the gravest first, all that was tried: what a person reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from lifecycle.check.checking import Summary
from lifecycle.check.findings import Finding
from lifecycle.check.outputs.scorecard import FINE, NOT_TRIED, Scorecard, make_scorecard
from lifecycle.check.outputs.telling import (
    group_faults,
    tell_comparison,
    tell_figures,
    tell_headline,
    tell_often,
    tell_other,
    tell_remedy,
    tell_verdict,
    tell_workloads,
)
from lifecycle.check.report import Report
from lifecycle.check.scene import CRITICAL, MINOR, SERIOUS
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.pages.texts import clean

WIDTH = 118
_CELL = len(CRITICAL)
_GAP = "  "
_SGR = {CRITICAL: "1;31", SERIOUS: "31", MINOR: "33", FINE: "32"}
_PLAIN = str.maketrans({"✓": "ok", "…": "...", "—": "-", "–": "-", "·": "-", "’": "'"})


class Look(NamedTuple):
    """What it is written on. `is_plain`: it knows nothing but ASCII."""

    width: int = WIDTH
    is_plain: bool = False
    is_coloured: bool = False


def make_table(report: Report, look: Look = Look()) -> str:  # noqa: B008
    """All of it, no line wider than what it is written on, names and commands aside."""
    blocks = [
        [tell_verdict(report)],
        [*tell_comparison(report)],
        [*_draw_scorecard(make_scorecard(report), look)],
        *([*_tell_group(group, report, look)] for group in group_faults(report.findings)),
        [*_tell_ordeals(report.checked.summaries, look)],
        [*_tell_list("not run", report.not_run, look)],
        [*_tell_list("on what it rests", report.rests_on, look)],
    ]
    text = "\n\n".join("\n".join(one) for one in blocks if one) + "\n"
    return text.translate(_PLAIN).encode("ascii", "backslashreplace").decode() if look.is_plain else text


def _colour(text: str, key: str, look: Look) -> str:
    return f"\x1b[{_SGR[key]}m{text}\x1b[0m" if look.is_coloured and key in _SGR else text


def _draw_scorecard(card: Scorecard, look: Look) -> Iterator[str]:
    """As many columns beside each other as there is room for; the others below, under the names again."""
    if not card.rows:
        return
    widest = max(len(row.title) for row in card.rows)
    room = max((look.width - widest) // (_CELL + len(_GAP)), 1)
    for start in range(0, len(card.families), room):
        families = card.families[start : start + room]
        yield _GAP.join([" " * widest, *(one.ljust(_CELL) for one in families)]).rstrip()
        for row in card.rows:
            cells = [_draw_cell(row.cells[one].mark, look) for one in families]
            yield _GAP.join([row.title.ljust(widest), *cells]).rstrip()


def _draw_cell(cell: str, look: Look) -> str:
    text = {FINE: "ok" if look.is_plain else "✓", NOT_TRIED: "-"}.get(cell, cell)
    return _colour(text, cell, look) + " " * (_CELL - len(text))


def _tell_group(group: Sequence[Finding], report: Report, look: Look) -> Iterator[str]:
    """The first as it is; of the others how they differ."""
    yield from _tell_finding(group[0], report, look)
    for one in group[1:]:
        yield from _wrap(tell_other(one, group[0], report.tell_standing(one)), look, 2)


def _tell_finding(one: Finding, report: Report, look: Look) -> Iterator[str]:
    place, standing = report.find_place(one), report.tell_standing(one)
    where = f"  {place.file}:{place.line}" if place.file and place.line else f"  {place.file}"
    known = f" [{', '.join(one.known_as)}]" if one.known_as else ""
    severity = _colour(one.severity.upper(), one.severity, look)
    rest = f"{one.object}{where.rstrip()}{f'  ({standing})' if standing else ''}"
    yield f"{severity}  {clean(rest)}"
    yield from _wrap(f"{tell_headline(one)}{known}", look, 2)
    yield from _wrap(one.worst.violation.text, look, 2)
    yield from _wrap(tell_often(one), look, 2)
    for link in one.because:
        yield from _wrap(link, look, 4)
    for cure in one.remedies:
        yield from _wrap(tell_remedy(cure), look, 2)
    # It is to be copied, so it is one line.
    yield clean(f"  open: {report.tell_command(one)}")


def _tell_ordeals(summaries: Sequence[Summary], look: Look) -> Iterator[str]:
    """What was tried: each ordeal of each workload with its figures."""
    if not summaries:
        return
    yield "tried"
    widest = max(len(one.ordeal.name) for one in summaries)
    for one in summaries:
        text = f"{one.ordeal.name.ljust(widest)}  {tell_workloads(one.workloads)}: {tell_figures(one)}"
        yield from _wrap(text, look, 2, widest + 4)


def _tell_list(title: str, lines: Sequence[str], look: Look) -> Iterator[str]:
    if lines:
        yield title
        for line in lines:
            yield from _wrap(line, look, 2)


def _wrap(text: str, look: Look, indent: int, hanging: int = 0) -> Iterator[str]:
    """Lines that are no wider than there is room; a word that is stays whole, to be copied."""
    hang = " " * (hanging or indent + 2)
    yield from wrap(
        clean(text), look.width, initial_indent=" " * indent, subsequent_indent=hang,
        break_long_words=False, break_on_hyphens=False, drop_whitespace=True, replace_whitespace=True,
    ) or [""]  # fmt: skip
