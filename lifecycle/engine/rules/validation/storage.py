"""Volumes and classes of storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...objects.quantity import whole
from .claims import VOLUME_MODES, check_access_modes
from .pods.node_affinity import validate_node_selector
from .pods.resources import check_quantity, is_below_zero
from .words.field_error import FieldError, duplicate, invalid
from .words.go_structs import show_struct
from .words.names import check_descending_path, check_label, check_qualified, check_subdomain
from .words.part import Part, gathers

_RECLAIM_POLICIES = ("Delete", "Recycle", "Retain")
# What makes a volume of the kind it is, in the API server's order.
_SOURCES = (
    "hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte",
    "cephfs", "iscsi", "cinder", "fc", "flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk",
    "portworxVolume", "azureDisk", "scaleIO", "local", "storageos", "csi",
)  # fmt: skip
_SECRETS_OF_DRIVERS = (
    "controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef",
)  # fmt: skip


@gathers("spec")
def validate_volume(spec: Part) -> None:
    """A PersistentVolume."""
    spec.need("accessModes")
    check_access_modes(spec)
    _validate_capacity(spec)
    spec.choice("persistentVolumeReclaimPolicy", _RECLAIM_POLICIES)
    _validate_affinity(spec)
    _validate_sources(spec)
    spec.text("storageClassName", check_subdomain)
    spec.given("volumeMode", VOLUME_MODES)


def _validate_affinity(spec: Part) -> None:
    """The nodes that can reach a volume."""
    if spec["nodeAffinity"] is None:
        return
    affinity = spec.part("nodeAffinity")
    if affinity["required"] is None:
        affinity.require("required", "must specify required node constraints")
    else:
        validate_node_selector(affinity.part("required"))


def _validate_capacity(spec: Part) -> None:
    spec.need("capacity")
    capacity = spec["capacity"] or {}
    if list(capacity) != ["storage"]:
        spec.support("capacity", ("storage",))
    for name, amount in sorted(capacity.items()):
        field = f"capacity[{name}]"
        if is_below_zero(amount) and whole(amount) < 0:
            spec.refuse(field, "must be a valid resource quantity", whole(amount))
        spec.errors += check_quantity(spec.at(field), amount, is_positive=True)


def _validate_sources(spec: Part) -> None:
    """One thing that it is made of: the first is looked at, the others are too many."""
    from .pods.volume_sources import forbid_others, validate_other_source

    given = spec.list_given(_SOURCES)
    if not given:
        spec.require("", "must specify a volume type")
        return
    match given[0]:
        case "local":
            _validate_local(spec)
        case "csi":
            _validate_csi(spec.part("csi"))
        case name:
            validate_other_source(spec, name)
    forbid_others(spec, given)


def _validate_local(spec: Part) -> None:
    """A disk or folder of a node, and which node's it is."""
    local = spec.part("local")
    local.need("path")
    local.complain("path", check_descending_path((local["path"] or "").lstrip("/")))
    if spec["nodeAffinity"] is None:
        spec.require("nodeAffinity", "Local volume requires node affinity")


def _validate_csi(source: Part) -> None:
    """A driver of storage, what it calls the volume, and the Secrets that it is handed."""
    from .pods.volume_sources import validate_driver

    validate_driver(source)
    source.need("volumeHandle")
    for name in source.list_given(_SECRETS_OF_DRIVERS):
        secret = source.part(name)
        secret.text("name", check_subdomain, needed=True)
        secret.text("namespace", check_label, needed=True)


@gathers("")
def validate_storage_class(data: Part) -> None:
    """A StorageClass: who makes its volumes, and when."""
    data.need("provisioner")
    if provisioner := (data["provisioner"] or "").lower():
        data.complain("provisioner", check_qualified(provisioner), provisioner)
    if "" in (data["parameters"] or {}):
        data.refuse("parameters", "field can not be empty.", "")
    data.choice("reclaimPolicy", ("Delete", "Retain"))
    data.given("volumeBindingMode", ("Immediate", "WaitForFirstConsumer"))
    _validate_topologies(data.parts("allowedTopologies"))


def _validate_topologies(terms: Sequence[Part]) -> None:
    """Where its volumes may be made: terms that differ, each of labels that differ."""
    # The API server begins with an empty term for each that is given, so that an empty one is a duplicate.
    before: list[dict[str, set[str]]] = [{} for _ in terms]
    for term in terms:
        labels: dict[str, set[str]] = {}
        for label in term.parts("matchLabelExpressions"):
            values = _validate_topology_label(label)
            label.once("key", label["key"] or "", set(labels))
            labels[label["key"] or ""] = values
        for _ in range(before.count(labels)):
            term.errors.append(duplicate(term.at("matchLabelExpressions"), ""))
        before.append(labels)


def _validate_topology_label(label: Part) -> set[str]:
    """A label, and the values of which a node has one."""
    label.need("values")
    values: set[str] = set()
    for index, value in enumerate(label["values"] or ()):
        label.once(f"values[{index}]", value, values)
    label.complain("key", check_qualified(label["key"] or ""), label["key"] or "")
    return values


_BUT_LABELS = ", except for updating from beta label to GA"
_CLASS_FIXED = ("parameters", "provisioner", "reclaimPolicy")


def validate_class_change(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldError]:
    """A class says for life who makes its volumes, of what, when, and what becomes of them."""
    part = Part(new, errors=validate_storage_class(new))
    for field in _CLASS_FIXED:
        if (old.get(field) or None) != (new.get(field) or None):
            part.forbid(field, f"updates to {field} are forbidden.")
    if old.get("volumeBindingMode") != new.get("volumeBindingMode"):
        part.refuse("volumeBindingMode", "field is immutable")
    return part.errors


def validate_volume_change(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldError]:
    """What a volume is made of stays, and so do its mode and where it can be reached.

    The API server looks at the changed one as at a new one, twice.
    """
    before, after = old.get("spec") or {}, new.get("spec") or {}
    part = Part(after, "spec", [error for _ in range(2) for error in validate_volume(after)])
    if any(before.get(source) != after.get(source) for source in _SOURCES):
        part.forbid("persistentvolumesource", "spec.persistentvolumesource is immutable after creation")
    if before.get("volumeMode") != after.get("volumeMode"):
        part.errors.append(invalid("volumeMode", after.get("volumeMode"), "field is immutable"))
    if before.get("nodeAffinity") and before["nodeAffinity"] != after.get("nodeAffinity"):
        affinity = after.get("nodeAffinity")
        shown = show_struct("VolumeNodeAffinity", affinity) if affinity is not None else None
        part.errors.append(invalid("nodeAffinity", shown, f"field is immutable{_BUT_LABELS}"))
    return part.errors
