"""The incidents that this package brings: one file each, read when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from lifecycle.lean_dataclasses import dataclass

_FOLDER = Path(__file__).with_name("cases")
SHOP = Path(__file__).with_name("shop.yaml")
Step = str | Mapping[str, Any]
"""A command line, `{run, given}` with what `-f -` reads, `{sleep: 2m}`, or `{fault: {…}}`."""


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident. What is not told to an agent: all but `name` and `title`.

    `recovered` and `keeps` are expressions as `podline simulate --until` has them; `serves` names Services of
    which no request may be lost in the end, `empties` nodes that are to have no pods but those of DaemonSets.
    """

    name: str
    title: str
    breaks: tuple[Step, ...]
    recovered: tuple[str, ...]
    causes: tuple[tuple[str, str], ...]
    """(word, KIND/NAME) of each answer that is right."""
    solution: tuple[Step, ...]
    """What mends it, for tests of the incident itself."""
    profiles: tuple[Mapping[str, Any], ...] = ()
    """How programs behave: ContainerProfiles that no agent sees, as `{image, behavior}`."""
    before: str = ""
    """Manifests beside the shop's."""
    passes: str = "8m"
    """How long ago it began when an agent comes."""
    serves: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    empties: tuple[str, ...] = ()
    may_change: tuple[str, ...] = ()
    """Objects, as KIND/NAME, that need not stay as they were."""


@cache
def list_incidents() -> Sequence[str]:
    """The names of all incidents, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def find_incident(name: str) -> Incident:
    """The incident of that name. ValueError when there is none."""
    if name not in list_incidents():
        raise ValueError(f"there is no incident {name[:60]!r}; see `podline gym list`")
    data = yaml.safe_load((_FOLDER / f"{name}.yaml").read_text("utf-8"))
    may_change = data.pop("mayChange", ())
    causes = tuple((word, about) for word, about in data.pop("causes"))
    lists: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
    }
    return Incident(name=name, causes=causes, may_change=tuple(may_change), **lists)
