"""Which volume a claim may have, and who may use it. Pure; models the helpers of the volume controller.

Objects are read as their JSON is stored. Left out: volumes filled from snapshots and other claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...objects.meta import StoredObject
from ...objects.names import CLASS_ONCE, HOSTNAME
from ...objects.node import Node
from ...objects.pods.pod import Pod
from ...objects.quantity import whole
from ...objects.storage import BIND_COMPLETED, IS_DEFAULT, IS_DEFAULT_ONCE, MANY, NO_PROVISIONER, WAIT
from ...objects.times import floor_to_second
from ..placement.node_filters import matches_a_term

Json = Mapping[str, Any]
_SHORT_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
# Volume plugins that moved out of Kubernetes: their classes are served by these drivers.
_MOVED = {
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
    "kubernetes.io/azure-disk": "disk.csi.azure.com",
    "kubernetes.io/azure-file": "file.csi.azure.com",
    "kubernetes.io/cinder": "cinder.csi.openstack.org",
    "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
    "kubernetes.io/portworx-volume": "pxd.portworx.com",
}
_MOVED_SOURCES = {
    "awsElasticBlockStore": "ebs.csi.aws.com",
    "gcePersistentDisk": "pd.csi.storage.gke.io",
    "azureDisk": "disk.csi.azure.com",
    "cinder": "cinder.csi.openstack.org",
    "vsphereVolume": "csi.vsphere.vmware.com",
    "portworxVolume": "pxd.portworx.com",
}

# --- what they say ----------------------------------------------------------------------------------------


def spec_of(one: StoredObject) -> Json:
    """The spec of a claim or a volume."""
    return one.spec or {}


def phase_of(one: StoredObject) -> str:
    """Pending, Bound and so on; "" before anybody has looked at it."""
    return str((one.status or {}).get("phase") or "")


def class_of(one: StoredObject) -> str:
    """The class that a claim or a volume names; "" is that of volumes made by hand."""
    return one.meta.annotations.get(CLASS_ONCE) or str(spec_of(one).get("storageClassName") or "")


def has_class(claim: StoredObject) -> bool:
    """Whether a claim names a class, be it the empty one: it gets no default."""
    return CLASS_ONCE in claim.meta.annotations or spec_of(claim).get("storageClassName") is not None


def mode_of(one: StoredObject) -> str:
    """Filesystem or Block."""
    return str(spec_of(one).get("volumeMode") or "Filesystem")


def bytes_wanted(claim: StoredObject) -> int:
    """How much a claim asks for."""
    return whole(((spec_of(claim).get("resources") or {}).get("requests") or {}).get("storage") or 0)


def bytes_in(volume: StoredObject) -> int:
    """How much a volume holds."""
    return whole((spec_of(volume).get("capacity") or {}).get("storage") or 0)


def modes_of(one: StoredObject) -> frozenset[str]:
    """The ways in which it may be used, or is to be."""
    return frozenset(spec_of(one).get("accessModes") or ())


def shorten_modes(modes: Iterable[str] | None) -> str:
    """`RWO,RWX`, as kubectl prints them, each once."""
    given = set(modes or ())
    return ",".join(short for mode, short in _SHORT_MODES.items() if mode in given)


def is_bound(claim: StoredObject) -> bool:
    """Whether its volume knows of it too; a claim that only names one is not bound yet."""
    return BIND_COMPLETED in claim.meta.annotations


def claim_ref(volume: StoredObject) -> Json:
    """The claim that a volume is for; empty when it is for anybody."""
    return spec_of(volume).get("claimRef") or {}


def volume_name(claim: StoredObject) -> str:
    """The volume that a claim names; "" for none."""
    return str(spec_of(claim).get("volumeName") or "")


def refer_to_claim(claim: StoredObject) -> dict[str, Any]:
    """How a volume names the claim it is for."""
    return {
        "apiVersion": "v1",
        "kind": claim.kind.name,
        "namespace": claim.meta.namespace,
        "name": claim.meta.name,
        "uid": claim.meta.uid,
        "resourceVersion": str(claim.resource_version),
    }


# --- which volume -----------------------------------------------------------------------------------------


def is_reserved_for(volume: StoredObject, claim: StoredObject) -> bool:
    """Whether a volume is for this claim: it names it, and no other of its name."""
    ref = claim_ref(volume)
    if (ref.get("namespace"), ref.get("name")) != (claim.meta.namespace, claim.meta.name):
        return False
    return ref.get("uid") in (None, "", claim.meta.uid)


def find_mismatch(volume: StoredObject, claim: StoredObject) -> str:
    """Why a volume does not do for a claim that names it, in the controller's words; "" when it does."""
    if volume.meta.deletion_ms is not None:
        return f'the volume is marked for deletion "{volume.meta.name}"'
    if bytes_in(volume) < bytes_wanted(claim):
        return "requested PV is too small"
    if class_of(volume) != class_of(claim):
        return "storageClassName does not match"
    names = [spec_of(one).get("volumeAttributesClassName") or "" for one in (volume, claim)]
    if names[0] != names[1]:
        return "volumeAttributesClassName does not match"
    if mode_of(volume) != mode_of(claim):
        return "incompatible volumeMode"
    return "" if modes_of(claim) <= modes_of(volume) else "incompatible accessMode"


def reaches(volume: StoredObject, node: Node) -> bool:
    """Whether a node can have the volume."""
    required = (spec_of(volume).get("nodeAffinity") or {}).get("required")
    return not required or matches_a_term(required.get("nodeSelectorTerms") or (), node)


def only_host(volume: StoredObject) -> str:
    """The host that a volume is on, where it says one and nothing else; "" where it may be on others."""
    required = (spec_of(volume).get("nodeAffinity") or {}).get("required") or {}
    match required.get("nodeSelectorTerms"):
        case [{"matchExpressions": [{"key": str(key), "operator": "In", "values": [str(host)]}], **more}]:
            return host if key == HOSTNAME and not more.get("matchFields") else ""
    return ""


# --- classes ----------------------------------------------------------------------------------------------


def is_default(storage_class: StoredObject) -> bool:
    """Whether claims without a class get this one."""
    annotations = storage_class.meta.annotations
    return "true" in (annotations.get(IS_DEFAULT), annotations.get(IS_DEFAULT_ONCE))


def choose_default(classes: Iterable[StoredObject], epoch_ms: int) -> StoredObject | None:
    """The newest default class; of those made in one second the first by name."""
    defaults = [one for one in classes if is_default(one)]
    return min(
        defaults,
        key=lambda one: (-floor_to_second(one.meta.creation_ms or 0, epoch_ms), one.meta.name),
        default=None,
    )


def waits_for_pod(storage_class: StoredObject | None) -> bool:
    """Whether claims of a class are bound only when a pod needs them."""
    return storage_class is not None and (storage_class.extra or {}).get("volumeBindingMode") == WAIT


def provisioner_of(storage_class: StoredObject) -> str:
    """Who makes the volumes of a class: a driver, also where an older plugin is named."""
    name = str((storage_class.extra or {}).get("provisioner") or "")
    return _MOVED.get(name, name)


def is_provisioned(storage_class: StoredObject) -> bool:
    """Whether somebody makes the volumes of a class. Drivers are taken to be there; no plugin is left."""
    return not provisioner_of(storage_class).startswith("kubernetes.io/")


def is_made_by_hand(storage_class: StoredObject) -> bool:
    """Whether a class says that nobody makes its volumes."""
    return provisioner_of(storage_class) in ("", NO_PROVISIONER)


def suits_topology(storage_class: StoredObject, node: Node) -> bool:
    """Whether volumes of a class may be made where a node is."""
    terms = (storage_class.extra or {}).get("allowedTopologies")
    return not terms or any(
        all(
            node.meta.labels.get(one.get("key", "")) in (one.get("values") or ())
            for one in term.get("matchLabelExpressions") or ()
        )
        for term in terms
    )


# --- who uses them ----------------------------------------------------------------------------------------


def list_claims(pod: Pod) -> Iterator[tuple[str, str]]:
    """The claims of a pod: the name of each volume, and of its claim. A volume of its own has one too."""
    for volume in pod.spec.volumes:
        source = volume.get("persistentVolumeClaim")
        if source is not None:
            yield str(volume.get("name") or ""), str(source.get("claimName") or "")
        elif volume.get("ephemeral") is not None:
            name = str(volume.get("name") or "")
            yield name, f"{pod.meta.name}-{name}"


def attacher_of(volume: StoredObject) -> str:
    """The driver that attaches a volume to nodes; "" for one that needs nobody for that."""
    spec = spec_of(volume)
    driver = (spec.get("csi") or {}).get("driver")
    return driver or next((name for source, name in _MOVED_SOURCES.items() if spec.get(source)), "")


def may_be_on_many_nodes(volume: StoredObject) -> bool:
    """Whether a volume may be attached to a second node."""
    return not modes_of(volume) or any(mode in modes_of(volume) for mode in MANY)


def attached_volume(attachment: StoredObject) -> str:
    """The volume that an attachment is of."""
    return str((spec_of(attachment).get("source") or {}).get("persistentVolumeName") or "")


def attached_node(attachment: StoredObject) -> str:
    """The node that an attachment is to."""
    return str(spec_of(attachment).get("nodeName") or "")


def is_attached(attachment: StoredObject) -> bool:
    """Whether the volume has come to its node."""
    return bool((attachment.status or {}).get("attached"))
