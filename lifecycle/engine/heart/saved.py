"""Plain data that another engine saved: what is missing is filled in, what is of another type is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def fill_in(saved: Any, fresh: Mapping[str, Any], subject: str) -> dict[str, Any]:
    """Saved data, with the values of something newly made where it has none.

    Raises ValueError naming `subject` and the key whose value is of another type than the new one's.
    """
    if not isinstance(saved, dict):
        raise ValueError(f"{subject}: is {type(saved).__name__}, not a map")
    for name, value in fresh.items():
        if name in saved and not is_alike(saved[name], value):
            raise ValueError(
                f"{subject}: {name}: is {type(saved[name]).__name__}, not {type(value).__name__}"
            )
    return {**fresh, **saved}


def is_alike(value: Any, fresh: Any) -> bool:
    """Whether a saved value may stand where a new one stands. Either may be None: not known, not yet set."""
    if value is None or fresh is None:
        return True
    if isinstance(fresh, bool) or isinstance(value, bool):
        return isinstance(fresh, bool) and isinstance(value, bool)
    kinds = ((int, float), (str,), (list, tuple), (Mapping,))
    return any(isinstance(value, kind) and isinstance(fresh, kind) for kind in kinds)


def part_of(saved: Any, name: str) -> Any:
    """A part of saved data by its key; None where there is no such part."""
    return saved.get(name) if isinstance(saved, dict) else None


def map_of(saved: Any, name: str) -> dict[str, Any]:
    """A part that is to be a map; an empty one where it is missing or something else."""
    found = part_of(saved, name)
    return found if isinstance(found, dict) else {}


def list_of(saved: Any, name: str) -> list[Any]:
    """A part that is to be a list; an empty one where it is missing or something else."""
    found = part_of(saved, name)
    return found if isinstance(found, list) else []


def copy_plain(value: Any) -> Any:
    """A copy of plain data, all of its maps and lists new."""
    if isinstance(value, dict):
        return {name: copy_plain(item) for name, item in value.items()}
    return [copy_plain(item) for item in value] if isinstance(value, list) else value
