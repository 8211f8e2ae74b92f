"""Warnings as headers of an answer (RFC 7234, with the code that Kubernetes uses)."""

_CODE = 299
_MOST_LETTERS = 4096


def make_header(text: str) -> str:
    """One warning: printable, quoted, and not beyond all bounds."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text[:_MOST_LETTERS])
    quoted = shown.replace("\\", "\\\\").replace('"', '\\"')
    return f'{_CODE} - "{quoted}"'
