"""What a look at a claim or a volume leads to, and the writes that both kinds of looks know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ....objects.meta import StoredObject
from ....rules.actions import Action, Update
from ....rules.volumes.claims import phase_of

SOURCE = "persistentvolume-controller"


@dataclass(frozen=True, slots=True)
class Saying:
    """What is told of a claim at each look, for as long as it holds."""

    event_type: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Step:
    """Writes in order. `goes_on`: look again, with what came of them. `says`: what is told at each look.

    `wakes`: whether the other side, claim or volume, is to be looked at.
    """

    actions: Sequence[Action] = ()
    goes_on: bool = False
    says: Saying | None = None
    wakes: bool = False


def set_phase(volume: StoredObject, phase: str, now: str, message: str = "") -> list[Action]:
    """A volume's phase, and since when; nothing when that is what it says."""
    if phase_of(volume) == phase:
        return []
    status: dict[str, Any] = {"phase": phase, "lastPhaseTransitionTime": now}
    if message:
        status["message"] = message
    return [Update(volume.replace(status=status))]


def annotate(one: StoredObject, **changes: Any) -> StoredObject:
    """An object with some of its fields changed: `annotations` to add, or a `spec`."""
    added = changes.pop("annotations", {})
    meta = one.meta.replace(annotations={**one.meta.annotations, **added}) if added else one.meta
    return one.replace(meta=meta, **changes)
