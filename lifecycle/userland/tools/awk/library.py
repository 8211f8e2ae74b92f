"""Awk's own functions on strings, and its printf."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ...matching.expression import Expression, compile_expression
from ...matching.problem import PatternProblem
from ...matching.translation import OF_AWK
from .nodes import AwkProblem
from .values import Array, InputText, Value, is_number, to_number, to_text

_DIRECTIVE = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(?:[hlLq]*)([a-zA-Z%])")
_WIDEST = 10_000
LONGEST = 1 << 20


def pattern(text: str) -> Expression:
    """An extended regular expression. Raises AwkProblem."""
    try:
        return compile_expression(text, OF_AWK)
    except PatternProblem as problem:
        raise AwkProblem(f"the pattern /{text[:40]}/: {problem}") from None


def split_fields(text: str, separator: str) -> list[str]:
    """Pieces of a text: between blanks, at one sign, or where a pattern matches."""
    if separator == " ":
        return text.split()
    if not text:
        return []
    if not separator:
        return list(text)
    if len(separator) == 1 and separator != "\\":
        return text.split(separator)
    found: list[str] = []
    at = 0
    for match in pattern(separator).all(text):
        if match.end() > match.start():
            found.append(text[at : match.start()])
            at = match.end()
    return [*found, text[at:]]


def split_into(array: Array, text: str, separator: str) -> float:
    """`split`: fills the array from 1 on."""
    pieces = split_fields(text, separator)
    array.clear()
    array.update({str(place): InputText(piece) for place, piece in enumerate(pieces, 1)})
    return float(len(pieces))


def substring(text: str, start: float, length: float | None) -> str:
    """`substr`: the signs at the places from start on, both rounded; places before the first do not count."""
    first = _rounded(start)
    end = len(text) + 1.0 if length is None else first + _rounded(length)
    first, end = max(first, 1), min(end, len(text) + 1)
    return text[int(first) - 1 : int(end) - 1] if end > first else ""


def _rounded(number: float) -> float:
    if math.isnan(number) or math.isinf(number):
        return number if math.isinf(number) else 0.0
    return float(round(number))


def substitute(expression: str, replacement: str, text: str, is_global: bool) -> tuple[str, int]:
    """`sub` and `gsub`: the new text, and how often something was replaced."""
    found: list[str] = []
    count, at, signs = 0, 0, len(text)
    for match in pattern(expression).all(text):
        found += [text[at : match.start()], _fill(replacement, match[0])]
        at = match.end()
        count += 1
        signs += len(found[-1])
        if signs > LONGEST:
            raise AwkProblem(f"a value of more than {LONGEST >> 20} MiB")
        if not is_global:
            break
    return "".join(found) + text[at:], count


def _fill(replacement: str, matched: str) -> str:
    return re.sub(r"\\\\|\\&|&", lambda sign: {"&": matched, "\\&": "&"}.get(sign[0], "\\"), replacement)


def format_values(form: str, values: Sequence[Value], number_form: str) -> str:
    """`printf`: directives take the values in turn; missing ones are empty or 0."""
    found: list[str] = []
    rest = list(values)
    at = 0

    def take() -> Value:
        return rest.pop(0) if rest else ""

    for match in _DIRECTIVE.finditer(form):
        found.append(form[at : match.start()])
        at = match.end()
        if match[4] == "%":
            found.append("%")
            continue
        width = str(int(to_number(take()))) if match[2] == "*" else match[2] or ""
        precision = str(int(to_number(take()))) if match[3] == "*" else match[3]
        if len(width) > 5 or len(precision or "") > 5 or int(width or 0) > _WIDEST:
            raise AwkProblem(f"a width of {width or precision}")
        point = f".{precision or 0}" if "." in match[0] else ""
        found.append(_directive(match[4], f"{match[1]}{width}{point}", take(), number_form))
    return "".join(found) + form[at:]


def _directive(kind: str, spec: str, value: Value, number_form: str) -> str:
    if kind in "di":
        return f"%{spec}d" % _whole(value)
    if kind in "oxXu":
        return f"%{spec}{'d' if kind == 'u' else kind}" % _whole(value)
    if kind in "feEgGF":
        return f"%{spec}{kind}" % to_number(value)
    if kind == "c":
        text = _sign(_whole(value)) if is_number(value) else to_text(value)[:1]
        return f"%{spec}s" % text
    if kind == "s":
        return f"%{spec}s" % to_text(value, number_form)
    raise AwkProblem(f"printf %{kind}")


def _sign(code: int) -> str:
    """The sign with a number; those that Unicode gives to no sign are shown as such."""
    is_sign = 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_sign else "\ufffd"


def _whole(value: Value) -> int:
    number = to_number(value)
    if math.isnan(number) or math.isinf(number):
        raise AwkProblem("a number that is too large for printf")
    return int(number)
