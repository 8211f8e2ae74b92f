"""`--output html`: one file that holds all of it. It needs no server, no network and no script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import yaml

from lifecycle.check.findings import Finding, Remedied
from lifecycle.check.outputs.pictures import draw_film, tell_left_out
from lifecycle.check.outputs.scorecard import FINE, NOT_TRIED, Cell, Scorecard, make_scorecard
from lifecycle.check.outputs.telling import (
    tell_comparison,
    tell_extent,
    tell_figures,
    tell_headline,
    tell_often,
    tell_remedy,
    tell_verdict,
    tell_workloads,
)
from lifecycle.check.report import Report
from lifecycle.input.problems import Problem
from lifecycle.simulation.pages.frame import draw_legend, draw_table, list_lines, make_page, wide
from lifecycle.simulation.pages.texts import say
from lifecycle.simulation.reports.tones import STATES

MOST_FILMS = 200
"""Each is some ten thousand letters."""
_LABELS = {"crashing": "Crashing, or requests lost"}
_MARKS = {FINE: "✓", NOT_TRIED: "–"}
_WORDS = {FINE: "nothing found", NOT_TRIED: "not tried"}


def make_html(report: Report) -> str:
    """The page of a check."""
    parts = [
        f"<h1>podline check: {say(tell_verdict(report))}</h1>",
        f'<p class="soft">{say(tell_extent(report))}</p>',
        f"<pre>{say(report.command)}</pre>",
        *(f"<p>{say(line)}</p>" for line in tell_comparison(report)),
        *_list_scorecard(make_scorecard(report)),
        *_list_findings(report),
        *_list_tried(report),
        *list_lines("Not run", report.not_run),
        *list_lines("On what it rests", report.rests_on),
    ]
    return make_page(f"podline check: {tell_verdict(report)}", parts)


def make_refusal(problems: Sequence[Problem]) -> str:
    """The page of an input that was refused."""
    items = [f"<li>{say(str(one))}</li>" for one in problems]
    parts = ["<h1>podline check: the input is refused</h1>", "<ul>", *items, "</ul>"]
    return make_page("podline check: the input is refused", parts)


def _list_scorecard(card: Scorecard) -> Iterator[str]:
    if not card.rows:
        return
    rows = (
        f'<tr><th scope="row">{say(row.title)}</th>'
        f"{''.join(_draw_cell(row.cells[one]) for one in card.families)}</tr>"
        for row in card.rows
    )
    yield "<h2>Scorecard</h2>"
    yield draw_table("Scorecard", ("workload", *card.families), rows)


def _draw_cell(cell: Cell) -> str:
    if cell.finding is not None:
        return f'<td class="{cell.mark}"><a href="#{cell.finding.id}">{cell.mark}</a></td>'
    look, words = cell.mark or "soft", _WORDS[cell.mark]
    return f'<td class="{look}"><span role="img" aria-label="{words}">{_MARKS[cell.mark]}</span></td>'


def _list_findings(report: Report) -> Iterator[str]:
    if not report.findings:
        return
    yield "<h2>Findings</h2>"
    yield draw_legend((one, _LABELS.get(one.name, one.label)) for one in STATES)
    for number, one in enumerate(report.findings):
        yield from _draw_finding(one, report, number)


def _draw_finding(one: Finding, report: Report, number: int) -> Iterator[str]:
    place, standing = report.find_place(one), report.tell_standing(one)
    where = f"{place.file}:{place.line}" if place.file and place.line else place.file
    told = f" ({standing})" if standing else ""
    head = f'<span class="{one.severity}">{one.severity}</span> {say(one.object)}: {say(tell_headline(one))}'
    yield f"<details{' open' if number == 0 else ''}><summary>{head}{say(told)}</summary>"
    yield f'<h3 id="{one.id}">{say(one.worst.violation.text)}</h3>'
    known = f" Known as {', '.join(one.known_as)}." if one.known_as else ""
    yield f"<p>{say(tell_often(one))}.{f' <code>{say(where)}</code>' if where else ''}{say(known)}</p>"
    if number < MOST_FILMS:
        yield _draw_film(one, report)
    else:
        yield f'<p class="soft">The pictures of the first {MOST_FILMS} findings are drawn.</p>'
    links = "".join(f"<li>{say(link)}</li>" for link in one.because)
    yield (
        f'<details><summary>What led to it</summary><ol class="chain">{links}</ol></details>' if links else ""
    )
    yield from map(_draw_remedy, one.remedies)
    yield f"<p>See it:</p><pre>{say(report.tell_command(one))}</pre></details>"


def _draw_film(one: Finding, report: Report) -> str:
    film, title = report.find_film(one), f"How it came about: {tell_headline(one)}"
    left_out = f'<p class="soft">{tell_left_out(film.left_out)}.</p>' if film.left_out else ""
    return wide(f"{title}, {one.id}", draw_film(film, one.worst.violation.at_ms, title)) + left_out


def _draw_remedy(one: Remedied) -> str:
    patch = yaml.safe_dump(one.patch, sort_keys=False) if one.patch else ""
    return f"<details><summary>{say(tell_remedy(one))}</summary><pre>{say(patch)}</pre></details>"


def _list_tried(report: Report) -> Iterator[str]:
    if not report.checked.summaries:
        return
    rows = (
        f'<tr><th scope="row">{say(one.ordeal.name)}</th><td class="text">{say(one.ordeal.text)}</td>'
        f'<td class="text">{say(tell_workloads(one.workloads))}</td><td>{say(one.end)}</td>'
        f'<td class="text">{say(tell_figures(one))}</td></tr>'
        for one in report.checked.summaries
    )
    yield "<h2>Tried</h2>"
    yield draw_table("Tried", ("ordeal", "what", "whom", "end", "figures"), rows)
