"""What led to what happened to an object last: the rows that caused each other, the root first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.engine.rules.telling.verdicts import tell_instant

MOST_LINKS, _SAID = 14, 200
Json = Mapping[str, Any]


def tell_chain(rows: Sequence[Json], kind: str, namespace: str | None, name: str) -> list[str]:
    """A line for each link; of a long chain both ends. [] of an object without rows."""
    asked = kind, namespace or None, name
    last = next(
        (row for row in reversed(rows) if (row["kind"], row["namespace"], row["name"]) == asked), None
    )
    chain, cause = list[str](), None if last is None else last["seq"]
    while isinstance(cause, int) and 0 < cause <= len(rows):
        row = rows[cause - 1]
        chain.append(_tell(row))
        cause = row["cause"]
    if chain and cause is not None:
        chain.append(f"{cause}")
    chain.reverse()
    if len(chain) > MOST_LINKS:
        half = MOST_LINKS // 2
        chain = [*chain[:half], f"… {len(chain) - MOST_LINKS} steps more …", *chain[-half:]]
    return chain


def _tell(row: Json) -> str:
    head = f"{tell_instant(row['at_ms'])} {row['kind']} {row['name']}"
    if row["type"] == "event":
        return f"{head}: {row['reason']}: {row['message']}"[:_SAID]
    why = f" ({row['reason']})" if row["reason"] else ""
    old = "" if row["old"] is None else f"{row['old']} -> "
    return f"{head} {row['field']}: {old}{row['new']}{why}"[:_SAID]
