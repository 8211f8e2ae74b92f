"""What a page shows, apart from how: a title, and blocks one below the other. As HTML and Markdown. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.pages.frame import draw_legend, draw_table, make_page, wide
from lifecycle.simulation.pages.pictures import Picture, draw_svg, list_tones
from lifecycle.simulation.pages.texts import mark, say

LONG = ' class="text"'
SHORT_LETTERS = 32
"""Cells of so many letters stand in one line."""
MOST_LISTED = 30
"""So many lines of a list are in Markdown, the first."""


class Head(NamedTuple):
    """What the blocks after it are about."""

    text: str


class Words(NamedTuple):
    """A paragraph. `is_verdict`: it says how things stand."""

    text: str
    is_verdict: bool = False


class Items(NamedTuple):
    """A list. `is_verdict`: it says how things stand."""

    texts: tuple[str, ...]
    is_verdict: bool = False


class Facts(NamedTuple):
    """Names and values."""

    pairs: tuple[tuple[str, str], ...]


class Table(NamedTuple):
    """Rows below the names of their columns."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Drawn(NamedTuple):
    """A picture, and what it is of."""

    label: str
    picture: Picture


class Folded(NamedTuple):
    """Much text that is closed at first, a line each. It is no part of what is shown, but of the file."""

    title: str
    lines: tuple[str, ...]


Block = Head | Words | Items | Facts | Table | Drawn | Folded


class Sheet(NamedTuple):
    """A page. `standing`: of which cluster, release and instant it is."""

    title: str
    standing: str
    blocks: tuple[Block, ...]

    @property
    def pictures(self) -> list[Drawn]:
        """What is drawn on it, in order."""
        return [one for one in self.blocks if isinstance(one, Drawn)]

    @property
    def verdict(self) -> list[str]:
        """How things stand, in sentences."""
        words = [one.text for one in self.blocks if isinstance(one, Words) and one.is_verdict]
        items = [one.texts for one in self.blocks if isinstance(one, Items) and one.is_verdict]
        return [*words, *(text for texts in items for text in texts)]


def drop_empty(blocks: Iterable[Block]) -> list[Block]:
    """Without heads that nothing stands below."""
    kept: list[Block] = []
    for one in blocks:
        if isinstance(one, Head) and kept and isinstance(kept[-1], Head):
            kept.pop()
        kept.append(one)
    while kept and isinstance(kept[-1], Head):
        kept.pop()
    return kept


# --- one file ---------------------------------------------------------------------------------------------


def write_html(sheet: Sheet) -> str:
    """The page as one file."""
    tones = list_tones(one.picture for one in sheet.pictures)
    parts = [f"<h1>{say(sheet.title)}</h1>", f'<p class="soft">{say(sheet.standing)}</p>']
    labels = Counter[str]()
    head = sheet.title
    for one in sheet.blocks:
        head = one.text if isinstance(one, Head) else head
        label = one.label if isinstance(one, Drawn) else head
        labels[label] += 1
        # Whoever hears the page tells its parts apart by their names.
        parts += _draw(one, label if labels[label] == 1 else f"{label}, {labels[label]}")
    return make_page(sheet.title, parts, tones)


def _draw(block: Block, label: str) -> Iterator[str]:
    """`label`: what it is called where it may be wider than the page."""
    match block:
        case Head(text):
            yield f"<h2>{say(text)}</h2>"
        case Words(text, is_verdict):
            yield f"<p><strong>{say(text)}</strong></p>" if is_verdict else f"<p>{say(text)}</p>"
        case Items(texts):
            yield f"<ul>{''.join(f'<li>{say(text)}</li>' for text in texts)}</ul>"
        case Facts(pairs):
            yield draw_table(label, (), (_draw_row(pair) for pair in pairs))
        case Table(heads, rows):
            yield draw_table(label, heads, map(_draw_row, rows))
        case Drawn(told, picture):
            yield wide(label, draw_svg(picture, told))
            yield draw_legend((tone, tone.label) for tone in list_tones([picture]) if tone.label)
            yield _name_courses(picture)
        case Folded(title, lines):
            text = "\n".join(map(say, lines))
            yield f"<details><summary>{say(title)}</summary><pre>{text}</pre></details>"


def _draw_row(cells: Sequence[str]) -> str:
    first, *rest = cells
    told = "".join(f"<td{LONG if len(one) > SHORT_LETTERS else ''}>{say(one)}</td>" for one in rest)
    return f'<tr><th scope="row">{say(first)}</th>{told}</tr>'


def _name_courses(picture: Picture) -> str:
    """The names of lines, in their colours."""
    names = {one.name: one.colour for one in picture.courses if one.name}
    items = "".join(
        f'<li><svg viewBox="0 0 22 11" aria-hidden="true"><rect y="4" width="22" height="3"'
        f' fill="{say(colour)}"/></svg>{say(name)}</li>'
        for name, colour in names.items()
    )
    return f'<ul class="legend">{items}</ul>' if items else ""


# --- markdown ---------------------------------------------------------------------------------------------


def write_markdown(sheet: Sheet) -> str:
    """Verdict, figures and tables, for a comment or a note."""
    told = [[f"### {mark(sheet.title)}"], [mark(sheet.standing)]]
    written = drop_empty(one for one in sheet.blocks if not isinstance(one, Drawn | Folded))
    told += [list(_tell(one)) for one in written]
    return "\n\n".join("\n".join(lines) for lines in told if lines) + "\n"


def _tell(block: Block) -> Iterator[str]:
    match block:
        case Head(text):
            yield f"#### {mark(text)}"
        case Words(text, is_verdict):
            yield f"**{mark(text)}**" if is_verdict else mark(text)
        case Items(texts):
            yield from (f"- {mark(text)}" for text in texts[:MOST_LISTED])
            if len(texts) > MOST_LISTED:
                yield f"- and {len(texts) - MOST_LISTED} more"
        case Facts(pairs):
            yield from (f"- {mark(name)}: {mark(value)}" for name, value in pairs)
        case Table(heads, rows):
            yield _join(heads)
            yield f"|{'---|' * len(heads)}"
            yield from map(_join, rows)


def _join(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(mark, cells))} |"
