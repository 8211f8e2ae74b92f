"""`--output markdown`: for a pull request. One table, what fails, the worst of it with its film in letters.

No forge shows pictures that stand in the text itself, so the film is drawn in letters: everybody sees that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lifecycle.check.findings import Finding
from lifecycle.check.outputs.pictures import LEGEND, draw_letters
from lifecycle.check.outputs.scorecard import FINE, NOT_TRIED, Scorecard, make_scorecard
from lifecycle.check.outputs.telling import (
    group_faults,
    tell_comparison,
    tell_headline,
    tell_often,
    tell_remedy,
    tell_verdict,
)
from lifecycle.check.report import Report
from lifecycle.input.problems import Problem
from lifecycle.late_patterns import late_pattern
from lifecycle.simulation.pages.texts import clean, mark

MOST_ROWS, MOST_FINDINGS, MOST_LETTERS = 50, 20, 400
"""With all of these it stays well under the 60,000 letters that a comment may have."""
_MARKS = {FINE: "✓", NOT_TRIED: "–", "critical": "❌ critical", "serious": "❌ serious", "minor": "⚠️ minor"}
_TICKS = late_pattern("`+")


def make_markdown(report: Report) -> str:
    """The whole comment."""
    faults = group_faults(report.findings)
    blocks = [
        [f"### podline check: {_say(tell_verdict(report))}"],
        _draw_list([*tell_comparison(report)]),
        [*_draw_scorecard(make_scorecard(report))],
        _draw_list([_tell_line(one, report) for one in faults[:MOST_FINDINGS]], is_written=True),
        _tell_left_out(faults),
        [*_draw_worst(report)],
        ["How to see this again:", "", *_fence([report.command])],
    ]
    return "\n\n".join("\n".join(one) for one in blocks if one) + "\n"


def make_refusal(problems: Sequence[Problem]) -> str:
    """Of an input that was refused."""
    lines = [str(one) for one in problems[:MOST_FINDINGS]]
    return "\n".join(["### podline check: the input is refused", "", *_draw_list(lines)]) + "\n"


def _say(text: str) -> str:
    """Strangers' text, as long as there is room for."""
    return mark(text, MOST_LETTERS)


def _draw_list(lines: Sequence[str], is_written: bool = False) -> list[str]:
    return [f"- {line if is_written else _say(line)}" for line in lines]


def _draw_scorecard(card: Scorecard) -> Iterator[str]:
    if not card.rows:
        return
    yield f"| | {' | '.join(card.families)} |"
    yield f"|---|{'---|' * len(card.families)}"
    for row in card.rows[:MOST_ROWS]:
        cells = " | ".join(_MARKS[row.cells[one].mark] for one in card.families)
        yield f"| {_say(row.title)} | {cells} |"
    if len(card.rows) > MOST_ROWS:
        yield f"\n{len(card.rows) - MOST_ROWS} workloads more are not in this table."


def _tell_line(fault: Sequence[Finding], report: Report) -> str:
    """The gravest of one fault, and which other ordeals show it."""
    one = fault[0]
    standing = report.tell_standing(one)
    told = f" ({_say(standing)})" if standing else ""
    head = f"**{one.severity}**{told} {_say(one.object)}, {_say(tell_headline(one))}"
    others = list(dict.fromkeys(it.ordeal for it in fault if it.ordeal != one.ordeal))
    also = f" (also in {_say(', '.join(others))})" if others else ""
    return f"{head}: {_say(one.worst.violation.text)}{also}"


def _tell_left_out(faults: Sequence[Sequence[Finding]]) -> list[str]:
    left_out = sum(map(len, faults[MOST_FINDINGS:]))
    return [f"{left_out} findings more are in the other reports."] if left_out > 0 else []


def _draw_worst(report: Report) -> Iterator[str]:
    """The first that fails the check, or else the first there is: how it came about, and what helps."""
    one = next(filter(report.is_failing, report.findings), next(iter(report.findings), None))
    if one is None:
        return
    yield f"<details><summary>The worst: {_say(tell_headline(one))}, {_say(tell_often(one))}</summary>\n"
    yield from _fence([*draw_letters(report.find_film(one), one.worst.violation.at_ms), "", LEGEND])
    yield ""
    yield from _fence(one.because)
    yield ""
    yield from _draw_list([tell_remedy(cure) for cure in one.remedies])
    yield from ("", *_fence([report.tell_command(one)]), "\n</details>")


def _fence(lines: Sequence[str]) -> Iterator[str]:
    """Lines as they are: their fence is longer than any within."""
    text = [clean(line)[:MOST_LETTERS] for line in lines]
    longest = max((len(found) for line in text for found in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}text", *text, fence)
