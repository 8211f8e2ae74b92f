"""A dump's objects, read leniently: what is of a wrong type is noted with its field, and taken as absent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lifecycle.calibration.windows import Window, read_window
from lifecycle.engine.objects.shortened import shorten
from lifecycle.engine.schema.paths import Path
from lifecycle.input.manifests import Document
from lifecycle.input.problems import Problem
from lifecycle.lean_dataclasses import dataclass

_LEFT_OUT = "it is left out"
_TIME = "a time such as 2026-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Fields:
    """One mapping of an object, with where it stands."""

    document: Document
    data: Mapping[Any, Any]
    problems: list[Problem]
    path: Path = ()

    def text(self, name: str) -> str:
        """A text; "" for an absent one."""
        return self._take(name, str, "text") or ""

    def whole(self, name: str, least: int = 0) -> int | None:
        """A whole number of at least so much."""
        value: int | None = self._take(name, int, "a whole number")
        if value is None or least <= value <= 2**31:
            return value
        self.note(name, f"{shorten(value)} is not from {least} to 2147483648")
        return None

    def mapping(self, name: str) -> Fields:
        """A mapping; an empty one for an absent one."""
        return self._at(self._take(name, dict, "a mapping") or {}, name)

    def mappings(self, name: str) -> Iterator[Fields]:
        """The mappings of a list."""
        for index, value in enumerate(self._take(name, list, "a list") or ()):
            if isinstance(value, dict):
                yield self._at(value, name, index)
            else:
                self.note(name, f"{shorten(value)} is not a mapping", index)

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a list."""
        values = self._take(name, list, "a list") or ()
        for index, value in enumerate(values):
            if not isinstance(value, str):
                self.note(name, f"{shorten(value)} is not text", index)
        return tuple(value for value in values if isinstance(value, str))

    def window(self, name: str) -> Window | None:
        """When something was."""
        text = self._take(name, str, _TIME)
        if not text:
            return None
        try:
            return read_window(text)
        except (ValueError, OverflowError):
            self.note(name, f"{shorten(text)} is not {_TIME}")
            return None

    def note(self, name: str, message: str, *inside: int) -> None:
        """Keep what is wrong with a field."""
        self.problems.append(self.document.problem((*self.path, name, *inside), message, _LEFT_OUT))

    def _take(self, name: str, wanted: type, what: str) -> Any:
        value = self.data.get(name)
        if value is None or (isinstance(value, wanted) and not isinstance(value, bool)):
            return value
        self.note(name, f"{shorten(value)} is not {what}")
        return None

    def _at(self, data: Mapping[Any, Any], *inside: str | int) -> Fields:
        return Fields(self.document, data, self.problems, (*self.path, *inside))
