"""Custom resources held to their schema, in the words of the API server."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from itertools import chain, islice
from typing import Any

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import replace

from ...objects.names import INT_OR_STRING, LIST_KEYS, LIST_TYPE
from ..managed_fields.paths import write_json
from ..validation.words.field_error import (
    DUPLICATE,
    NOT_SUPPORTED,
    OMITTED,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    TYPE_INVALID,
    FieldError,
    invalid,
    required,
)
from ..validation.words.go_structs import GoText
from .definition import ScalePaths
from .looks import MOST_LOOKS, Looks, TooMuchToCheck

Json = Mapping[str, Any]
MOST_ERRORS = 100
_MOST_REPLICAS = 2**31 - 1
WHOLE = "<nil>"
"""How the API server writes the path of the whole object."""
TOO_MUCH = (
    f"checking it by its schema takes more than {MOST_LOOKS:,} looks; use fewer values, or fewer schemas in"
    " anyOf, oneOf, allOf and not"
)
_TOGETHER = ("anyOf", "oneOf", "allOf", "not")
_BLOCKING = frozenset((NOT_SUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID))


def validate_custom(value: Any, schema: Json, path: str = "", looks: Looks | None = None) -> list[FieldError]:
    """Everything wrong with a value, defaults applied; at most MOST_ERRORS, and that it is too much to check.

    `looks`: of all values that are checked together; None for those of this one alone.
    """
    looks = Looks() if looks is None else looks
    found: list[FieldError] = []
    try:
        for error in chain(_check(value, schema, path, looks), _check_lists(value, schema, path)):
            found.append(error)
            if len(found) == MOST_ERRORS:
                break
    except TooMuchToCheck:
        found.append(invalid(path or WHOLE, OMITTED, TOO_MUCH))
    return found


def validate_status(value: Any, schema: Json) -> list[FieldError]:
    """The same of a status that is written alone: what is said of a value names it from there on."""
    return [
        replace(error, path="status" if error.path in ("", WHOLE) else f"status.{error.path}")
        for error in validate_custom(value, schema)
    ]


def check_scale(data: Json, paths: ScalePaths) -> list[FieldError]:
    """What is wrong with the sizes of an object: the one that is wanted, and the one that is."""
    errors = []
    for path in (paths.spec, paths.status):
        size: Any = data
        for name in path:
            size = size.get(name) if isinstance(size, dict) else None
        if not isinstance(size, int) or isinstance(size, bool):
            continue
        if size < 0:
            errors.append(invalid(f".{'.'.join(path)}", size, "should be a non-negative integer"))
        elif size > _MOST_REPLICAS:
            said = f"should be less than or equal to {_MOST_REPLICAS}"
            errors.append(invalid(f".{'.'.join(path)}", size, said))
    return errors


def is_blocking(error: FieldError) -> bool:
    """Whether rules are not asked of an object with this error (strategy.go, hasBlockingErr)."""
    return error.type in _BLOCKING


def _check(value: Any, schema: Json, path: str, looks: Looks) -> Iterator[FieldError]:
    looks.take()
    wrong = _find_wrong_type(value, schema, path)
    if wrong is not None:
        yield wrong
    if value is not None and any(word in schema for word in _TOGETHER):
        yield from _check_together(value, schema, path, looks)
    if isinstance(value, str):
        yield from _check_text(value, schema, path)
    elif isinstance(value, list):
        yield from _check_list(value, schema, path, looks)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _check_number(value, schema, path)
    choices = schema.get("enum")
    if choices:
        looks.take(len(choices))
        written = [write_json(one) for one in choices]
        if write_json(value) not in written:
            yield FieldError(path, NOT_SUPPORTED, value, f"supported values: {', '.join(written)}")
    if isinstance(value, dict):
        yield from _check_map(value, schema, path, looks)


# --- types ------------------------------------------------------------------------------------------------


def _find_wrong_type(value: Any, schema: Json, path: str) -> FieldError | None:
    wanted = schema.get("type")
    if value is None and (schema.get("nullable") or not wanted):
        return None
    if schema.get(INT_OR_STRING):
        fits = isinstance(value, str) or _is_integer(value)
        wanted = "integer,string"
    else:
        fits = not wanted or _FITS[wanted](value) if wanted in _FITS or not wanted else True
    if fits:
        return None
    found = _name_type(value)
    return FieldError(path, TYPE_INVALID, found, f'{_in_body(path)} must be of type {wanted}: "{found}"')


def _is_integer(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": _is_integer,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}


def _name_type(value: Any) -> str:
    if value is None:
        return "null"
    return next(name for name in (*list(_FITS)[:4], "integer", "number") if _FITS[name](value))


def _in_body(path: str) -> str:
    return f"{path} in body"


# --- values -----------------------------------------------------------------------------------------------


def _check_text(value: str, schema: Json, path: str) -> Iterator[FieldError]:
    least, most, pattern = schema.get("minLength"), schema.get("maxLength"), schema.get("pattern")
    if most is not None and len(value) > most:
        yield FieldError(path, TOO_LONG, value, f"may not be more than {most} bytes")
    if least is not None and len(value) < least:
        yield invalid(path, value, f"{_in_body(path)} should be at least {least} chars long")
    if pattern and not matches(pattern, value):
        yield invalid(path, value, f"{_in_body(path)} should match '{pattern}'")
    check = _FORMATS.get(str(schema.get("format") or ""))
    if check is not None and not check(value):
        detail = f"{_in_body(path)} must be of type {schema['format']}: {write_json(value)}"
        yield FieldError(path, TYPE_INVALID, value, detail)


def matches(pattern: str, value: str) -> bool:
    """Whether a pattern is found in a text. One that cannot be read is met by none."""
    import re2

    try:
        return re2.search(pattern, value) is not None
    except re2.error:
        return False


def _check_number(value: float, schema: Json, path: str) -> Iterator[FieldError]:
    least, most, step = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf")
    body, more, less = _in_body(path), "should be greater than", "should be less than"
    if least is not None and (value <= least if schema.get("exclusiveMinimum") else value < least):
        words = more if schema.get("exclusiveMinimum") else f"{more} or equal to"
        yield invalid(path, value, f"{body} {words} {_write_number(least)}")
    if most is not None and (value >= most if schema.get("exclusiveMaximum") else value > most):
        words = less if schema.get("exclusiveMaximum") else f"{less} or equal to"
        yield invalid(path, value, f"{body} {words} {_write_number(most)}")
    if schema.get("type") == "integer" and not _is_integer(value):
        yield _of_whole(f"Checked value must be of type integer (default format) in {path}")
    if step and math.fmod(value, step) != 0:
        yield invalid(path, value, f"{body} should be a multiple of {_write_number(step)}")


def _write_number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else str(value)


def _check_list(value: list[Any], schema: Json, path: str, looks: Looks) -> Iterator[FieldError]:
    least, most = schema.get("minItems"), schema.get("maxItems")
    if most is not None and len(value) > most:
        yield FieldError(path, TOO_MANY, len(value), f"must have at most {most} items")
    if least is not None and len(value) < least:
        yield invalid(path, len(value), f"{_in_body(path)} should have at least {least} items")
    items = schema.get("items")
    for index, one in enumerate(value if items else ()):
        yield from _check(one, items or {}, f"{path}[{index}]", looks)


# --- lists that are sets or maps --------------------------------------------------------------------------


def _check_lists(value: Any, schema: Json, path: str) -> Iterator[FieldError]:
    """What stands twice in a list where it may not; looked for when all else has been (listtype)."""
    if isinstance(value, list):
        yield from _check_unique(value, schema, path)
        items = schema.get("items")
        if isinstance(items, dict):
            for index, one in enumerate(value):
                yield from _check_lists(one, items, f"{path}[{index}]")
    elif isinstance(value, dict):
        known, further = schema.get("properties") or {}, schema.get("additionalProperties")
        for name, one in value.items():
            inner = known.get(name, further)
            if isinstance(inner, dict):
                yield from _check_lists(one, inner, _below(path, name))


def _check_unique(value: list[Any], schema: Json, path: str) -> Iterator[FieldError]:
    kind, keys = schema.get(LIST_TYPE), schema.get(LIST_KEYS) or ()
    if kind not in ("set", "map"):
        return
    seen = set()
    for index, one in enumerate(value):
        if kind == "map" and not isinstance(one, dict):
            continue
        known = {key: one[key] for key in keys if key in one} if kind == "map" else one
        text = write_json(known)
        if text in seen:
            yield FieldError(f"{path}[{index}]", DUPLICATE, GoText(text), "")
        seen.add(text)


def _check_map(value: dict[str, Any], schema: Json, path: str, looks: Looks) -> Iterator[FieldError]:
    least, most = schema.get("minProperties"), schema.get("maxProperties")
    if most is not None and len(value) > most:
        yield FieldError(path, TOO_MANY, len(value), f"must have at most {most} items")
    if least is not None and len(value) < least:
        yield invalid(path, len(value), f"{_in_body(path)} should have at least {least} properties")
    known, further = schema.get("properties") or {}, schema.get("additionalProperties")
    for name, one in value.items():
        inner = known.get(name, further)
        if isinstance(inner, dict):
            yield from _check(one, inner, _below(path, name), looks)
    for name in schema.get("required") or ():
        if name not in value:
            yield required(_below(path, name))


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


# --- schemas together -------------------------------------------------------------------------------------


def _check_together(value: Any, schema: Json, path: str, looks: Looks) -> Iterator[FieldError]:
    shown = write_json(path)
    any_of, one_of, all_of = (schema.get(word) or () for word in _TOGETHER[:3])
    failed = _Failures(value, path, looks)
    # The first that holds is enough.
    if any_of and all(failed.add(one) for one in any_of):
        yield _of_whole(f"{shown} must validate at least one schema (anyOf)")
        yield from failed.find_nearest()
    failed = _Failures(value, path, looks)
    count = sum(not failed.add(one) for one in one_of)
    if one_of and count != 1:
        found = "Found none valid" if count == 0 else f"Found {count} valid alternatives"
        yield _of_whole(f"{shown} must validate one and only one schema (oneOf). {found}")
        if count == 0:
            yield from failed.find_nearest()
    count = 0
    for one in all_of:
        errors = _list_errors(value, one, path, looks)
        yield from errors
        count += not errors
    if count < len(all_of):
        found = "" if count else ". None validated"
        yield _of_whole(f"{shown} must validate all the schemas (allOf){found}")
    if schema.get("not") and next(_check(value, schema["not"], path, looks), None) is None:
        yield _of_whole(f"{shown} must not validate the schema (not)")


class _Failures:
    """Those of several schemas that a value does not hold to, with their errors."""

    def __init__(self, value: Any, path: str, looks: Looks) -> None:
        self._value, self._path, self._looks = value, path, looks
        self._several: list[tuple[Json, list[FieldError]]] = []

    def add(self, schema: Json) -> bool:
        """Whether a schema, now asked for the one time that it is, is one of these."""
        errors = _list_errors(self._value, schema, self._path, self._looks)
        if errors:
            self._several.append((schema, errors))
        return bool(errors)

    def find_nearest(self) -> list[FieldError]:
        """What the one says that looks at most of a value, the first of several."""
        return max(self._several, key=lambda one: _count_looks(self._value, one[0], self._looks))[1]


def _list_errors(value: Any, schema: Json, path: str, looks: Looks) -> list[FieldError]:
    """What one of several schemas says. Each is asked once: they stand within each other."""
    return list(islice(_check(value, schema, path, looks), MOST_ERRORS))


def _of_whole(detail: str) -> FieldError:
    """What is told of the whole object, without a value, wherever in it it is."""
    return invalid(WHOLE, "", detail)


def _count_looks(value: Any, schema: Json, looks: Looks) -> int:
    """How much of a value a schema looks at."""
    looks.take()
    count = 1 + bool(schema.get("type") or schema.get("format"))
    for word in _TOGETHER[:3]:
        count += sum(_count_looks(value, one, looks) for one in schema.get(word) or ())
    if isinstance(value, dict):
        known = schema.get("properties") or {}
        names = value.keys() & known.keys()
        count += sum(_count_looks(value[name], known[name], looks) for name in names)
    return count


# --- formats ----------------------------------------------------------------------------------------------

_DATE_TIME = late_pattern(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DURATION = late_pattern(r"\s*(\d+\s*(h|m|s|ms|us|µs|ns|w|d|hours?|minutes?|seconds?|days?|weeks?)\s*)+")
_HOST = late_pattern(
    r"([A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*"
)
_EMAIL = late_pattern(r"[^@\s<>]{1,64}@[^@\s<>]{1,255}")
_URI = late_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_MAC = late_pattern(r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")


def _reads(read: Callable[[str], Any]) -> Callable[[str], bool]:
    def is_read(text: str) -> bool:
        try:
            read(text)
        except (ValueError, binascii.Error):
            return False
        return True

    return is_read


def _read_date_time(text: str) -> datetime:
    if not _DATE_TIME.fullmatch(text):
        raise ValueError(text)
    return datetime.fromisoformat(text.upper().replace("Z", "+00:00")[:19])


def _read_uuid(text: str) -> Any:
    import uuid

    return uuid.UUID(text)


def _fits(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: len(text) <= 2048 and pattern.fullmatch(text) is not None


_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date-time": _reads(_read_date_time),
    "datetime": _reads(_read_date_time),
    "date": _reads(date.fromisoformat),
    "ipv4": _reads(ipaddress.IPv4Address),
    "ipv6": _reads(ipaddress.IPv6Address),
    "cidr": _reads(lambda text: ipaddress.ip_network(text if "/" in text else "", strict=False)),
    "uuid": _reads(_read_uuid),
    "byte": _reads(lambda text: base64.b64decode(text, validate=True)),
    "duration": _fits(_DURATION),
    "hostname": _fits(_HOST),
    "email": _fits(_EMAIL),
    "uri": _fits(_URI),
    "mac": _fits(_MAC),
}
