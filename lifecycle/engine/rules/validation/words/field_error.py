"""One refused field, and how the API server words it.

The wording of every sort is that of Kubernetes: `spec.replicas: Invalid value: -1: must be ...`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

from ....objects.canonical_json import escape_json
from .go_structs import GoText

REQUIRED = "FieldValueRequired"
INVALID = "FieldValueInvalid"
TYPE_INVALID = "FieldValueTypeInvalid"
NOT_SUPPORTED = "FieldValueNotSupported"
FORBIDDEN = "FieldValueForbidden"
DUPLICATE = "FieldValueDuplicate"
NOT_FOUND = "FieldValueNotFound"
TOO_LONG = "FieldValueTooLong"
TOO_MANY = "FieldValueTooMany"

MOST_ERRORS = 1_000
"""Told of one object; of more it is said that there are."""
_WORDS = {
    REQUIRED: "Required value",
    INVALID: "Invalid value",
    TYPE_INVALID: "Invalid value",
    NOT_SUPPORTED: "Unsupported value",
    FORBIDDEN: "Forbidden",
    DUPLICATE: "Duplicate value",
    NOT_FOUND: "Not found",
    TOO_LONG: "Too long",
    TOO_MANY: "Too many",
}
_ESCAPE = late_pattern(r"\\(?:u00([01][0-9a-f])|.)")
_GO_ESCAPES = {"07": "\\a", "0b": "\\v"}
_AT_MOST = "may not be more than "
OMITTED = GoText("")
"""A value that the API server does not show."""
# These say all in their detail: the value would only repeat it.
_WITHOUT_VALUE = frozenset((REQUIRED, FORBIDDEN, TOO_LONG))


@dataclass(frozen=True, slots=True)
class FieldError:
    """`type` is the cause's reason in a Kubernetes Status; `value` is what was given."""

    path: str
    type: str
    value: Any
    detail: str

    @property
    def body(self) -> str:
        """The error without its field, as in the causes of a Status."""
        text = _WORDS[self.type]
        if self.type not in _WITHOUT_VALUE and self.value is not OMITTED:
            text += f": {_show(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    def __str__(self) -> str:
        return f"{self.path}: {self.body}"


def _show(value: Any) -> str:
    if isinstance(value, GoText):
        return value
    if isinstance(value, str):
        return _ESCAPE.sub(_escape_as_go, json.dumps(value, ensure_ascii=False))
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)
    return escape_json(text)


def _escape_as_go(found: re.Match[str]) -> str:
    """A control character as Go quotes it, where that is not as JSON does."""
    code = found[1]
    return found[0] if code is None else _GO_ESCAPES.get(code, f"\\x{code}")


def required(path: str, detail: str = "") -> FieldError:
    """A field that has to be there and is not."""
    return FieldError(path, REQUIRED, None, detail)


def invalid(path: str, value: Any, detail: str) -> FieldError:
    """A value that breaks a rule; `detail` says which."""
    return FieldError(path, INVALID, value, detail)


def forbidden(path: str, detail: str) -> FieldError:
    """A field that may not be set, or not now."""
    return FieldError(path, FORBIDDEN, None, detail)


def duplicate(path: str, value: Any) -> FieldError:
    """A value that only one entry of a list may have."""
    return FieldError(path, DUPLICATE, value, "")


def not_found(path: str, value: Any, detail: str = "") -> FieldError:
    """A name of something that is not there."""
    return FieldError(path, NOT_FOUND, value, detail)


def not_supported(path: str, value: Any, supported: Sequence[str]) -> FieldError:
    """A value that is none of those there are."""
    names = ", ".join(f'"{name}"' for name in supported)
    return FieldError(path, NOT_SUPPORTED, value, f"supported values: {names}")


def too_long(path: str, limit_bytes: int, count: int | None = None) -> FieldError:
    """A text above its limit; or a list, with how much is in it, where a release tells of it so."""
    return FieldError(path, TOO_LONG, count, f"{_AT_MOST}{limit_bytes} bytes")


def count_instead(error: FieldError) -> FieldError:
    """The same of a list that is above its limit."""
    most = int(error.detail.removeprefix(_AT_MOST).removesuffix(" bytes"))
    return too_many(error.path, error.value, most)


def too_many(path: str, count: int, most: int) -> FieldError:
    """A list above its limit."""
    return FieldError(path, TOO_MANY, count, f"must have at most {most} items")


def each_invalid(path: str, value: Any, details: Iterable[str]) -> list[FieldError]:
    """One error for every complaint about the same value."""
    return [invalid(path, value, detail) for detail in details]


def check_choice(path: str, value: Any, supported: Sequence[str], needed: bool = False) -> list[FieldError]:
    """An enumeration: absent is fine unless `needed`."""
    if value in (None, ""):
        return [required(path)] if needed else []
    return [] if value in supported else [not_supported(path, value, supported)]


def check_not_negative(path: str, value: Any, amount: Any = None) -> list[FieldError]:
    """`amount`: what the value comes to, where it is not a number itself."""
    number = value if amount is None else amount
    if number is None or number >= 0:
        return []
    return [invalid(path, value, "must be greater than or equal to 0")]


def check_range(path: str, value: Any, low: int, high: int) -> list[FieldError]:
    """A number between two bounds, both included; absent is fine."""
    if value is None or low <= value <= high:
        return []
    return [invalid(path, value, f"must be between {low} and {high}, inclusive")]
