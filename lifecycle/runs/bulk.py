"""What turns write. Many rows at once: prepared batches on SQLite, COPY on PostgreSQL. JSON comes as text.

PostgreSQL keeps no NUL, in text or in JSON, and a container may write one where its message is read: what is
recorded has U+FFFD in its place, in any database.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, overload

import orjson
from django.db import connection

Values = Sequence[Any]


class Table(NamedTuple):
    """A table and the columns rows are written in, in that order; `unique` names an upsert's key."""

    name: str
    columns: tuple[str, ...]
    unique: tuple[str, ...] = ()


def to_text(value: Any) -> str | None:
    """A JSON column's text; None stays NULL."""
    return None if value is None else _without_nul(orjson.dumps(value)).decode()


@overload
def plain(text: str) -> str: ...
@overload
def plain(text: None) -> None: ...
def plain(text: str | None) -> str | None:
    """A text column's text."""
    return text.replace("\0", "\ufffd") if text and "\0" in text else text


def _without_nul(text: bytes) -> bytes:
    return _NUL.sub(rb"\1\\ufffd", text) if b"\\u0000" in text else text


# Backslashes before it come in pairs: an odd one would make it six letters of a text.
_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")


def insert(table: Table, rows: Sequence[Values]) -> None:
    """Add new rows; a clash of keys is an error."""
    if connection.vendor == "postgresql":
        _copy(f"{_quoted(table.name)} ({_names(table)})", rows)
        return
    with connection.cursor() as cursor:
        cursor.executemany(_insert_sql(table), rows)


def upsert(table: Table, rows: Sequence[Values]) -> None:
    """Add rows, or overwrite those with the same `unique` columns."""
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            cursor.executemany(_insert_sql(table) + _on_conflict(table), rows)
            return
        incoming = _quoted(f"incoming_{table.name}")
        cursor.execute(
            f"CREATE TEMP TABLE IF NOT EXISTS {incoming} ON COMMIT DELETE ROWS"
            f" AS SELECT {_names(table)} FROM {_quoted(table.name)} WITH NO DATA"
        )
        cursor.execute(f"TRUNCATE {incoming}")
        _copy(f"{incoming} ({_names(table)})", rows)
        cursor.execute(
            f"INSERT INTO {_quoted(table.name)} ({_names(table)})"
            f" SELECT {_names(table)} FROM {incoming}{_on_conflict(table)}"
        )


def update(table: str, which: dict[str, Any], columns: dict[str, Any]) -> int:
    """Change the rows that have the values of `which`; how many there are.

    Django would take longer to write such a statement than the database to obey, and each turn has some.
    """
    changes = ", ".join(f'"{column}" = %s' for column in columns)
    conditions = " AND ".join(f'"{column}" = %s' for column in which)
    values = [_adapt(value) for value in (*columns.values(), *which.values())]
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {_quoted(table)} SET {changes} WHERE {conditions}", values)
        changed: int = cursor.rowcount
    return changed


def _adapt(value: Any) -> Any:
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value


def _copy(target: str, rows: Iterable[Values]) -> None:
    sql = f"COPY {target} FROM STDIN"
    # Django does not know of COPY: unwrapped, its errors would be the driver's.
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.cursor.copy(sql) as copy:
        for row in rows:
            copy.write_row(row)


@cache
def _insert_sql(table: Table) -> str:
    marks = ", ".join(["%s"] * len(table.columns))
    return f"INSERT INTO {_quoted(table.name)} ({_names(table)}) VALUES ({marks})"


@cache
def _on_conflict(table: Table) -> str:
    changes = ", ".join(
        f'"{column}" = excluded."{column}"' for column in table.columns if column not in table.unique
    )
    keys = ", ".join(f'"{column}"' for column in table.unique)
    return f" ON CONFLICT ({keys}) DO UPDATE SET {changes}"


@cache
def _names(table: Table) -> str:
    return ", ".join(f'"{column}"' for column in table.columns)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
