"""Sources of volumes that only drivers of storage know: what each needs to be told.

Where a source has a form of its own (a number within bounds, a name) that is looked at too; what only its
driver could tell is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..claims import validate_claim_spec
from ..words.field_error import too_long
from ..words.metadata import validate_annotations, validate_labels
from ..words.names import check_descending_path, check_label, check_subdomain
from ..words.part import Part

_NEEDED = {
    "awsElasticBlockStore": ("volumeID",),
    "azureFile": ("secretName", "shareName"),
    "cephfs": ("monitors",),
    "cinder": ("volumeID",),
    "flexVolume": ("driver",),
    "gcePersistentDisk": ("pdName",),
    "gitRepo": ("repository",),
    "glusterfs": ("endpoints", "path"),
    "hostPath": ("path",),
    "iscsi": ("targetPortal", "iqn"),
    "nfs": ("server", "path"),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "rbd": ("monitors", "image"),
    "scaleIO": ("gateway", "system", "volumeName"),
    "vsphereVolume": ("volumePath",),
}
_SHOWN = {"gcePersistentDisk": "persistentDisk"}
"""What the API server calls some of them in its errors."""
_TOO_MANY = {"downwardAPI": "downwarAPI", "cephfs": "cephFS"}
"""And what it calls them where they are one too many: its own slips."""
_HOST_PATHS = (
    "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket",
)  # fmt: skip
_LONGEST_DRIVER = 63
_IQN = ("iqn", "eui", "naa")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_DISK_KINDS = ("Dedicated", "Managed", "Shared")
_CACHING = ("None", "ReadOnly", "ReadWrite")
_MANAGED = (
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
)
_BLOB = ("https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",)
_REGISTRY = "must be a host:port pair or multiple pairs separated by commas"


def forbid_others(volume: Part, given: Sequence[str]) -> None:
    """Sources beside the first one."""
    for name in given[1:]:
        volume.forbid(_TOO_MANY.get(name, name), "may not specify more than 1 volume type")


def validate_other_source(volume: Part, name: str, is_template: bool = False) -> None:
    """A source that no object of the cluster stands for. `is_template`: it stands in a template of pods."""
    source = volume.part(name)
    source.path = volume.at(_SHOWN.get(name, name))
    for field in _NEEDED.get(name, ()):
        source.need(field)
    if name == "image":
        _validate_image(source, is_template)
    elif name in _CHECKS:
        _CHECKS[name](source)


def _validate_image(source: Part, is_template: bool) -> None:
    if not is_template:
        source.need("reference")
    source.choice("pullPolicy", _PULL_POLICIES)


def _validate_host_path(source: Part) -> None:
    """A path of the node."""
    if ".." in (source["path"] or "").split("/"):
        source.refuse("path", "must not contain '..'")
    if source["path"]:
        source.support("type", _HOST_PATHS, source["type"] or "")


def _validate_nfs(source: Part) -> None:
    if not (source["path"] or "").startswith("/"):
        source.refuse("path", "must be an absolute path", source["path"] or "")


def validate_driver(source: Part) -> None:
    """Which driver of the container storage interface it is of."""
    if len(source["driver"] or "") > _LONGEST_DRIVER:
        source.errors.append(too_long(source.at("driver"), _LONGEST_DRIVER))
    source.text("driver", lambda driver: check_subdomain(driver.lower()), needed=True)


def _validate_csi(source: Part) -> None:
    validate_driver(source)
    if source["nodePublishSecretRef"] is not None:
        source.part("nodePublishSecretRef").need("name")


def _validate_ephemeral(source: Part) -> None:
    """A claim that lives as long as its pod, which names it."""
    if source["volumeClaimTemplate"] is None:
        source.require("volumeClaimTemplate")
        return
    template = source.part("volumeClaimTemplate")
    metadata = template.part("metadata")
    for field in sorted(metadata.list_given(metadata.data)):
        if field not in ("labels", "annotations", "creationTimestamp"):
            metadata.forbid(field, "cannot be set")
    metadata.apply("labels", validate_labels)
    metadata.apply("annotations", validate_annotations)
    validate_claim_spec(template.part("spec"))


def _validate_iscsi(source: Part) -> None:
    target, unit = source["iqn"] or "", source["lun"] or 0
    if target and not target.startswith(_IQN):
        source.refuse("iqn", "must be valid format starting with iqn, eui, or naa")
    source.within("lun", 0, 255, unit)
    if (source["chapAuthDiscovery"] or source["chapAuthSession"]) and source["secretRef"] is None:
        source.require("secretRef")


def _validate_fibre_channel(source: Part) -> None:
    names, ids = source["targetWWNs"], source["wwids"]
    if not names and not ids:
        source.require("targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if names and ids:
        source.refuse("targetWWNs", "targetWWNs and wwids can not be specified simultaneously")
    if names and source["lun"] is None:
        source.require("lun", "lun is required if targetWWNs is specified")
    elif names:
        source.within("lun", 0, 255)


def _validate_partition(source: Part) -> None:
    if not 0 <= (source["partition"] or 0) <= 255:
        source.refuse("partition", "must be between 0 and 255, inclusive")


def _validate_azure_disk(source: Part) -> None:
    source.need("diskName")
    source.need("diskURI")
    place, kind = source["diskURI"] or "", source["kind"] or "Shared"
    source.given("cachingMode", _CACHING)
    source.support("kind", _DISK_KINDS, kind)
    if kind == "Managed" and not place.startswith("/subscriptions/"):
        source.support("diskURI", _MANAGED, place)
    if kind != "Managed" and not place.startswith("https://"):
        source.support("diskURI", _BLOB, place)


def _validate_flocker(source: Part) -> None:
    name, uuid = source["datasetName"] or "", source["datasetUUID"] or ""
    if not name and not uuid:
        source.require("", "one of datasetName and datasetUUID is required")
    if name and uuid:
        source.refuse("", "datasetName and datasetUUID can not be specified simultaneously", "resource")
    if "/" in name:
        source.refuse("datasetName", "must not contain '/'")


def _validate_quobyte(source: Part) -> None:
    registry = source["registry"] or ""
    if not registry:
        source.require("registry", _REGISTRY)
    for pair in registry.split(",") if registry else ():
        if pair.count(":") != 1:
            source.refuse("registry", _REGISTRY)
    source.need("volume")


def _validate_storage_os(source: Part) -> None:
    source.text("volumeName", check_label, needed=True)
    source.text("volumeNamespace", check_label)


def _validate_git(source: Part) -> None:
    source.text("directory", check_descending_path)


_CHECKS: dict[str, Callable[[Part], None]] = {
    "awsElasticBlockStore": _validate_partition,
    "azureDisk": _validate_azure_disk,
    "csi": _validate_csi,
    "ephemeral": _validate_ephemeral,
    "fc": _validate_fibre_channel,
    "flocker": _validate_flocker,
    "gcePersistentDisk": _validate_partition,
    "gitRepo": _validate_git,
    "hostPath": _validate_host_path,
    "iscsi": _validate_iscsi,
    "nfs": _validate_nfs,
    "quobyte": _validate_quobyte,
    "storageos": _validate_storage_os,
}
