"""What kubectl prints of claims, volumes and classes of storage, beside NAME and AGE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.quantity import canonical
from ...objects.storage import CLASS_ONCE, IS_DEFAULT, IS_DEFAULT_ONCE
from ..volumes.claims import shorten_modes
from .ages import Ages

Json = Mapping[str, Any]
Columns = dict[str, Any]
_UNSET = "<unset>"


def decide_claim_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """STATUS, VOLUME, CAPACITY, ACCESS MODES, STORAGECLASS and VOLUMEATTRIBUTESCLASS."""
    name = spec.get("volumeName") or ""
    amount = (status.get("capacity") or {}).get("storage", 0)
    return {
        "STATUS": _phase(meta, status),
        "VOLUME": name,
        "CAPACITY": canonical(amount) if name else "",
        "ACCESS MODES": shorten_modes(status.get("accessModes")) if name else "",
        "STORAGECLASS": _class(meta, spec),
        "VOLUMEATTRIBUTESCLASS": _or_unset(spec.get("volumeAttributesClassName")),
    }


def decide_volume_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """CAPACITY to REASON; CLAIM is namespace and name of the claim it is for."""
    ref = spec.get("claimRef") or {}
    return {
        "CAPACITY": canonical((spec.get("capacity") or {}).get("storage", 0)),
        "ACCESS MODES": shorten_modes(spec.get("accessModes")),
        "RECLAIM POLICY": spec.get("persistentVolumeReclaimPolicy") or "",
        "STATUS": _phase(meta, status),
        "CLAIM": f"{ref.get('namespace', '')}/{ref.get('name', '')}" if ref else "",
        "STORAGECLASS": _class(meta, spec),
        "VOLUMEATTRIBUTESCLASS": _or_unset(spec.get("volumeAttributesClassName")),
        "REASON": status.get("reason") or "",
    }


def decide_volume_mode(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """VOLUMEMODE alone."""
    return {"VOLUMEMODE": spec.get("volumeMode") or _UNSET}


def decide_class_columns(data: Json) -> Columns:
    """NAME, with whether it is the default, to ALLOWVOLUMEEXPANSION, from the whole class."""
    meta = data.get("metadata") or {}
    annotations = meta.get("annotations") or {}
    is_default = "true" in (annotations.get(IS_DEFAULT), annotations.get(IS_DEFAULT_ONCE))
    return {
        "NAME": f"{meta.get('name', '')}{' (default)' if is_default else ''}",
        "PROVISIONER": data.get("provisioner") or "",
        "RECLAIMPOLICY": data.get("reclaimPolicy") or "Delete",
        "VOLUMEBINDINGMODE": data.get("volumeBindingMode") or "Immediate",
        "ALLOWVOLUMEEXPANSION": "true" if data.get("allowVolumeExpansion") else "false",
    }


def _or_unset(name: str | None) -> str:
    return _UNSET if name is None else name


def _phase(meta: Json, status: Json) -> str:
    return "Terminating" if meta.get("deletionTimestamp") else status.get("phase") or ""


def _class(meta: Json, spec: Json) -> str:
    once = (meta.get("annotations") or {}).get(CLASS_ONCE)
    return once or spec.get("storageClassName") or ""
