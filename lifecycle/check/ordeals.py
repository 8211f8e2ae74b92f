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
    image: Json = {}
    steps: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Ordeal:
    """One ordeal. Times in ms; steps with their holes, images as behaviours."""

    name: str
    text: str
    source: str
    each: str
    kinds: tuple[str, ...]
    is_planned: bool
    lasts_ms: int
    within_ms: int
    leaves: str
    claims: tuple[str, ...]
    """Claims that are made of it, beside those that are made of all of its sort."""
    spares: tuple[str, ...]
    """Claims that are not made of it, although they are of others of its sort."""
    needs: tuple[str, ...]
    """Lists that must hold something for it to mean anything."""
    variants: tuple[Variant, ...]
    """A future each; one at least."""
    expects: tuple[Json, ...] = ()

    @property
    def is_mended(self) -> bool:
        """Whether all is to be whole in the end."""
        return self.leaves == WHOLE
