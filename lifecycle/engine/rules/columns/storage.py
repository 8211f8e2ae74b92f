"""What kubectl prints of claims, volumes, their classes and drivers."""

from __future__ import annotations

from ...objects.names import CLASS_ONCE
from ...objects.quantity import canonical
from ...objects.storage import IS_DEFAULT, IS_DEFAULT_ONCE
from ..volumes.claims import shorten_modes
from .column import AGE, NONE, UNSET, Column, Fill, Row, wide


def _or_unset(name: str | None) -> str:
    return UNSET if name is None else name


def _phase(row: Row) -> str:
    return "Terminating" if row.meta.get("deletionTimestamp") else row.status.get("phase") or ""


def _class(row: Row) -> str:
    once = (row.meta.get("annotations") or {}).get(CLASS_ONCE)
    return once or row.spec.get("storageClassName") or ""


_CLASS_OF_BOTH = (
    Column("StorageClass", _class),
    Column("VolumeAttributesClass", lambda row: _or_unset(row.spec.get("volumeAttributesClassName"))),
)
_MODE = wide("VolumeMode", lambda row: row.spec.get("volumeMode") or UNSET)

# --- claims -------------------------------------------------------------------------------------------------


def _claimed_capacity(row: Row) -> str:
    amount = (row.status.get("capacity") or {}).get("storage", 0)
    return canonical(amount) if row.spec.get("volumeName") else ""


def _claimed_modes(row: Row) -> str:
    return shorten_modes(row.status.get("accessModes")) if row.spec.get("volumeName") else ""


CLAIM_COLUMNS = (
    Column("Status", _phase),
    Column("Volume", lambda row: row.spec.get("volumeName") or ""),
    Column("Capacity", _claimed_capacity),
    Column("Access Modes", _claimed_modes),
    *_CLASS_OF_BOTH,
    AGE,
    _MODE,
)

# --- volumes ------------------------------------------------------------------------------------------------


def _claim_of(row: Row) -> str:
    """Namespace and name of the claim it is for."""
    ref = row.spec.get("claimRef") or {}
    return f"{ref.get('namespace', '')}/{ref.get('name', '')}" if ref else ""


VOLUME_COLUMNS = (
    Column("Capacity", lambda row: canonical((row.spec.get("capacity") or {}).get("storage", 0))),
    Column("Access Modes", lambda row: shorten_modes(row.spec.get("accessModes"))),
    Column("Reclaim Policy", lambda row: row.spec.get("persistentVolumeReclaimPolicy") or ""),
    Column("Status", _phase),
    Column("Claim", _claim_of),
    *_CLASS_OF_BOTH,
    Column("Reason", lambda row: row.status.get("reason") or ""),
    AGE,
    _MODE,
)
ATTACHMENT_COLUMNS = (
    Column("Attacher", lambda row: row.spec.get("attacher", ""), format="name"),
    Column("PV", lambda row: (row.spec.get("source") or {}).get("persistentVolumeName") or ""),
    Column("Node", lambda row: row.spec.get("nodeName", "")),
    Column("Attached", lambda row: bool(row.status.get("attached")), "boolean"),
    AGE,
)

# --- classes and drivers ------------------------------------------------------------------------------------


def _class_name(row: Row) -> str:
    """With whether it is the default."""
    annotations = row.meta.get("annotations") or {}
    is_default = "true" in (annotations.get(IS_DEFAULT), annotations.get(IS_DEFAULT_ONCE))
    return f"{row.meta.get('name', '')}{' (default)' if is_default else ''}"


CLASS_COLUMNS = (
    Column("Name", _class_name, format="name"),
    Column("Provisioner", lambda row: row.data.get("provisioner") or ""),
    Column("ReclaimPolicy", lambda row: row.data.get("reclaimPolicy") or "Delete"),
    Column("VolumeBindingMode", lambda row: row.data.get("volumeBindingMode") or "Immediate"),
    Column("AllowVolumeExpansion", lambda row: bool(row.data.get("allowVolumeExpansion"))),
    AGE,
)
ATTRIBUTES_CLASS_COLUMNS = (Column("DriverName", lambda row: row.data.get("driverName", "")), AGE)


def _is_attached_first(row: Row) -> bool:
    is_attached = row.spec.get("attachRequired")
    return True if is_attached is None else is_attached


def _audiences(row: Row) -> str:
    requests = row.spec.get("tokenRequests")
    return UNSET if requests is None else ",".join(one.get("audience", "") for one in requests)


def _is_said(name: str) -> Fill:
    return lambda row: bool(row.spec.get(name))


DRIVER_COLUMNS = (
    Column("AttachRequired", _is_attached_first, "boolean"),
    Column("PodInfoOnMount", _is_said("podInfoOnMount"), "boolean"),
    Column("StorageCapacity", _is_said("storageCapacity"), "boolean"),
    Column("TokenRequests", _audiences),
    Column("RequiresRepublish", _is_said("requiresRepublish"), "boolean"),
    Column("Modes", lambda row: ",".join(row.spec.get("volumeLifecycleModes") or ()) or NONE),
    AGE,
)
NODE_DRIVERS_COLUMNS = (
    Column("Drivers", lambda row: len(row.spec.get("drivers") or ()), "integer"),
    AGE,
)
