"""What each page that is one file is built of: the frame, what may be wide, tables, lists, the legend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lifecycle.simulation.pages.pictures import draw_box, make_patterns
from lifecycle.simulation.pages.style import STYLE
from lifecycle.simulation.pages.texts import say
from lifecycle.simulation.reports.tones import STATES, Tone

_SAFE = "default-src 'none'; style-src 'unsafe-inline'"


def make_page(title: str, parts: Sequence[str], tones: Iterable[Tone] = STATES) -> str:
    """The whole file. `parts` are HTML; `tones` those whose patterns its pictures have."""
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_SAFE}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{say(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<svg class="nothing" aria-hidden="true"><defs>{make_patterns(tones)}</defs></svg>\n{body}\n'
        "</main>\n</body>\n</html>\n"
    )


def wide(label: str, text: str) -> str:
    """What may be wider than the page moves below it, by keys too."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="{say(label)}">{text}</div>'


def draw_table(label: str, heads: Sequence[str], rows: Iterable[str]) -> str:
    """A table of rows that are HTML already."""
    names = "".join(f'<th scope="col">{say(one)}</th>' for one in heads)
    return wide(label, f"<table><thead><tr>{names}</tr></thead><tbody>{''.join(rows)}</tbody></table>")


def list_lines(title: str, lines: Sequence[str]) -> Iterator[str]:
    """A head and a list; nothing where there are no lines."""
    if lines:
        yield f"<h2>{say(title)}</h2><ul>"
        yield from (f"<li>{say(line)}</li>" for line in lines)
        yield "</ul>"


def draw_legend(items: Iterable[tuple[Tone, str]]) -> str:
    """What each colour and pattern means."""
    box = 'width="22" height="11" rx="2"'
    drawn = [
        f'<li><svg viewBox="0 0 22 11" aria-hidden="true">{draw_box(tone, box)}</svg>{say(label)}</li>'
        for tone, label in items
    ]
    return f'<ul class="legend">{"".join(drawn)}</ul>'
