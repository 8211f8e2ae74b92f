"""What awk does with texts: splitting and formatting them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ...matching.expression import Expression, compile_expression
from ...matching.problem import PatternProblem
from ...matching.translation import OF_AWK
from .values import UNSET, AwkProblem, Value, check_length, to_number, to_text

_DIRECTIVE = re.compile(r"%([-+ #0]*\d{0,4}(?:\.\d{0,4})?)([a-zA-Z%*])")


def compile_pattern(text: str) -> Expression:
    """A pattern ready for use. Raises AwkProblem."""
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
    for match in compile_pattern(separator).all(text):
        if match.end() > match.start():
            found.append(text[at : match.start()])
            at = match.end()
    return [*found, text[at:]]


def format_values(form: str, values: Sequence[Value]) -> str:
    """`printf`: directives take the values in turn; missing ones are empty or 0. Raises AwkProblem."""
    rest, signs = iter(values), len(form)

    def fill(found: re.Match[str]) -> str:
        nonlocal signs
        text = "%" if found[2] == "%" else _directive(found[2], found[1], next(rest, UNSET))
        signs += len(text)
        check_length(signs)
        return text

    return _DIRECTIVE.sub(fill, form)


def _directive(kind: str, spec: str, value: Value) -> str:
    if kind == "s":
        return f"%{spec}s" % to_text(value)
    number = to_number(value)
    if kind in "feEgGF":
        return f"%{spec}{kind}" % number
    if kind not in "dioxXu" or not math.isfinite(number):
        raise AwkProblem(f"printf %{kind} of {to_text(number)}")
    return f"%{spec}{'d' if kind in 'iu' else kind}" % int(number)
