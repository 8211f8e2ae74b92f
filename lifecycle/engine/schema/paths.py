"""Where in an object a field stands."""

from __future__ import annotations

from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]


def format_path(path: Path) -> str:
    """Write `("spec", "containers", 0, "image")` as Kubernetes does: `spec.containers[0].image`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier() or (part.replace("-", "").isalnum() and not text.endswith("annotations")):
            text += f".{part}" if text else part
        else:
            text += f"[{part}]"
    return text
