"""Label selectors as people type them: `app=web,tier!=db,env in (a,b),!legacy`."""

from __future__ import annotations

import re
from typing import Any

from lifecycle.late_patterns import late_pattern

from .selector import DOES_NOT_EXIST, EXISTS, IN, NOT_IN, Selector
from .shortened import shorten

_KEY = r"[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?"
_VALUE = r"[A-Za-z0-9._-]*"
_REQUIREMENT = late_pattern(
    rf"\s*(?:!\s*(?P<absent>{_KEY})"
    rf"|(?P<key>{_KEY})"
    rf"(?:\s*(?P<operator>==|=|!=)\s*(?P<value>{_VALUE})"
    rf"|\s+(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*"
)
_LONGEST = 10_000


def read_selector(text: str) -> Selector:
    """The selector that a text means; an empty one selects everything.

    `!=` and `notin` hold where the key is absent, as in manifests. Raises ValueError saying what cannot be
    read.
    """
    if not text.strip():
        return Selector({})
    entries: list[dict[str, Any]] = []
    place = 0
    while True:
        found = _REQUIREMENT.match(text, place) if len(text) <= _LONGEST else None
        if found is None or (found.end() < len(text) and text[found.end()] != ","):
            raise ValueError(f"{shorten(text)} is no label selector; write for example app=web,env in (a,b)")
        entries.append(_read(found))
        if found.end() == len(text):
            return Selector({"matchExpressions": entries})
        place = found.end() + 1


def _read(found: re.Match[str]) -> dict[str, Any]:
    if found["absent"]:
        return {"key": found["absent"], "operator": DOES_NOT_EXIST}
    if found["operator"]:
        operator = NOT_IN if found["operator"] == "!=" else IN
        return {"key": found["key"], "operator": operator, "values": [found["value"]]}
    if found["set"]:
        values = [one.strip() for one in found["values"].split(",")]
        return {"key": found["key"], "operator": IN if found["set"] == "in" else NOT_IN, "values": values}
    return {"key": found["key"], "operator": EXISTS}
