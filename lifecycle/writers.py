"""Rows as JSON, NDJSON and CSV, page by page."""

import csv
import io
from collections.abc import Callable, Iterator

import orjson

from lifecycle.sources import Cursor, Row

# A spreadsheet would take such a cell for a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


Pages = Iterator[list[Row]]


def write_json(pages: Pages, keys: list[str], cursor: Cursor) -> Iterator[bytes]:
    """One array, a row a line."""
    opening = b"[\n"
    for page in pages:
        if page:
            yield opening + b",\n".join(map(orjson.dumps, page))
            opening = b",\n"
    yield b"[]\n" if opening == b"[\n" else b"\n]\n"


def write_ndjson(pages: Pages, keys: list[str], cursor: Cursor) -> Iterator[bytes]:
    """A row a line, as in the trace; the cursor is the last line."""
    for page in pages:
        yield b"".join([orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in page])
    yield orjson.dumps(cursor.to_row(), option=orjson.OPT_APPEND_NEWLINE)


def write_csv(pages: Pages, keys: list[str], cursor: Cursor) -> Iterator[bytes]:
    """A header, then a row a line; values that are no text are written as JSON."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(keys)
    for page in pages:
        writer.writerows([[make_cell(row[key]) for key in keys] for row in page])
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()
    yield text.getvalue().encode()


def make_cell(value: object) -> str:
    """The text of a value; an absent one is empty, and no cell begins like a formula."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


Writer = Callable[[Pages, list[str], Cursor], Iterator[bytes]]
WRITERS: dict[str, Writer] = {"json": write_json, "ndjson": write_ndjson, "csv": write_csv}
