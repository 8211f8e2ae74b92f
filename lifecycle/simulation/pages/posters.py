"""The pictures of a page as one SVG file: title, verdict, pictures, what their colours mean. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from lifecycle.simulation.pages.pictures import (
    SIDE,
    WIDTH,
    Picture,
    draw_box,
    draw_inside,
    list_tones,
    make_patterns,
    measure,
)
from lifecycle.simulation.pages.sheets import Drawn, Sheet
from lifecycle.simulation.pages.style import INKS, OF_PICTURES
from lifecycle.simulation.pages.texts import say

_LINE, _LETTERS = 16, 96
_MOST_VERDICT = 6
_KEY, _KEY_LETTER = 34, 7
_OF_WORDS = (
    "svg .words { font: 12px/1 -apple-system, 'Segoe UI', Roboto, Arial, sans-serif; }"
    " svg .words.head { font-weight: 600; }"
)


def draw_poster(sheet: Sheet) -> str:
    """All pictures of the page below its verdict; "" where it has none. It is light: it is put on paper."""
    if not sheet.pictures:
        return ""
    parts, height = [], 0
    for part, needed in _list_parts(sheet):
        parts.append(f'<g transform="translate(0,{height})">{part}</g>')
        height += needed
    patterns = make_patterns(list_tones(one.picture for one in sheet.pictures))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="film" viewBox="0 0 {WIDTH} {height}"'
        f' width="{WIDTH}" height="{height}" role="img" aria-label="{say(sheet.title)}">'
        f"<style>svg {{ {INKS} }} {OF_PICTURES} {_OF_WORDS}</style>"
        f"<defs>{patterns}</defs>"
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _list_parts(sheet: Sheet) -> Iterator[tuple[str, int]]:
    """Each with how high it is."""
    yield _write([sheet.title], " head"), _LINE + 10
    verdict = [line for text in sheet.verdict[:_MOST_VERDICT] for line in textwrap.wrap(text, _LETTERS)]
    yield _write(verdict), _LINE * len(verdict) + 6
    for one in sheet.pictures:
        yield _write([one.label], " head"), _LINE + 2
        yield _draw(one)
        key = list(_list_keys(one.picture))
        rows = max((row for _, row in key), default=-1) + 1
        yield "".join(part for part, _ in key), _LINE * rows + 8
    standing = textwrap.wrap(sheet.standing, _LETTERS)
    yield _write(standing), _LINE * len(standing) + 8


def _write(lines: list[str], kind: str = "") -> str:
    return "".join(
        f'<text class="words{kind}" x="{SIDE}" y="{_LINE * (number + 1)}">{say(line)}</text>'
        for number, line in enumerate(lines)
    )


def _draw(drawn: Drawn) -> tuple[str, int]:
    top, height = measure(drawn.picture)
    return "".join(draw_inside(drawn.picture, top, height)), height


def _list_keys(picture: Picture) -> Iterator[tuple[str, int]]:
    """What each colour means, and in which row that stands."""
    box = 'y="3" width="22" height="11" rx="2"'
    named = [(draw_box(one, box), one.label) for one in list_tones([picture]) if one.label]
    courses = {one.name: one.colour for one in picture.courses if one.name}
    named += [
        (f'<rect y="7" width="22" height="3" fill="{say(colour)}"/>', name)
        for name, colour in courses.items()
    ]
    x, row = SIDE, 0
    for drawn, name in named:
        width = _KEY + _KEY_LETTER * len(name) + 12
        if x > SIDE and x + width > WIDTH:
            x, row = SIDE, row + 1
        yield (
            f'<g transform="translate({x},{_LINE * row})">{drawn}'
            f'<text class="words" x="28" y="13">{say(name)}</text></g>',
            row,
        )
        x += width
