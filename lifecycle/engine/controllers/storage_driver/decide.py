"""The volume that a driver makes for a claim, and when a volume is to be deleted or to grow."""

from __future__ import annotations

from typing import Any

from ...objects.meta import ObjectMeta, PlainObject, StoredObject
from ...objects.storage import (
    BOUND,
    PROVISIONED_BY,
    PROVISIONER,
    PROVISIONER_PROTECTION,
    RELEASED,
    SELECTED_NODE,
    VOLUME_KIND,
)
from ...rules.actions import Action, Create, Delete, RecordEvent, Update
from ...rules.volumes.claims import (
    bytes_in,
    bytes_wanted,
    is_bound,
    phase_of,
    refer_to_claim,
    spec_of,
    volume_name,
    waits_for_pod,
)

_TOPOLOGY = "allowedTopologies"


def wants_volume(claim: StoredObject | None, storage_class: StoredObject | None) -> bool:
    """Whether a driver is to make a volume: the controller has asked for one, and the node is known."""
    if claim is None or storage_class is None or claim.meta.deletion_ms is not None:
        return False
    annotations = claim.meta.annotations
    if PROVISIONER not in annotations or is_bound(claim) or volume_name(claim):
        return False
    return not waits_for_pod(storage_class) or SELECTED_NODE in annotations


def decide_begin(claim: StoredObject) -> list[Action]:
    """The driver says that it is at work."""
    text = f'External provisioner is provisioning volume for claim "{claim.meta.namespace}/{claim.meta.name}"'
    return [RecordEvent(claim, "Normal", "Provisioning", text, claim.meta.annotations[PROVISIONER])]


def decide_volume(claim: StoredObject, storage_class: StoredObject) -> list[Action]:
    """The volume of a claim, exactly as large as asked for, and that it was made."""
    driver, given = claim.meta.annotations[PROVISIONER], storage_class.extra or {}
    name, spec = f"pvc-{claim.meta.uid}", spec_of(claim)
    policy = given.get("reclaimPolicy") or "Delete"
    wanted: dict[str, Any] = {
        "capacity": {"storage": spec["resources"]["requests"]["storage"]},
        "csi": {"driver": driver, "volumeHandle": name},
        "accessModes": list(spec.get("accessModes") or ()),
        "claimRef": refer_to_claim(claim),
        "persistentVolumeReclaimPolicy": policy,
        "storageClassName": storage_class.meta.name,
        "volumeMode": spec.get("volumeMode") or "Filesystem",
    }
    for field, value in (
        ("mountOptions", given.get("mountOptions")),
        ("volumeAttributesClassName", spec.get("volumeAttributesClassName")),
        ("nodeAffinity", _reachable_from(given.get(_TOPOLOGY))),
    ):
        if value:
            wanted[field] = value
    finalizers = (PROVISIONER_PROTECTION,) if policy == "Delete" else ()
    meta = ObjectMeta(name, annotations={PROVISIONED_BY: driver}, finalizers=finalizers)
    text = f"Successfully provisioned volume {name}"
    return [
        RecordEvent(claim, "Normal", "ProvisioningSucceeded", text, driver),
        Create(PlainObject(VOLUME_KIND, meta, wanted)),
    ]


def _reachable_from(topologies: list[dict[str, Any]] | None) -> dict[str, Any] | None:
    """A volume that was made in one of some places can be reached from there."""
    if not topologies:
        return None
    terms = [
        {
            "matchExpressions": [
                {"key": one.get("key"), "operator": "In", "values": one.get("values") or []}
                for one in term.get("matchLabelExpressions") or ()
            ]
        }
        for term in topologies
    ]
    return {"required": {"nodeSelectorTerms": terms}}


def is_to_be_deleted(volume: StoredObject) -> bool:
    """Whether its driver is to delete a volume: its claim has gone, and it is not kept."""
    if PROVISIONED_BY not in volume.meta.annotations or phase_of(volume) == BOUND:
        return False
    is_given_up = phase_of(volume) == RELEASED or volume.meta.deletion_ms is not None
    return is_given_up and spec_of(volume).get("persistentVolumeReclaimPolicy") == "Delete"


def decide_deletion(volume: StoredObject) -> list[Action]:
    """It is gone from the storage: its object goes, and nobody holds it for that any more."""
    meta = volume.meta
    if meta.deletion_ms is None:
        return [Delete(volume)]
    if PROVISIONER_PROTECTION not in meta.finalizers:
        return []
    kept = tuple(name for name in meta.finalizers if name != PROVISIONER_PROTECTION)
    return [Update(volume.replace(meta=meta.replace(finalizers=kept)))]


def wants_more(claim: StoredObject | None, volume: StoredObject | None) -> bool:
    """Whether a bound claim asks for more than its volume holds."""
    if claim is None or volume is None or phase_of(claim) != BOUND:
        return False
    return bytes_wanted(claim) > bytes_in(volume)


def decide_growth(claim: StoredObject, volume: StoredObject) -> list[Action]:
    """The volume and what its claim has are as large as was asked for."""
    amount = spec_of(claim)["resources"]["requests"]["storage"]
    grown = volume.replace(spec={**spec_of(volume), "capacity": {"storage": amount}})
    status = {**(claim.status or {}), "capacity": {"storage": amount}}
    teller = f"external-resizer {volume.meta.annotations.get(PROVISIONED_BY, '')}".strip()
    began = f"External resizer is resizing volume {volume.meta.name}"
    return [
        RecordEvent(claim, "Normal", "Resizing", began, teller),
        Update(grown),
        Update(claim.replace(status=status)),
        RecordEvent(claim, "Normal", "VolumeResizeSuccessful", "Resize volume succeeded", teller),
    ]
