"""What can be read row by row: the tables, the keys of their rows in their order, and walking them.

A walk reads page after page by key: memory stays constant, and no transaction stays open while a slow reader
reads.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import orjson
from django.db.models import JSONField, Model, QuerySet, TextField
from django.db.models.functions import Cast

from lifecycle.frames import EVENT_COLUMNS, SUMMARY_COLUMNS, TRANSITION_COLUMNS
from lifecycle.models import Event, StoredObject, Transition

PAGE_ROWS = 1000
Row = dict[str, object]


@dataclass
class Cursor:
    """Where a reader goes on: all up to `after` was considered; `complete` when that was all there is."""

    after: int
    complete: bool = True

    def to_row(self) -> Row:
        return {"type": "cursor", "after": self.after, "complete": self.complete}


class Source:
    """A table seen as rows. `order` is the unique field rows are walked by; `columns` are key: field.

    `row_type` opens every row as its `type`. With `whole`, a row is the value of that one JSON field.
    """

    def __init__(
        self, model: type[Model], order: str, columns: dict[str, str], row_type: str = "", whole: str = ""
    ) -> None:
        self.model = model
        self.order = order
        self.whole = whole
        self.head: Row = {"type": row_type} if row_type else {}
        self.columns = columns
        chosen = [whole] if whole else list(columns.values())
        is_json = [isinstance(model._meta.get_field(name), JSONField) for name in chosen]
        # JSON is fetched as its text: it may be written on as it is.
        self._texts = {
            f"{name}_text": Cast(name, TextField()) for name, yes in zip(chosen, is_json, strict=True) if yes
        }
        self._selected = [f"{name}_text" if yes else name for name, yes in zip(chosen, is_json, strict=True)]
        self._head = tuple(self.head.values())
        self._keys = (whole,) if whole else tuple(self.keys)
        named = zip(self._keys[len(self._head) :], is_json, strict=True)
        self._json_keys = [key for key, yes in named if yes]

    @property
    def keys(self) -> list[str]:
        """The keys of every row in order: the header of a CSV."""
        return [*self.head, *self.columns]

    def walk(
        self,
        rows: QuerySet[Any],
        cursor: Cursor | None = None,
        limit: int | None = None,
        after: int = 0,
        as_written: bool = False,
    ) -> Iterator[list[Row]]:
        """`rows` beyond `after` in order, in pages. When `limit` stops it, the cursor stands at the last row.

        With `as_written` JSON stays the text it was recorded as, for those who only write it on as JSON.
        `rows` should have no lower bound of its own on the order: a database may then begin each page there.
        """
        ordered = rows.annotate(**self._texts).order_by(self.order).values_list(*self._selected, self.order)
        read: Callable[[str], object] = orjson.Fragment if as_written else orjson.loads
        left = inf if limit is None else limit
        while left > 0:
            size = int(min(PAGE_ROWS, left))
            page = list(ordered.filter(**{f"{self.order}__gt": after})[:size])
            yield [self._make_row(values, read) for values in page]
            if len(page) < size:
                return
            after, left = page[-1][-1], left - size
        if cursor is not None:
            cursor.after, cursor.complete = after, False

    def _make_row(self, values: tuple[object, ...], read: Callable[[str], object]) -> Row:
        # The order at the end of the values has no key: it falls away.
        row: dict[str, Any] = dict(zip(self._keys, self._head + values, strict=False))
        for key in self._json_keys:
            if row[key] is not None:
                row[key] = read(row[key])
        whole: Row = row[self.whole] if self.whole else row
        return whole


TRANSITIONS = Source(
    Transition, "seq", {key: name for name, key in TRANSITION_COLUMNS.items()}, row_type="transition"
)
EVENTS = Source(Event, "seq", {key: name for name, key in EVENT_COLUMNS.items()}, row_type="event")
SUMMARIES = Source(StoredObject, "id", {name: name for name in SUMMARY_COLUMNS})
OBJECTS = Source(StoredObject, "id", SUMMARIES.columns, whole="data")
