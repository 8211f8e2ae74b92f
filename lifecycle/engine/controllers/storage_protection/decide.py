"""When a claim or a volume that is being deleted may go."""

from __future__ import annotations

from collections.abc import Iterable

from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...objects.storage import BOUND, CLAIM_PROTECTION, VOLUME_PROTECTION
from ...rules.actions import Action, Update
from ...rules.volumes.claims import phase_of


def decide_claim_protection(claim: StoredObject, users: Iterable[Pod]) -> list[Action]:
    """A pod that is on a node uses its claims until it is gone, also when it has finished."""
    return [] if any(pod.node_name for pod in users) else _let_go(claim, CLAIM_PROTECTION)


def decide_volume_protection(volume: StoredObject) -> list[Action]:
    """A volume is needed for as long as it is bound."""
    return [] if phase_of(volume) == BOUND else _let_go(volume, VOLUME_PROTECTION)


def _let_go(one: StoredObject, finalizer: str) -> list[Action]:
    meta = one.meta
    if meta.deletion_ms is None or finalizer not in meta.finalizers:
        return []
    kept = tuple(name for name in meta.finalizers if name != finalizer)
    return [Update(one.replace(meta=meta.replace(finalizers=kept)))]
