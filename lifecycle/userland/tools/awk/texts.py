"""What awk does with texts: splitting, cutting, replacing and formatting them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ...matching.expression import Expression, compile_expression
from ...matching.problem import PatternProblem
from ...matching.translation import OF_AWK
from .values import AwkProblem, Value, is_number, to_number, to_text

LONGEST = 1 << 20
_DIRECTIVE = re.compile(r"%([-+ #0]*\d{0,4}(?:\.\d{0,4})?)([a-zA-Z%*])")
_AMPERSAND = re.compile(r"\\\\|\\&|&")


def check_length(text: str) -> str:
    """The text. Raises AwkProblem for one that is too long."""
    if len(text) > LONGEST:
        raise AwkProblem(f"a value of more than {LONGEST >> 20} MiB")
    return text


def _pattern(text: str) -> Expression:
    try:
        return compile_expression(text, OF_AWK)
    except PatternProblem as problem:
        raise AwkProblem(f"the pattern /{text[:40]}/: {problem}") from None


def split_fields(text: str, separator: str) -> list[str]:
    """Pieces of a text: between blanks, at one sign, or where a pattern matches. Raises AwkProblem."""
    if separator == " ":
        return text.split()
    if not text or not separator:
        return list(text)
    if len(separator) == 1 and separator != "\\":
        return text.split(separator)
    found: list[str] = []
    at = 0
    for match in _pattern(separator).all(text):
        if match.end() > match.start():
            found.append(text[at : match.start()])
            at = match.end()
    return [*found, text[at:]]


def is_match(pattern: str, text: str) -> tuple[bool, int]:
    """Whether a pattern is in a text, and what the look costs. Raises AwkProblem."""
    compiled = _pattern(pattern)
    return compiled.is_in(text), compiled.cost(text)


def substring(text: str, start: float, length: float) -> str:
    """`substr`: the signs at the places from start on, both rounded; places before the first do not count."""
    if not (math.isfinite(start) and not math.isnan(length)):
        return ""
    end = round(start) + round(length) if math.isfinite(length) else len(text) + 1
    return text[max(round(start), 1) - 1 : max(end, 1) - 1]


def substitute(pattern: str, replacement: str, text: str, is_global: bool) -> tuple[str, int, int]:
    """`sub` and `gsub`: the new text, how often something was replaced, and the cost. Raises AwkProblem."""
    compiled = _pattern(pattern)
    found: list[str] = []
    count, at = 0, 0
    for match in compiled.all(text):
        found += [text[at : match.start()], _fill(replacement, match[0])]
        at = match.end()
        count += 1
        if count * len(found[-1]) > LONGEST:
            check_length("".join(found))
        if not is_global:
            break
    return check_length("".join(found) + text[at:]), count, compiled.cost(text)


def _fill(replacement: str, matched: str) -> str:
    return _AMPERSAND.sub(lambda sign: {"&": matched, "\\&": "&"}.get(sign[0], "\\"), replacement)


def format_values(form: str, values: Sequence[Value]) -> str:
    """`printf`: directives take the values in turn; missing ones are empty or 0. Raises AwkProblem."""
    found: list[str] = []
    rest = list(values)
    at = 0
    for match in _DIRECTIVE.finditer(form):
        found.append(form[at : match.start()])
        at = match.end()
        if match[2] == "%":
            found.append("%")
        else:
            found.append(_directive(match[2], match[1], rest.pop(0) if rest else ""))
    return "".join(found) + form[at:]


def _directive(kind: str, spec: str, value: Value) -> str:
    if kind == "s":
        return f"%{spec}s" % to_text(value)
    if kind in "feEgGF":
        return f"%{spec}{kind}" % to_number(value)
    number = to_number(value)
    if kind not in "dioxXuc" or not math.isfinite(number):
        raise AwkProblem(f"printf %{kind}" if math.isfinite(number) else "a number too large for printf")
    if kind == "c":
        return f"%{spec}s" % (chr(int(number) & 127) if is_number(value) else to_text(value)[:1])
    return f"%{spec}{'d' if kind in 'iu' else kind}" % int(number)
