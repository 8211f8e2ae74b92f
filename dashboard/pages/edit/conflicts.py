"""What others changed of an object while somebody edited it, and how both come together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson

from lifecycle.input.differences import MISSING, Field, list_fields, name_items

Json = Mapping[str, Any]
MOST_FIELDS = 50


@dataclass(frozen=True, slots=True)
class Conflict:
    """`fields`: what others changed since the editor was opened. `both`: paths that the writer changed too.

    `seen` stands for the object as it is now: who has seen this conflict may write over that, and over
    nothing that came later.
    """

    fields: tuple[Field, ...]
    both: frozenset[str]
    seen: str
    is_another: bool = False
    """Whether the object was deleted, and another one made of its name."""

    @property
    def shown(self) -> tuple[Field, ...]:
        return self.fields[:MOST_FIELDS]

    @property
    def hidden(self) -> int:
        return len(self.fields[MOST_FIELDS:])


def find_conflict(opened: Json, written: Json, now: Json, is_another: bool = False) -> Conflict | None:
    """None where nobody else changed anything. All three without what only the cluster writes."""
    theirs = tuple(list_fields(opened, now))
    if not (theirs or is_another):
        return None
    ours = [one.path for one in list_fields(opened, written)]
    shown = (one.path for one in theirs[:MOST_FIELDS])
    both = frozenset(path for path in shown if any(_touch(path, own) for own in ours))
    return Conflict(theirs, both, digest(now), is_another)


def _touch(path: str, other: str) -> bool:
    """Whether two fields are the same one, or one is within the other."""
    within = ((path, other), (other, path))
    return path == other or any(one.startswith((f"{whole}.", f"{whole}[")) for one, whole in within)


def digest(data: Json) -> str:
    """The same for the same object."""
    return sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).hexdigest()


def merge(opened: Any, written: Any, now: Any) -> Any:
    """What was written, with what others changed meanwhile; what both changed stays as it was written.

    Items of lists belong together by their names, as containers do; another list is taken whole.
    """
    if written in (opened, now):
        return now
    if now == opened:
        return written
    if isinstance(written, Mapping) and isinstance(now, Mapping):
        return _merge_named(opened if isinstance(opened, Mapping) else {}, written, now)
    if isinstance(written, list) and isinstance(now, list) and isinstance(opened, list):
        named = name_items(opened, written, now)
        if all(map(_are_names, named)):
            return [*_merge_named(*named).values()]
    return written


def _merge_named(opened: Json, written: Json, now: Json) -> dict[str, Any]:
    merged = {
        name: merge(opened.get(name, MISSING), written.get(name, MISSING), now.get(name, MISSING))
        for name in {**written, **now}
    }
    return {name: value for name, value in merged.items() if value is not MISSING}


def _are_names(items: Json) -> bool:
    """Whether a list is known by the names of its items, and not by their places."""
    return all(isinstance(one, Mapping) and one.get("name") == name for name, one in items.items())
