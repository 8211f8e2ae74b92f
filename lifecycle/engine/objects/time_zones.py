"""Time zones, from the table that is part of the program: the same on every machine."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lifecycle.late_patterns import late_pattern

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

UTC = "UTC"
_PART = late_pattern(r"[A-Za-z._0-9+][-A-Za-z._0-9+]{0,13}")


def is_zone_name(text: str) -> bool:
    """Whether a time zone may be called so at all."""
    parts = text.split("/")
    return all(part not in (".", "..") and _PART.fullmatch(part) for part in parts)


def is_zone(name: str) -> bool:
    """Whether there is a time zone of that name."""
    return name == UTC or (is_zone_name(name) and name in _list_zones())


@cache
def _list_zones() -> frozenset[str]:
    from importlib.resources import files

    return frozenset(files("tzdata").joinpath("zones").read_text().split())


@cache
def load_zone(name: str) -> ZoneInfo:
    """A time zone by its name. Raises ValueError, in Kubernetes' words, where there is none."""
    from importlib.resources import files
    from zoneinfo import ZoneInfo

    if not is_zone(name):
        raise ValueError(f"unknown time zone {name}")
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as table:
        return ZoneInfo.from_file(table, key=name)
