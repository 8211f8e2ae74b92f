"""Strangers' text in files for people: names and messages are whatever somebody chose."""

from __future__ import annotations

from html import escape

from lifecycle.late_patterns import late_pattern

# What would move the cursor, or turn the direction in which is written; and halves of characters.
_UNWRITABLE = late_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

# What is markup of Markdown, or a link, within a line; and what is at its beginning.
_MARKUP = late_pattern(r"[!#$&*<>@\[-`{-~]|:(?=//)|(?<=www)\.|^[-+.)=]")
_MENTION = late_pattern(r"[@#](?=\w)")


def clean(text: str) -> str:
    """Only what can be seen of it."""
    return _UNWRITABLE.sub("�", text)


def say(text: str) -> str:
    """As text of a page, or as the value of an attribute."""
    return escape(clean(text), quote=True)


def mark(text: str, most_letters: int | None = None) -> str:
    """As a line of Markdown: nothing in it is markup, and nobody is called by it."""
    short = " ".join(clean(text).split())
    if most_letters is not None and len(short) > most_letters:
        short = f"{short[: most_letters - 1]}…"
    # A word joiner: what follows is no name of anybody, and no number of an issue.
    short = _MENTION.sub(lambda found: f"{found[0]}\u2060", short)
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", short)
