"""Strangers' text in files for people: names and messages are whatever somebody chose."""

from __future__ import annotations

from html import escape

from lifecycle.late_patterns import late_pattern

# What would move the cursor, or turn the direction in which is written; and halves of characters.
_UNWRITABLE = late_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """Only what can be seen of it."""
    return _UNWRITABLE.sub("�", text)


def say(text: str) -> str:
    """As text of a page, or as the value of an attribute."""
    return escape(clean(text), quote=True)
