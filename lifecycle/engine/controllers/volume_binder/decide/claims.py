"""Claims: found a volume, waiting for one, bound, or lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ....objects.meta import PlainObject, StoredObject
from ....objects.storage import (
    BIND_COMPLETED,
    BOUND,
    BOUND_BY_CONTROLLER,
    DEFAULT_CLASS_JSON,
    LOST,
    PENDING,
    PROVISIONER,
    PROVISIONER_ONCE,
    SELECTED_NODE,
)
from ....rules.actions import Action, Create, RecordEvent, Update
from ....rules.volumes.claims import (
    claim_ref,
    class_of,
    find_mismatch,
    has_class,
    is_bound,
    is_provisioned,
    is_reserved_for,
    phase_of,
    provisioner_of,
    refer_to_claim,
    spec_of,
    volume_name,
    waits_for_pod,
)
from .step import SOURCE, Saying, Step, annotate, set_phase

_LOST_VOLUME = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
_LOST_NAME = "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"
_MISBOUND = "Two claims are bound to the same volume, this one is bound incorrectly"
_NO_VOLUME = "no persistent volumes available for this claim and no storage class is set"
_WAITS_FOR_DRIVER = (
    "Waiting for a volume to be created either by the external provisioner '{}' or manually by the system"
    " administrator. If volume creation is delayed, please verify that the provisioner is running and"
    " correctly registered."
)


@dataclass(frozen=True, slots=True)
class SeenClaim:
    """A claim, the object of its class, and the volume it names, or else the best that it could have.

    `waiting_pods`: names of the pods that use it and are on no node yet. `now`: the API's time.
    """

    claim: StoredObject
    storage_class: StoredObject | None
    volume: StoredObject | None
    default_class: str
    waiting_pods: Sequence[str]
    now: str


def decide_claim(seen: SeenClaim) -> Step:
    """The next write for a claim."""
    if is_bound(seen.claim):
        return _decide_bound(seen)
    if volume_name(seen.claim):
        return _decide_named(seen)
    if seen.volume is not None:
        return _bind(seen, seen.volume)
    return _decide_unmatched(seen)


def _decide_bound(seen: SeenClaim) -> Step:
    claim, volume = seen.claim, seen.volume
    if not volume_name(claim):
        return _lose(claim, "ClaimLost", _LOST_NAME)
    if volume is None:
        return _lose(claim, "ClaimLost", _LOST_VOLUME)
    if claim_ref(volume) and claim_ref(volume).get("uid") != claim.meta.uid:
        return _lose(claim, "ClaimMisbound", _MISBOUND)
    return _bind(seen, volume)


def _lose(claim: StoredObject, reason: str, message: str) -> Step:
    if phase_of(claim) == LOST:
        return Step()
    told = RecordEvent(claim, "Warning", reason, message, SOURCE)
    return Step([*_set_status(claim, LOST, None), told])


def _decide_named(seen: SeenClaim) -> Step:
    """A claim that somebody has written a volume's name into: that one, or none."""
    claim, volume = seen.claim, seen.volume
    if volume is None:
        return Step(_set_status(claim, PENDING, None))
    if not claim_ref(volume):
        problem = find_mismatch(volume, claim)
        if not problem:
            return _bind(seen, volume)
        text = f'Cannot bind to requested volume "{volume.meta.name}": {problem}'
        return Step(_set_status(claim, PENDING, None), says=Saying("Warning", "VolumeMismatch", text))
    if is_reserved_for(volume, claim):
        return _bind(seen, volume)
    text = f'volume "{volume.meta.name}" already bound to a different claim.'
    return Step(_set_status(claim, PENDING, None), says=Saying("Warning", "FailedBinding", text))


def _decide_unmatched(seen: SeenClaim) -> Step:
    claim = seen.claim
    if not has_class(claim) and seen.default_class:
        spec = {**spec_of(claim), "storageClassName": seen.default_class}
        return Step([Update(claim.replace(spec=spec))], goes_on=True)
    if not has_class(claim) and not phase_of(claim):
        # Nobody has looked at it: it is of a cluster that bound claims without classes.
        return Step([Create(PlainObject.from_json(DEFAULT_CLASS_JSON))], goes_on=True)
    pending = _set_status(claim, PENDING, None)
    if waits_for_pod(seen.storage_class) and SELECTED_NODE not in claim.meta.annotations:
        return Step(pending, says=_wait(seen.waiting_pods))
    if class_of(claim):
        return _provision(seen, pending)
    return Step(pending, says=Saying("Normal", "FailedBinding", _NO_VOLUME))


def _wait(pods: Sequence[str]) -> Saying:
    if not pods:
        text = "waiting for first consumer to be created before binding"
        return Saying("Normal", "WaitForFirstConsumer", text)
    named = f"pods {','.join(pods)}" if len(pods) > 1 else f"pod {pods[0]}"
    return Saying("Normal", "WaitForPodScheduled", f"waiting for {named} to be scheduled")


def _provision(seen: SeenClaim, pending: list[Action]) -> Step:
    """Ask the driver of the class for a volume; it sees by the claim's annotations that it is meant."""
    claim, storage_class = seen.claim, seen.storage_class
    if storage_class is None:
        text = f'storageclass.storage.k8s.io "{class_of(claim)}" not found'
        return Step(pending, says=Saying("Warning", "ProvisioningFailed", text))
    name = provisioner_of(storage_class)
    if not is_provisioned(storage_class):
        text = f"no volume plugin matched name: {name}"
        return Step(pending, says=Saying("Warning", "ProvisioningFailed", text))
    says = Saying("Normal", "ExternalProvisioning", _WAITS_FOR_DRIVER.format(name))
    if claim.meta.annotations.get(PROVISIONER) == name:
        return Step(pending, says=says)
    asked = annotate(claim, annotations={PROVISIONER_ONCE: name, PROVISIONER: name})
    return Step([Update(asked)], goes_on=True, says=says)


# --- binding ----------------------------------------------------------------------------------------------


def _bind(seen: SeenClaim, volume: StoredObject) -> Step:
    """The next of four writes: the volume's claim, its phase, the claim's volume, its status."""
    claim = seen.claim
    claimed = _claim_volume(volume, claim)
    if claimed is not None:
        return Step([Update(claimed)], goes_on=True)
    if phase_of(volume) != BOUND:
        return Step(set_phase(volume, BOUND, seen.now), goes_on=True)
    added: dict[str, str] = {}
    spec = spec_of(claim)
    if volume_name(claim) != volume.meta.name:
        spec = {**spec, "volumeName": volume.meta.name}
        added[BOUND_BY_CONTROLLER] = "yes"
    if not is_bound(claim):
        added[BIND_COMPLETED] = "yes"
    if added:
        return Step([Update(annotate(claim, annotations=added, spec=spec))], goes_on=True)
    return Step(_set_status(claim, BOUND, volume))


def _claim_volume(volume: StoredObject, claim: StoredObject) -> StoredObject | None:
    """The volume with the claim it is for; None when it says so already."""
    found = claim_ref(volume)
    is_named = is_reserved_for(volume, claim)
    if is_named and found.get("uid") == claim.meta.uid:
        return None
    added = {} if is_named else {BOUND_BY_CONTROLLER: "yes"}
    return annotate(volume, annotations=added, spec={**spec_of(volume), "claimRef": refer_to_claim(claim)})


def _set_status(claim: StoredObject, phase: str, volume: StoredObject | None) -> list[Action]:
    """What a claim says of itself: bound, what it has is that of its volume; else it has nothing."""
    status: dict[str, Any] = dict(claim.status or {})
    if volume is None:
        status = {name: value for name, value in status.items() if name not in ("accessModes", "capacity")}
    else:
        status["accessModes"] = list(spec_of(volume).get("accessModes") or ())
        if status.get("phase") != phase:
            status["capacity"] = {"storage": (spec_of(volume).get("capacity") or {}).get("storage")}
    status["phase"] = phase
    return [] if status == claim.status else [Update(claim.replace(status=status))]
