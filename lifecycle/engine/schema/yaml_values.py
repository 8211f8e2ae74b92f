"""What a scalar of YAML means to Kubernetes: the rules of YAML 1.1 as Go's library has them.

`true`, `yes`, `on`, `y` and their opposites are booleans; whole numbers may be written in base 2, 8 (`0644`,
`0o644`), 10 and 16; `_` in numbers is ignored; times, dates and base 60 stay text.
"""

from __future__ import annotations

import base64
import binascii
import math
from typing import Any

from lifecycle.late_patterns import late_pattern

TRUE_WORDS = frozenset(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"])
FALSE_WORDS = frozenset(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"])
NULL_WORDS = frozenset(("", "~", "null", "Null", "NULL"))
NOT_FINITE = late_pattern(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
WHOLE = late_pattern(
    r"(?P<sign>[-+]?)(0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+)|(?P<dec>0|[1-9][0-9]*))"
)
DECIMAL = late_pattern(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
BASES = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
# Beyond 64 bits a whole number becomes a decimal one, so nobody needs more digits than this.
LONGEST_NUMBER = 400
YAML_TAG = "tag:yaml.org,2002:"


class UnreadableValue(ValueError):
    """A value that has no place in JSON; `remedy` says what to write."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


def resolve_tagged(text: str, tag: str) -> Any:
    """The JSON value of a quoted scalar (`tag` is "") or of one with a tag such as `!!int` written before it.

    Raises UnreadableValue for unknown tags and broken base64.
    """
    match tag.removeprefix(YAML_TAG):
        case "str" | "timestamp" | "!" | "":
            return text
        case "binary":
            return _decode_binary(text)
        case "int" | "float" | "bool" | "null":
            return resolve_plain(text)
    raise UnreadableValue(f"Kubernetes does not know the tag {tag}", "write the value without a tag")


def resolve_plain(text: str) -> Any:
    """A scalar without quotes: null, a boolean, a number, else the text. Raises UnreadableValue for .inf."""
    if text in NULL_WORDS:
        return None
    if text in TRUE_WORDS:
        return True
    if text in FALSE_WORDS:
        return False
    if NOT_FINITE.fullmatch(text):
        raise UnreadableValue(f"{text} is not a number JSON can hold", "write a finite number")
    if text[0] in "+-.0123456789":
        return _resolve_number(text)
    return text


def _resolve_number(text: str) -> Any:
    digits = text.replace("_", "")
    if len(digits) > LONGEST_NUMBER:
        return text
    whole = WHOLE.fullmatch(digits)
    if whole:
        base_name = next(name for name in BASES if whole[name] is not None)
        value = int(whole[base_name], BASES[base_name])
        return _fit(-value if whole["sign"] == "-" else value)
    # 089 is no octal number; Go then reads it as a decimal one.
    return json_number(digits) if DECIMAL.fullmatch(digits) else text


def _fit(value: int) -> int | float:
    return value if -(2**63) <= value < 2**64 else float(value)


def json_number(text: str) -> int | float:
    """A JSON number; `3.0` and `1e3` are whole, as they are once Kubernetes has decoded them.

    Raises UnreadableValue when the number is beyond a 64-bit float.
    """
    if len(text) > LONGEST_NUMBER:
        raise UnreadableValue(f"a number of {len(text)} digits is too long", "write a smaller number")
    if text.lstrip("-").isdigit():
        return _fit(int(text))
    value = float(text)
    if not math.isfinite(value):
        raise UnreadableValue(f"{text} is not a number JSON can hold", "write a finite number")
    return int(value) if value.is_integer() and abs(value) < 2**63 else value


def _decode_binary(text: str) -> str:
    try:
        return base64.b64decode(text.replace("\n", "").replace(" ", ""), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise UnreadableValue("a !!binary value must be base64 of text", "write the text itself") from None
