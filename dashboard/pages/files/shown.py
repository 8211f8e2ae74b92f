"""What a page shows, read as whoever sees it reads it: its title, sentences, facts, tables, and its pictures.

So each page can be kept as a file, also one that is made tomorrow. What is only of use on the page is left
out: what can be pressed or filled in, menus, and whatever says `data-unkept`. `data-kept` says the contrary.
"""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlsplit

from lifecycle.simulation.pages.pictures import Picture
from lifecycle.simulation.pages.sheets import Block, Drawn, Facts, Head, Items, Table, Words, drop_empty

MOST_ITEMS, MOST_ROWS = 500, 2_000
Draw = Callable[[str, dict[str, str]], Picture | None]
"""Of a figure's name, and what the page asks its socket for besides, the picture."""
_LEFT_OUT = frozenset("head form button script style nav dialog noscript aside svg select template".split())
# Options may have no end either.
_VOID = frozenset("area base br col embed hr img input link meta option source track wbr".split())
_HEADS = ("h2", "h3", "h4")
_TEXTS = frozenset(("h1", *_HEADS, "p", "li", "dt", "dd", "th", "td", "summary", "pre"))
# Beside each other on the page, apart in the text.
_APART = frozenset("br dd div dt li p small span strong td time".split())


class _Shown(HTMLParser):
    """The blocks of a page."""

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self.title = ""
        self.blocks: list[Block] = []
        self._draw = draw
        self._asked: dict[str, str] = {}
        self._left_out = 0
        self._open: list[tuple[str, bool]] = []
        # How deep the element is whose text is read; all inside is a part of that.
        self._reading: int | None = None
        self._text: list[str] = []
        self._items: list[str] = []
        self._pairs: list[tuple[str, str]] = []
        self._heads: list[str] = []
        self._rows: list[tuple[str, ...]] = []
        self._cells: list[str] = []
        self._term = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element; inside what is left out only its depth is counted."""
        given = {name: value or "" for name, value in attrs}
        self._text += [" "] * (tag in _APART)
        if tag in _VOID:
            return
        if self._left_out or _is_left_out(tag, given):
            self._left_out += 1
            return
        if "data-socket" in given:
            self._asked = dict(parse_qsl(urlsplit(given["data-socket"]).query))
        if figure := given.get("data-figure"):
            self._show(figure, given.get("data-label") or "Over virtual time")
        self._open.append((tag, "verdict" in given.get("class", "").split()))
        if self._reading is None and tag in _TEXTS:
            self._reading, self._text = len(self._open), []
        elif tag == "table":
            self._heads, self._rows = [], []
        elif tag == "tr":
            self._cells = []
        elif tag == "dl":
            self._pairs = []
        elif tag in ("ul", "ol"):
            self._items = []

    def handle_endtag(self, tag: str) -> None:
        """End an element: what it said is a block, or a part of one."""
        if tag in _VOID:
            return
        if self._left_out:
            self._left_out -= 1
            return
        depth = len(self._open)
        if self._reading == depth:
            self._say(tag, " ".join("".join(self._text).split()))
            self._reading, self._text = None, []
        elif self._reading is None:
            self._end(tag)
        else:
            self._text += [" "] * (tag in _APART)
        del self._open[-1:]

    def handle_data(self, data: str) -> None:
        """Text, where it is of something that is kept."""
        if not self._left_out:
            self._text.append(data)

    def _say(self, tag: str, text: str) -> None:
        """One piece of text is whole."""
        if tag == "h1":
            self.title = text
        elif tag in _HEADS:
            self.blocks.append(Head(text))
        elif tag == "dt":
            self._term = text
        elif tag == "dd":
            self._pairs.append((self._term, text))
        elif tag in ("th", "td"):
            self._cells.append(text)
        elif tag == "li" and text:
            self._items.append(text)
        elif text and tag in ("p", "pre"):
            self.blocks.append(Words(text, self._is_verdict))
        elif text and tag == "summary":
            self.blocks.append(Head(text))

    def _end(self, tag: str) -> None:
        """Something that has parts is whole."""
        if tag in ("ul", "ol") and self._items:
            self.blocks.append(Items(tuple(self._items[:MOST_ITEMS]), self._is_verdict))
        elif tag == "dl" and self._pairs:
            self.blocks.append(Facts(tuple(self._pairs)))
        elif tag == "tr" and any(name == "thead" for name, _ in self._open):
            self._heads = self._cells
        elif tag == "tr" and any(self._cells):
            self._rows.append(tuple(self._cells))
        elif tag == "table" and self._rows:
            self.blocks.append(Table(tuple(self._heads), tuple(self._rows[:MOST_ROWS])))

    def _show(self, figure: str, label: str) -> None:
        picture = self._draw(figure, self._asked)
        if picture is not None and (picture.strips or picture.courses):
            self.blocks.append(Drawn(label, picture))

    @property
    def _is_verdict(self) -> bool:
        return any(is_verdict for _, is_verdict in self._open)


def _is_left_out(tag: str, given: dict[str, str]) -> bool:
    if "data-kept" in given:
        return False
    is_top = tag == "header" and given.get("class") == "top"
    is_closed = "hidden" in given or "data-unkept" in given or given.get("class") == "skip"
    return tag in _LEFT_OUT or is_top or is_closed


def read_shown(page: str, draw: Draw) -> tuple[str, list[Block]]:
    """A page's title and its blocks."""
    shown = _Shown(draw)
    shown.feed(page)
    shown.close()
    return shown.title, drop_empty(shown.blocks)
