"""What rules and policies say of themselves: reckoned messages, and expressions in warnings.

Models apiextensions-apiserver, pkg/apiserver/schema/cel/validation.go (ruleErrorString) and apiserver,
pkg/admission/plugin/policy/validating/validator.go, which hold messages to the same bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .evaluator import Failed, Unasked

_MOST_BYTES, _MOST_SHOWN = 5_120, 80


def reckon_message(expression: str | None, evaluate: Callable[[str], Any]) -> str:
    """The text that a `messageExpression` gives; "" where it gives none, several lines, or too much."""
    if not expression:
        return ""
    try:
        given = evaluate(expression)
    except (Failed, Unasked):
        return ""
    text = given.strip() if isinstance(given, str) else ""
    return text if "\n" not in text and len(text.encode(errors="replace")) <= _MOST_BYTES else ""


def show_expression(text: str) -> str:
    """An expression as a warning has it."""
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}...")
