"""The stories of the gallery: Scenarios that this package brings, in folders by what they are about."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import lifecycle

_GALLERY = Path(lifecycle.__file__).with_name("scenarios")


@cache
def list_stories() -> dict[str, Path]:
    """The file of every story by the story's name, sorted by name. Its folder is its family."""
    return {path.stem: path for path in sorted(_GALLERY.glob("*/*.yaml"), key=lambda path: path.stem)}


def find_story(name: str) -> Path:
    """The file of a story. ValueError when there is none of that name."""
    if name not in list_stories():
        raise ValueError(f"the gallery has no story {name!r}")
    return list_stories()[name]
