"""What claims, volumes and classes of storage are called, and the marks that Kubernetes leaves on them."""

from __future__ import annotations

from typing import Any

from .kinds import Kind

CLAIM_KIND = Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims", True, "pvc")
VOLUME_KIND = Kind("v1", "PersistentVolume", "persistentvolumes", False, "pv")
CLASS_KIND = Kind("storage.k8s.io/v1", "StorageClass", "storageclasses", False, "sc")
ATTACHMENT_KIND = Kind("storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", False)
CLAIM, VOLUME, STORAGE_CLASS = CLAIM_KIND.id, VOLUME_KIND.id, CLASS_KIND.id
ATTACHMENT = ATTACHMENT_KIND.id

# --- annotations ------------------------------------------------------------------------------------------

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
PROVISIONER = "volume.kubernetes.io/storage-provisioner"
PROVISIONER_ONCE = "volume.beta.kubernetes.io/storage-provisioner"
"""As it was called before; both are set."""
IS_DEFAULT = "storageclass.kubernetes.io/is-default-class"
IS_DEFAULT_ONCE = "storageclass.beta.kubernetes.io/is-default-class"

# --- finalizers -------------------------------------------------------------------------------------------

CLAIM_PROTECTION = "kubernetes.io/pvc-protection"
VOLUME_PROTECTION = "kubernetes.io/pv-protection"
PROVISIONER_PROTECTION = "external-provisioner.volume.kubernetes.io/finalizer"

# --- phases -----------------------------------------------------------------------------------------------

PENDING, BOUND, LOST = "Pending", "Bound", "Lost"
AVAILABLE, RELEASED, FAILED = "Available", "Released", "Failed"

# --- access and binding -----------------------------------------------------------------------------------

ONE_POD = "ReadWriteOncePod"
MANY = ("ReadWriteMany", "ReadOnlyMany")
WAIT = "WaitForFirstConsumer"
NO_PROVISIONER = "kubernetes.io/no-provisioner"

# --- the class of claims that name none -------------------------------------------------------------------

DEFAULT_CLASS = "podline-default"
DEFAULT_PROVISIONER = "podline.dev/simulated"
DEFAULT_CLASS_JSON: dict[str, Any] = {
    "apiVersion": CLASS_KIND.api_version,
    "kind": CLASS_KIND.name,
    "metadata": {"name": DEFAULT_CLASS, "annotations": {IS_DEFAULT: "true"}},
    "provisioner": DEFAULT_PROVISIONER,
    "reclaimPolicy": "Delete",
    "volumeBindingMode": WAIT,
    "allowVolumeExpansion": True,
}
"""It is made when a claim names no class and there is no default one: an assumption, and told as one."""
