"""Volumes of a pod, and where its containers mount them."""

from __future__ import annotations

from .downward import validate_downward_items
from .names import check_descending_path, check_label, check_local_path
from .part import Part
from .resources import is_below_zero

_PROJECTED_SOURCES = (
    "secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate",
)  # fmt: skip


_HOST_PATHS = (
    "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket",
)  # fmt: skip


def validate_volumes(spec: Part) -> None:
    """Volumes: names that differ, one source each."""
    seen: set[str] = set()
    for volume in spec.parts("volumes"):
        volume.text("name", check_label, needed=True)
        if volume["name"]:
            volume.once("name", volume["name"], seen)
        _validate_source(volume)


def _validate_source(volume: Part) -> None:
    """Exactly one source."""
    given = volume.list_given(name for name in volume.data if name != "name")
    if not given:
        volume.require("", "must specify a volume type")
        return
    for name in given[1:]:
        volume.forbid(name, "may not specify more than 1 volume type")
    source = volume.part(given[0])
    match given[0]:
        case "hostPath":
            _validate_host_path(source)
        case "configMap":
            _validate_keys(source, "name")
        case "secret":
            _validate_keys(source, "secretName")
        case "persistentVolumeClaim":
            source.need("claimName")
        case "emptyDir":
            source.choice("medium", ("", "Memory", "HugePages"))
            if is_below_zero(source["sizeLimit"]):
                source.forbid("sizeLimit", "SizeLimit field must be a valid resource quantity")
        case "nfs":
            source.need("server")
            source.need("path")
            if not (source["path"] or "").startswith("/"):
                source.refuse("path", "must be an absolute path", source["path"] or "")
        case "downwardAPI":
            validate_downward_items(source)
        case "projected":
            _validate_projected(source)


def _validate_host_path(source: Part) -> None:
    """A path of the node."""
    source.need("path")
    if ".." in (source["path"] or "").split("/"):
        source.refuse("path", "must not contain '..'")
    if source["path"]:
        source.support("type", _HOST_PATHS, source["type"] or "")


def _validate_keys(source: Part, name: str) -> None:
    """A ConfigMap or Secret, and which of its keys become which files."""
    source.need(name)
    _validate_mode(source, "defaultMode")
    for item in source.parts("items"):
        item.need("key")
        item.text("path", check_local_path, needed=True)
        _validate_mode(item, "mode")


def _validate_mode(holder: Part, field: str) -> None:
    mode = holder[field]
    if mode is not None and not 0 <= mode <= 0o777:
        holder.refuse(field, "must be a number between 0 and 0777 (octal), both inclusive")


def _validate_projected(source: Part) -> None:
    for part in source.parts("sources"):
        for name in part.list_given(_PROJECTED_SOURCES)[1:]:
            part.forbid(name, "may not specify more than 1 volume type")
        for name in part.list_given(("configMap", "secret")):
            _validate_keys(part.part(name), "name")
        validate_downward_items(part.part("downwardAPI"))


def validate_mounts(container: Part, volume_names: frozenset[str]) -> None:
    """Every mount names a volume of the pod; no two share a path."""
    seen = set()
    for mount in container.parts("volumeMounts"):
        mount.need("name")
        if mount["name"] not in volume_names:
            mount.miss("name", mount["name"] or "")
        mount.need("mountPath")
        if mount["mountPath"] in seen:
            mount.refuse("mountPath", "must be unique")
        seen.add(mount["mountPath"])
        _validate_sub_path(mount, container)


def _validate_sub_path(mount: Part, container: Part) -> None:
    """What of the volume is mounted. The API server does not say which mount is wrong."""
    for field in ("subPath", "subPathExpr"):
        value = mount[field]
        if not value:
            continue
        if field == "subPathExpr" and mount["subPath"]:
            mount.refuse(field, "subPathExpr and subPath are mutually exclusive")
        container.complain(f"volumeMounts.{field}", check_descending_path(value), value)
