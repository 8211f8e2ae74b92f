"""Volumes and classes of storage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .claims import VOLUME_MODES, check_access_modes
from .field_error import FieldError, invalid
from .names import check_descending_path, check_qualified, check_subdomain
from .part import Part, gathers
from .resources import check_quantity

_RECLAIM_POLICIES = ("Delete", "Recycle", "Retain")
# What makes a volume of the kind it is, in the API server's order.
_SOURCES = (
    "hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte",
    "cephfs", "iscsi", "cinder", "fc", "flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk",
    "portworxVolume", "azureDisk", "scaleIO", "local", "storageos", "csi",
)  # fmt: skip
_NEEDED = {
    "hostPath": ("path",),
    "nfs": ("server", "path"),
    "local": ("path",),
    "csi": ("driver", "volumeHandle"),
}


@gathers("spec")
def validate_volume(spec: Part) -> None:
    """A PersistentVolume."""
    spec.need("accessModes")
    check_access_modes(spec)
    _validate_capacity(spec)
    spec.choice("persistentVolumeReclaimPolicy", _RECLAIM_POLICIES)
    affinity = spec["nodeAffinity"]
    if affinity is not None and affinity.get("required") is None:
        spec.require("nodeAffinity.required", "must specify required node constraints")
    _validate_sources(spec)
    spec.text("storageClassName", check_subdomain)
    spec.choice("volumeMode", VOLUME_MODES)


def _validate_capacity(spec: Part) -> None:
    spec.need("capacity")
    capacity = spec["capacity"] or {}
    if list(capacity) != ["storage"]:
        spec.support("capacity", ("storage",), dict(capacity) or None)
    for name, amount in sorted(capacity.items()):
        spec.errors += check_quantity(spec.at(f"capacity[{name}]"), amount, is_positive=True)


def _validate_sources(spec: Part) -> None:
    given = spec.list_given(_SOURCES)
    if not given:
        spec.require("", "must specify a volume type")
        return
    source = spec.part(given[0])
    for name in _NEEDED.get(given[0], ()):
        source.need(name)
    path = source["path"] or ""
    if given[0] == "nfs" and path and not path.startswith("/"):
        source.refuse("path", "must be an absolute path")
    if given[0] == "local":
        source.complain("path", check_descending_path(path.lstrip("/")))
        if spec["nodeAffinity"] is None:
            spec.require("nodeAffinity", "Local volume requires node affinity")
    for name in given[1:]:
        spec.forbid(name, "may not specify more than 1 volume type")


@gathers("")
def validate_storage_class(data: Part) -> None:
    """A StorageClass: who makes its volumes, and when."""
    data.need("provisioner")
    if provisioner := (data["provisioner"] or "").lower():
        data.complain("provisioner", check_qualified(provisioner), provisioner)
    if "" in (data["parameters"] or {}):
        data.refuse("parameters", "field can not be empty.", "")
    data.choice("reclaimPolicy", ("Delete", "Retain"))
    data.choice("volumeBindingMode", ("Immediate", "WaitForFirstConsumer"))


_CLASS_FIXED = ("parameters", "provisioner", "reclaimPolicy")


def validate_class_change(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldError]:
    """A class says for life who makes its volumes, of what, when, and what becomes of them."""
    part = Part(new)
    for field in _CLASS_FIXED:
        if (old.get(field) or None) != (new.get(field) or None):
            part.forbid(field, f"updates to {field} are forbidden.")
    if old.get("volumeBindingMode") != new.get("volumeBindingMode"):
        part.refuse("volumeBindingMode", "field is immutable")
    return part.errors


def validate_volume_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    """What a volume is made of stays, and so do its mode and where it can be reached."""
    part = Part(after, "spec")
    if any(before.get(source) != after.get(source) for source in _SOURCES):
        part.forbid("persistentvolumesource", "spec.persistentvolumesource is immutable after creation")
    if before.get("volumeMode") != after.get("volumeMode"):
        part.errors.append(invalid("volumeMode", after.get("volumeMode"), "field is immutable"))
    if before.get("nodeAffinity") and before["nodeAffinity"] != after.get("nodeAffinity"):
        part.errors.append(invalid("nodeAffinity", after.get("nodeAffinity"), "field is immutable"))
    return part.errors
