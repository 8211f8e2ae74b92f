"""Kinds of which there is little to say: their names, and what is filled in or looked at."""

from __future__ import annotations

from ..objects.endpoint_slice import ENDPOINT_SLICE_KIND
from ..objects.kinds import Kind
from ..rules.defaults.others import (
    default_claim,
    default_priority_class,
    default_secret,
    default_storage_class,
    default_volume,
)
from ..rules.validation.kubelet_config import validate_kubelet_configuration
from ..rules.validation.metadata import check_path_name
from ..rules.validation.others import validate_config
from ..rules.validation.quotas import validate_quota
from .entry import KindEntry

SERVICE_ACCOUNT = Kind("v1", "ServiceAccount", "serviceaccounts", True, "sa")
# How containers of an image behave; `programs/profiles` reads it.
CONTAINER_PROFILE = Kind("podline.dev/v1alpha1", "ContainerProfile", "containerprofiles", False)
# A file of a node's, not an object of the API; one that is sent is stored.
KUBELET_CONFIGURATION = Kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration", "kubeletconfigurations")
_RBAC = "rbac.authorization.k8s.io/v1"

_CHECKED = (
    KindEntry(
        kind=Kind("v1", "ConfigMap", "configmaps", True, "cm"),
        validate=lambda data, gates: validate_config(data, ("data", "binaryData")),
    ),
    KindEntry(
        kind=Kind("v1", "Secret", "secrets"),
        default=default_secret,
        validate=lambda data, gates: validate_config(data, ("data", "stringData")),
    ),
    KindEntry(
        kind=Kind("v1", "PersistentVolume", "persistentvolumes", False, "pv"),
        default=default_volume,
    ),
    KindEntry(
        kind=Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims", True, "pvc"),
        default=default_claim,
    ),
    KindEntry(
        kind=Kind("storage.k8s.io/v1", "StorageClass", "storageclasses", False, "sc"),
        default=default_storage_class,
    ),
    KindEntry(
        kind=Kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", False, "pc"),
        default=default_priority_class,
    ),
    KindEntry(
        kind=Kind("v1", "ResourceQuota", "resourcequotas", True, "quota"),
        validate_spec=lambda spec, gates: validate_quota(spec),
    ),
)
_NAMED = (
    Kind("v1", "Endpoints", "endpoints", True, "ep"),
    SERVICE_ACCOUNT,
    Kind("apps/v1", "ControllerRevision", "controllerrevisions"),
    ENDPOINT_SLICE_KIND,
    CONTAINER_PROFILE,
)
_PASSIVE = (
    Kind("v1", "PodTemplate", "podtemplates"),
    Kind("v1", "Event", "events", True, "ev"),
    Kind("networking.k8s.io/v1", "Ingress", "ingresses", True, "ing"),
    Kind("networking.k8s.io/v1", "IngressClass", "ingressclasses", False),
    Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", True, "netpol"),
    Kind("coordination.k8s.io/v1", "Lease", "leases"),
    Kind("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", False),
)
# Stored only: nobody is denied anything.
_ROLES = (
    Kind(_RBAC, "Role", "roles"),
    Kind(_RBAC, "RoleBinding", "rolebindings"),
    Kind(_RBAC, "ClusterRole", "clusterroles", False),
    Kind(_RBAC, "ClusterRoleBinding", "clusterrolebindings", False),
)

PLAIN = (
    *_CHECKED,
    *(KindEntry(kind=kind, is_passive=True, check_name=check_path_name) for kind in _ROLES),
    *(KindEntry(kind=kind) for kind in _NAMED),
    *(KindEntry(kind=kind, is_passive=True) for kind in _PASSIVE),
    KindEntry(
        kind=KUBELET_CONFIGURATION,
        is_passive=True,
        validate=lambda data, gates: validate_kubelet_configuration(data),
    ),
)
