"""What an ordeal is. How its file is read, and which come with Podline: `ordeal_files`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple

Json = Mapping[str, Any]
WHOLE, BROKEN = "whole", "broken"


class Variant(NamedTuple):
    """One way in which an ordeal befalls its target, with what it says in place of the ordeal."""

    name: str = ""
    kinds: tuple[str, ...] = ()
    """Only for workloads of these kinds."""
    holes: Json = {}
    """Their values."""
    image: Json = {}
    steps: tuple[Json, ...] = ()
    lasts: str = ""
    """How long it goes on, which may be a hole."""
    needs: tuple[str, ...] = ()
    """Lists that must hold something for it to mean anything."""


@dataclass(frozen=True, slots=True)
class Ordeal:
    """One ordeal. Times in ms; steps with their holes, images as behaviours."""

    name: str
    text: str
    source: str
    each: str
    kinds: tuple[str, ...]
    is_planned: bool
    within_ms: int
    leaves: str
    claims: tuple[str, ...]
    """Claims that are made of it, beside those that are made of all of its sort."""
    spares: tuple[str, ...]
    """Claims that are not made of it, although they are of others of its sort."""
    variants: tuple[Variant, ...]
    """A future each; one at least."""
    expects: tuple[Json, ...] = ()
    gravest: str = ""
    """Findings of it are at most so grave, if it says so."""
    file: str = ""
    """Where it is written."""

    @property
    def needs(self) -> tuple[str, ...]:
        """All lists that any way of it needs."""
        return tuple(dict.fromkeys(need for one in self.variants for need in one.needs))

    @property
    def is_mended(self) -> bool:
        """Whether all is to be whole in the end."""
        return self.leaves == WHOLE
