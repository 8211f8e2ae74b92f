"""`--output html`: one file that holds all of it. It needs no server, no network and no script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import yaml

from lifecycle.check.findings import Finding, Remedied
from lifecycle.check.outputs.page_style import STYLE
from lifecycle.check.outputs.pictures import PATTERNS, draw_svg, tell_left_out
from lifecycle.check.outputs.scorecard import FINE, NOT_TRIED, Cell, Scorecard, make_scorecard
from lifecycle.check.outputs.telling import (
    clean,
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
from lifecycle.simulation.reports.tones import STATES

MOST_FILMS = 200
"""Each is some ten thousand letters."""
_SAFE = "default-src 'none'; style-src 'unsafe-inline'"
_LABELS = {"crashing": "Crashing, or requests lost"}
_MARKS = {FINE: "✓", NOT_TRIED: "–"}
_WORDS = {FINE: "nothing found", NOT_TRIED: "not tried"}


def make_html(report: Report) -> str:
    """The page of a check."""
    parts = [
        f"<h1>podline check: {_say(tell_verdict(report))}</h1>",
        f'<p class="soft">{_say(tell_extent(report))}</p>',
        f"<pre>{_say(report.command)}</pre>",
        *(f"<p>{_say(line)}</p>" for line in tell_comparison(report)),
        *_list_scorecard(make_scorecard(report)),
        *_list_findings(report),
        *_list_tried(report),
        *_list_lines("Not run", report.not_run),
        *_list_lines("On what it rests", report.rests_on),
    ]
    return _make_page(f"podline check: {tell_verdict(report)}", parts)


def make_refusal(problems: Sequence[Problem]) -> str:
    """The page of an input that was refused."""
    items = [f"<li>{_say(str(one))}</li>" for one in problems]
    parts = ["<h1>podline check: the input is refused</h1>", "<ul>", *items, "</ul>"]
    return _make_page("podline check: the input is refused", parts)


def _make_page(title: str, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_SAFE}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_say(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<svg class="nothing" aria-hidden="true"><defs>{PATTERNS}</defs></svg>\n{body}\n'
        "</main>\n</body>\n</html>\n"
    )


def _say(text: str) -> str:
    """Names and messages are strangers' text."""
    return escape(clean(text), quote=True)


def _wide(label: str, text: str) -> str:
    """What may be wider than the page moves below it, by keys too."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="{_say(label)}">{text}</div>'


def _list_scorecard(card: Scorecard) -> Iterator[str]:
    if not card.rows:
        return
    heads = "".join(f'<th scope="col">{one}</th>' for one in card.families)
    rows = "".join(
        f'<tr><th scope="row">{_say(row.title)}</th>'
        f"{''.join(_draw_cell(row.cells[one]) for one in card.families)}</tr>"
        for row in card.rows
    )
    table = (
        f'<table><thead><tr><th scope="col">workload</th>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    )
    yield "<h2>Scorecard</h2>"
    yield _wide("Scorecard", table)


def _draw_cell(cell: Cell) -> str:
    if cell.finding is not None:
        return f'<td class="{cell.mark}"><a href="#{cell.finding.id}">{cell.mark}</a></td>'
    look, words = cell.mark or "soft", _WORDS[cell.mark]
    return f'<td class="{look}"><span role="img" aria-label="{words}">{_MARKS[cell.mark]}</span></td>'


def _list_findings(report: Report) -> Iterator[str]:
    if not report.findings:
        return
    yield "<h2>Findings</h2>"
    yield _draw_legend()
    for number, one in enumerate(report.findings):
        yield from _draw_finding(one, report, number)


def _draw_legend() -> str:
    box = '<rect width="22" height="11" rx="2" fill="{}"/>'
    items = [
        f'<li><svg viewBox="0 0 22 11" aria-hidden="true">{box.format(one.colour)}'
        f"{box.format(f'url(#on-{one.name})') if one.pattern else ''}</svg>"
        f"{_LABELS.get(one.name, one.label)}</li>"
        for one in STATES
    ]
    return f'<ul class="legend">{"".join(items)}</ul>'


def _draw_finding(one: Finding, report: Report, number: int) -> Iterator[str]:
    place, standing = report.find_place(one), report.tell_standing(one)
    where = f"{place.file}:{place.line}" if place.file and place.line else place.file
    told = f" ({standing})" if standing else ""
    head = (
        f'<span class="{one.severity}">{one.severity}</span> {_say(one.object)}: {_say(tell_headline(one))}'
    )
    yield f"<details{' open' if number == 0 else ''}><summary>{head}{_say(told)}</summary>"
    yield f'<h3 id="{one.id}">{_say(one.worst.violation.text)}</h3>'
    known = f" Known as {', '.join(one.known_as)}." if one.known_as else ""
    yield f"<p>{_say(tell_often(one))}.{f' <code>{_say(where)}</code>' if where else ''}{_say(known)}</p>"
    if number < MOST_FILMS:
        yield _draw_film(one, report)
    else:
        yield f'<p class="soft">The pictures of the first {MOST_FILMS} findings are drawn.</p>'
    links = "".join(f"<li>{_say(link)}</li>" for link in one.because)
    yield (
        f'<details><summary>What led to it</summary><ol class="chain">{links}</ol></details>' if links else ""
    )
    yield from map(_draw_remedy, one.remedies)
    yield f"<p>See it:</p><pre>{_say(report.tell_command(one))}</pre></details>"


def _draw_film(one: Finding, report: Report) -> str:
    film, title = report.find_film(one), f"How it came about: {tell_headline(one)}"
    left_out = f'<p class="soft">{tell_left_out(film.left_out)}.</p>' if film.left_out else ""
    return _wide(f"{title}, {one.id}", draw_svg(film, one.worst.violation.at_ms, title)) + left_out


def _draw_remedy(one: Remedied) -> str:
    patch = yaml.safe_dump(one.patch, sort_keys=False) if one.patch else ""
    return f"<details><summary>{_say(tell_remedy(one))}</summary><pre>{_say(patch)}</pre></details>"


def _list_tried(report: Report) -> Iterator[str]:
    if not report.checked.summaries:
        return
    rows = "".join(
        f'<tr><th scope="row">{_say(one.ordeal.name)}</th><td class="text">{_say(one.ordeal.text)}</td>'
        f'<td class="text">{_say(tell_workloads(one.workloads))}</td><td>{_say(one.end)}</td>'
        f'<td class="text">{_say(tell_figures(one))}</td></tr>'
        for one in report.checked.summaries
    )
    heads = "".join(f'<th scope="col">{one}</th>' for one in ("ordeal", "what", "whom", "end", "figures"))
    yield "<h2>Tried</h2>"
    yield _wide("Tried", f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")


def _list_lines(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"<h2>{title}</h2><ul>"
        yield from (f"<li>{_say(line)}</li>" for line in lines)
        yield "</ul>"
