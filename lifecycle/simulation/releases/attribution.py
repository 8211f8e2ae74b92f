"""Which change a difference comes from: the one without which it goes away. Proved by running again. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence, Set
from typing import TypeVar

from lifecycle.simulation.releases.levers import Lever

Key = TypeVar("Key", bound=Hashable)


def attribute(
    differences: Collection[Key],
    levers: Sequence[Lever],
    try_without: Callable[[Sequence[Lever]], Set[Key]],
) -> dict[Key, tuple[Lever, ...]]:
    """By difference the changes behind it, several where only all of them together make it go away.

    `try_without`: what still differs from the older release where these levers are as there. What is not in
    the answer stays whatever is set back.
    """
    open_ = set(differences)
    if not open_ or not levers:
        return {}
    gone = open_ - try_without(levers)
    if len(levers) == 1 or not gone:
        return dict.fromkeys(gone, tuple(levers))
    found: dict[Key, tuple[Lever, ...]] = {}
    middle = len(levers) // 2
    for half in (levers[:middle], levers[middle:]):
        found |= attribute(gone - found.keys(), half, try_without)
    if together := gone - found.keys():
        found |= dict.fromkeys(together, _drop_needless(together, levers, try_without))
    return found


def _drop_needless(
    together: Set[Key], levers: Sequence[Lever], try_without: Callable[[Sequence[Lever]], Set[Key]]
) -> tuple[Lever, ...]:
    """As few of the levers as make all of these go away, taken away one by one."""
    needed = list(levers)
    for one in levers:
        fewer = [other for other in needed if other != one]
        if not together & try_without(fewer):
            needed = fewer
    return tuple(needed)
