"""A part of an object, and what is wrong with its fields: each said by the field's name, its path known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from itertools import islice
from typing import Any, Concatenate, ParamSpec

from .field_error import (
    MOST_ERRORS,
    FieldError,
    check_choice,
    check_not_negative,
    check_range,
    duplicate,
    each_invalid,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
    too_many,
)

Given = ParamSpec("Given")
_OWN = object()


class Part:
    """A map within an object. What is wrong in it and in its own parts gathers in one list of errors.

    Where a `value` can be given it is what the error shows, in place of the field's own.
    """

    __slots__ = ("data", "errors", "path")

    def __init__(
        self, data: Mapping[str, Any] | None, path: str = "", errors: list[FieldError] | None = None
    ) -> None:
        self.data: Mapping[str, Any] = data or {}
        self.path = path
        self.errors = [] if errors is None else errors

    def __getitem__(self, field: str) -> Any:
        return self.data.get(field)

    def at(self, field: str) -> str:
        """The path of a field; of the part itself for ""."""
        return f"{self.path}.{field}" if self.path and field else self.path or field

    def part(self, field: str) -> Part:
        """A map that is a field of this one, empty where it is absent."""
        return Part(self.data.get(field), self.at(field), self.errors)

    def parts(self, field: str) -> list[Part]:
        """The maps of a list."""
        entries = self.data.get(field)
        if not entries:
            return []
        path = self.at(field)
        return [Part(entry, f"{path}[{index}]", self.errors) for index, entry in enumerate(entries)]

    def list_given(self, fields: Iterable[str]) -> list[str]:
        """Those of some fields that are there."""
        return [field for field in fields if self.data.get(field) is not None]

    def require(self, field: str, detail: str = "") -> None:
        """A field that has to be there and is not."""
        self.errors.append(required(self.at(field), detail))

    def need(self, field: str, detail: str = "") -> None:
        """Require a field that is absent or empty."""
        if not self.data.get(field):
            self.require(field, detail)

    def refuse(self, field: str, detail: str, value: Any = _OWN) -> None:
        """A value that breaks a rule."""
        self.errors.append(invalid(self.at(field), self[field] if value is _OWN else value, detail))

    def complain(self, field: str, details: Iterable[str], value: Any = _OWN) -> None:
        """A value that breaks several rules; `details` are read up to the first that will not be told."""
        shown = self[field] if value is _OWN else value
        several = islice(details, max(MOST_ERRORS + 1 - len(self.errors), 1))
        self.errors += each_invalid(self.at(field), shown, several)

    def forbid(self, field: str, detail: str) -> None:
        """A field that may not be set, or not now."""
        self.errors.append(forbidden(self.at(field), detail))

    def stays(self, field: str, stored: Mapping[str, Any]) -> None:
        """A field that an object keeps for life."""
        if self[field] != stored.get(field):
            self.refuse(field, "field is immutable")

    def miss(self, field: str, value: Any) -> None:
        """A name of something that is not there."""
        self.errors.append(not_found(self.at(field), value))

    def support(self, field: str, supported: Sequence[str], value: Any = _OWN) -> None:
        """A value that is one of those there are, absent or not."""
        shown = self[field] if value is _OWN else value
        if shown not in supported:
            self.errors.append(not_supported(self.at(field), shown, supported))

    def choice(self, field: str, supported: Sequence[str], needed: bool = False) -> None:
        """An enumeration: absent is fine unless `needed`."""
        value = self.data.get(field)
        if value or needed:
            self.errors += check_choice(self.at(field), value, supported, needed)

    def given(self, field: str, supported: Sequence[str]) -> None:
        """An enumeration that may be absent, though not empty: in Go it is a pointer."""
        if self.data.get(field) is not None:
            self.support(field, supported)

    def counts(self, *fields: str) -> None:
        """Numbers from 0 on; absent is fine."""
        for field in self.list_given(fields):
            self.errors += check_not_negative(self.at(field), self[field])

    def within(self, field: str, low: int, high: int, value: Any = _OWN) -> None:
        """A number between two bounds, both included; absent is fine."""
        number = self.data.get(field) if value is _OWN else value
        if number is not None:
            self.errors += check_range(self.at(field), number, low, high)

    def text(
        self, field: str, check: Callable[[str], Iterable[str]], needed: bool = False, detail: str = ""
    ) -> None:
        """A text that `check` has no complaint about; absent is fine unless `needed`."""
        value = self[field]
        if value:
            self.complain(field, check(value))
        elif needed:
            self.require(field, detail)

    def limit(self, field: str, most: int) -> bool:
        """Whether a list is no longer than it may be."""
        count = len(self[field] or ())
        if count > most:
            self.errors.append(too_many(self.at(field), count, most))
        return count <= most

    def once(self, field: str, value: Any, seen: set[Any]) -> bool:
        """Whether a value that only one entry may have was not `seen` before; it is from now on."""
        is_new = value not in seen
        if not is_new:
            self.errors.append(duplicate(self.at(field), value))
        seen.add(value)
        return is_new

    def apply(self, field: str, check: Callable[..., list[FieldError]], *given: Any) -> None:
        """What `check` finds in a field, called as (value, path, *given)."""
        self.errors += check(self[field], self.at(field), *given)


def gathers(
    path: str,
) -> Callable[
    [Callable[Concatenate[Part, Given], None]],
    Callable[Concatenate[Mapping[str, Any], Given], list[FieldError]],
]:
    """Makes of a check that is given a Part one that is given JSON, and returns what is wrong."""

    def make(
        check: Callable[Concatenate[Part, Given], None],
    ) -> Callable[Concatenate[Mapping[str, Any], Given], list[FieldError]]:
        @wraps(check)
        def run(data: Mapping[str, Any], /, *given: Given.args, **named: Given.kwargs) -> list[FieldError]:
            part = Part(data, path)
            check(part, *given, **named)
            return part.errors

        return run

    return make
