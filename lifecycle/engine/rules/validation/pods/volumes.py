"""Volumes of a pod, and where its containers mount them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words.field_error import duplicate
from ..words.names import check_descending_path, check_label
from ..words.part import Part
from .downward import validate_downward_items
from .resources import is_below_zero

# What a volume can be, in the API server's order.
_SOURCES = (
    "emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi",
    "glusterfs", "flocker", "persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI",
    "fc", "flexVolume", "configMap", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume",
    "azureDisk", "storageos", "projected", "scaleIO", "csi", "ephemeral", "image",
)  # fmt: skip
_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE = ("Disabled", "Enabled", "IfPossible")
_CLAIMS = ("persistentVolumeClaim", "ephemeral")


def validate_volumes(spec: Part) -> dict[str, Mapping[str, Any]]:
    """Volumes: names that differ, one source each. Gives those that are right, by name.

    The API server looks at the sources first, and knows nothing of a volume that is wrong.
    """
    is_template = spec.path != "spec"
    known: dict[str, Mapping[str, Any]] = {}
    for volume in spec.parts("volumes"):
        count, name = len(volume.errors), volume["name"] or ""
        _validate_source(volume, is_template)
        volume.text("name", check_label, needed=True)
        if name in known:
            volume.errors.append(duplicate(volume.at("name"), name))
        if len(volume.errors) == count:
            known[name] = volume.data
    return known


def _validate_source(volume: Part, is_template: bool) -> None:
    """Exactly one source: the first is looked at, the others are too many."""
    from .volume_sources import forbid_others

    given = volume.list_given(_SOURCES)
    if not given:
        volume.require("", "must specify a volume type")
        return
    _validate_one_source(volume, given[0], is_template)
    forbid_others(volume, given)


def _validate_one_source(volume: Part, name: str, is_template: bool) -> None:
    from .projections import validate_projected
    from .volume_sources import validate_other_source

    source = volume.part(name)
    match name:
        case "configMap":
            _validate_keys(source, "name")
        case "secret":
            _validate_keys(source, "secretName")
        case "persistentVolumeClaim":
            source.need("claimName")
        case "emptyDir":
            if is_below_zero(source["sizeLimit"]):
                source.forbid("sizeLimit", "SizeLimit field must be a valid resource quantity")
        case "downwardAPI":
            validate_downward_items(source)
        case "projected":
            validate_projected(source)
        case _:
            validate_other_source(volume, name, is_template)


def _validate_keys(source: Part, name: str) -> None:
    """A ConfigMap or Secret, and which of its keys become which files."""
    from .projections import validate_items, validate_mode

    source.need(name)
    validate_mode(source, "defaultMode")
    validate_items(source)


def validate_mounts(container: Part, volumes: Mapping[str, Mapping[str, Any]]) -> None:
    """Every mount names a volume of the pod; no two share a path."""
    seen = set()
    for mount in container.parts("volumeMounts"):
        mount.need("name")
        if (mount["name"] or "") not in volumes:
            mount.miss("name", mount["name"] or "")
        mount.need("mountPath")
        if mount["mountPath"] in seen:
            mount.refuse("mountPath", "must be unique")
        seen.add(mount["mountPath"])
        _validate_sub_path(mount, container)
        _validate_propagation(mount, container)


def _validate_sub_path(mount: Part, container: Part) -> None:
    """What of the volume is mounted. The API server does not say which mount is wrong."""
    for field in ("subPath", "subPathExpr"):
        value = mount[field]
        if not value:
            continue
        if field == "subPathExpr" and mount["subPath"]:
            mount.refuse(field, "subPathExpr and subPath are mutually exclusive")
        container.complain(f"volumeMounts.{field}", check_descending_path(value), value)


def _validate_propagation(mount: Part, container: Part) -> None:
    """Mounts below a mount: who sees them, and who may write. Of these too no mount is named."""
    mode, shown = mount["mountPropagation"], Part(None, container.at("volumeMounts"), container.errors)
    if mode is not None:
        shown.support("mountPropagation", _PROPAGATIONS, mode)
    if mode == "Bidirectional" and not container.part("securityContext")["privileged"]:
        detail = "Bidirectional mount propagation is available only to privileged containers"
        shown.forbid("mountPropagation", detail)
    recursive = mount["recursiveReadOnly"]
    if recursive in (None, "Disabled"):
        return
    if recursive not in _RECURSIVE:
        shown.support("recursiveReadOnly", _RECURSIVE, recursive)
        return
    if not mount["readOnly"]:
        shown.forbid("recursiveReadOnly", "may only be specified when readOnly is true")
    if mode not in (None, "None"):
        detail = "may only be specified when mountPropagation is None or not specified"
        shown.forbid("recursiveReadOnly", detail)


def validate_devices(container: Part, volumes: Mapping[str, Mapping[str, Any]]) -> None:
    """Claims that a container has as raw devices: neither they nor their paths are mounted besides."""
    mounts = container.parts("volumeMounts")
    mounted, mount_paths = {one["name"] for one in mounts}, {one["mountPath"] for one in mounts}
    names: set[str] = set()
    paths: set[str] = set()
    for device in container.parts("volumeDevices"):
        name, path = device["name"] or "", device["devicePath"] or ""
        device.need("name")
        if name and name in names:
            device.refuse("name", "must be unique")
        if name not in volumes:
            device.miss("name", name)
        elif not any(volumes[name].get(one) is not None for one in _CLAIMS):
            detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            device.refuse("name", detail)
        device.need("devicePath")
        if path in paths:
            device.refuse("devicePath", "must be unique", path)
        if ".." in path.split("/"):
            device.refuse("devicePath", "can not contain backsteps ('..')")
        if name in mounted:
            device.refuse("name", "must not already exist in volumeMounts")
        if path in mount_paths:
            device.refuse("devicePath", "must not already exist as a path in volumeMounts")
        names.add(name)
        paths.add(path)
