"""Arrays of bash: indexed ones, and associative ones in the order in which bash keeps them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import CannotInterpret
from .task import Shell

_MOST_ELEMENTS = 100_000
_BUCKETS = 1024
_OFFSET, _PRIME = 2_166_136_261, 16_777_619


def keys_in_order(pairs: Mapping[str, str]) -> list[str]:
    """As bash walks its hash table: bucket by bucket (FNV-1), in each the newest key first."""
    newest_first = reversed(list(pairs))
    return sorted(newest_first, key=_bucket)


def _bucket(key: str) -> int:
    number = _OFFSET
    for byte in key.encode():
        number = number * _PRIME & 0xFFFFFFFF ^ byte
    return number % _BUCKETS


def get_values(shell: Shell, name: str) -> list[str] | None:
    """The elements of an array that are set; None when there is no such array."""
    if name in shell.maps:
        pairs = shell.maps[name]
        return [pairs[key] for key in keys_in_order(pairs)]
    values = shell.arrays.get(name)
    return None if values is None else [value for value in values if value is not None]


def get_keys(shell: Shell, name: str) -> list[str]:
    """Keys or places of the elements that are set; a plain variable is its own element 0."""
    if name in shell.maps:
        return keys_in_order(shell.maps[name])
    if name in shell.arrays:
        return [str(place) for place, value in enumerate(shell.arrays[name]) if value is not None]
    return ["0"] if name in shell.variables else []


def need_elements(shell: Shell, name: str, count: int) -> None:
    """Raises CannotInterpret where an array would have too many elements."""
    if count > _MOST_ELEMENTS:
        raise CannotInterpret(f"more than {_MOST_ELEMENTS} elements of the array {name}")


def put_element(shell: Shell, name: str, place: int, value: str) -> None:
    """Set an element of an indexed array, counted from its end when below 0."""
    values = shell.arrays.setdefault(name, [])
    if not values and name in shell.variables:
        values.append(shell.variables.pop(name))
    if not -len(values) <= place < _MOST_ELEMENTS:
        raise CannotInterpret(f"element {place} of the array {name}")
    values.extend([None] * (place + 1 - len(values)))
    values[place] = value


def put_key(shell: Shell, name: str, key: str, value: str) -> None:
    """Set an element of an associative array."""
    need_elements(shell, name, len(shell.maps[name]) + 1)
    shell.maps[name][key] = value


def unset_element(shell: Shell, name: str, key: str, evaluate: Callable[[str], int]) -> None:
    """`unset name[key]`."""
    if key in ("@", "*"):
        shell.maps.pop(name, None)
        shell.arrays.pop(name, None)
    elif name in shell.maps:
        shell.maps[name].pop(key, None)
    elif name in shell.arrays:
        values, place = shell.arrays[name], evaluate(key)
        if -len(values) <= place < len(values):
            values[place] = None
        while values and values[-1] is None:
            values.pop()
