"""Admission of storage: StorageObjectInUseProtection, DefaultStorageClass, PersistentVolumeClaimResize.

A cluster without a default StorageClass gets one when a claim needs it.
"""

from __future__ import annotations

from typing import Any

from ..objects.meta import StoredObject
from ..objects.storage import (
    BOUND,
    CLAIM_PROTECTION,
    DEFAULT_CLASS,
    DEFAULT_CLASS_JSON,
    PENDING,
    VOLUME_PROTECTION,
)
from ..objects.times import format_time
from ..rules.volumes.claims import bytes_wanted, class_of, has_class, phase_of
from .admission.plugins import forbid
from .context import Context


def needed_class(context: Context, claim: StoredObject) -> list[dict[str, Any]]:
    """The default class, where a claim names none and nobody has made one."""
    volumes = context.volumes
    if has_class(claim) or volumes.default_class() is not None:
        return []
    return [] if volumes.storage_class(DEFAULT_CLASS) is not None else [DEFAULT_CLASS_JSON]


def prepare_claim(context: Context, claim: StoredObject) -> None:
    """A new claim is protected, is of the default class if of none, and waits."""
    _protect(claim, CLAIM_PROTECTION)
    default = None if has_class(claim) else context.volumes.default_class()
    if default is not None:
        claim.spec = {**(claim.spec or {}), "storageClassName": default.meta.name}
    claim.status = {"phase": PENDING}


def prepare_volume(context: Context, volume: StoredObject) -> None:
    """A new volume is protected, and waits for its controller."""
    _protect(volume, VOLUME_PROTECTION)
    now = format_time(context.clock.now_ms, context.clock.epoch_ms)
    volume.status = {"phase": PENDING, "lastPhaseTransitionTime": now}


def _protect(new: StoredObject, finalizer: str) -> None:
    if finalizer not in new.meta.finalizers:
        new.meta = new.meta.replace(finalizers=(*new.meta.finalizers, finalizer))


def require_growth(context: Context, old: StoredObject, new: StoredObject) -> None:
    """A claim may ask for more only when it is bound, and its class says so. Raises Forbidden."""
    if bytes_wanted(new) <= bytes_wanted(old):
        return
    name = class_of(old)
    found = context.volumes.storage_class(name) if name == class_of(new) else None
    if phase_of(old) != BOUND:
        problem = "Only bound persistent volume claims can be expanded"
    elif found is None or not (found.extra or {}).get("allowVolumeExpansion"):
        problem = (
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc"
            " must support resize"
        )
    else:
        return
    forbid(problem, old.kind, old.meta.name)
