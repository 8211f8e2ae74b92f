"""Kinds of which there is little to say: their names, and what is filled in or looked at."""

from __future__ import annotations

from collections.abc import Callable

from ..objects.endpoint_slice import ENDPOINT_SLICE_KIND, ENDPOINTS_KIND
from ..objects.kinds import Kind
from ..objects.lease import LEASE_KIND
from ..objects.storage import ATTACHMENT_KIND
from ..rules.columns.services import decide_endpoints_columns, decide_slice_columns
from ..rules.defaults.others import (
    default_binding,
    default_config_map,
    default_definition,
    default_network_policy,
    default_priority_class,
    default_secret,
)
from ..rules.defaults.services import default_endpoint_slice, default_endpoints
from ..rules.defaults.workloads import default_pod_template
from ..rules.validation.access import GROUP, validate_binding, validate_kept_role, validate_role
from ..rules.validation.classes import (
    validate_kept_handler,
    validate_kept_value,
    validate_priority_class,
    validate_runtime_class,
)
from ..rules.validation.configurations import (
    validate_config_map,
    validate_kept_data,
    validate_kept_secret,
    validate_secret,
)
from ..rules.validation.definitions import validate_definition, validate_kept_definition, warn_of_rules
from ..rules.validation.endpoints import validate_endpoint_slice, validate_endpoints, validate_slice_update
from ..rules.validation.events import validate_event
from ..rules.validation.ingresses import validate_ingress, validate_new_ingress
from ..rules.validation.kubelet_config import validate_kubelet_configuration
from ..rules.validation.leases import validate_lease
from ..rules.validation.network_policies import validate_network_policy
from ..rules.validation.quotas import validate_quota, validate_quota_change, validate_quota_status
from ..rules.validation.words.field_error import FieldError
from ..rules.validation.words.metadata import check_path_name
from ..rules.validation.workloads.workloads import validate_plain_template
from .entry import Check, Json, KindEntry

SERVICE_ACCOUNT = Kind("v1", "ServiceAccount", "serviceaccounts", True, "sa")
PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", False, "pc")
RUNTIME_CLASS = Kind("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", False)
# How containers of an image behave; `programs/profiles` reads it.
CONTAINER_PROFILE = Kind("podline.dev/v1alpha1", "ContainerProfile", "containerprofiles", False)
# A file of a node's, not an object of the API; one that is sent is stored.
KUBELET_CONFIGURATION = Kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration", "kubeletconfigurations")
_ADMISSION = "admissionregistration.k8s.io/v1"


def _of_any(check: Callable[[Json], list[FieldError]]) -> Check:
    """A check that no feature gate matters to."""
    return lambda json, gates: check(json)


def _of_role(check: Callable[[Json, bool], list[FieldError]], is_namespaced: bool) -> Check:
    return lambda data, gates: check(data, is_namespaced)


# Something in the model reads these.
_READ = (
    KindEntry(
        kind=Kind("v1", "ConfigMap", "configmaps", True, "cm"),
        metadata_looks=2,
        default=default_config_map,
        validate=_of_any(validate_config_map),
        validate_fixed=validate_kept_data,
    ),
    KindEntry(
        kind=Kind("v1", "Secret", "secrets"),
        metadata_looks=2,
        default=default_secret,
        validate=_of_any(validate_secret),
        validate_fixed=validate_kept_secret,
    ),
    KindEntry(
        kind=PRIORITY_CLASS,
        default=default_priority_class,
        validate=_of_any(validate_priority_class),
        validate_update=lambda old, new, gates: validate_kept_value(new, old),
    ),
    KindEntry(
        kind=RUNTIME_CLASS,
        validate=_of_any(validate_runtime_class),
        validate_update=lambda old, new, gates: validate_kept_handler(new, old),
    ),
    KindEntry(
        kind=Kind("v1", "ResourceQuota", "resourcequotas", True, "quota"),
        validate_spec=_of_any(validate_quota),
        validate_update=lambda old, new, gates: validate_quota_change(old, new),
        validate_status=validate_quota_status,
    ),
    KindEntry(
        kind=ENDPOINTS_KIND,
        metadata_looks=2,
        warning="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
        default=default_endpoints,
        validate=_of_any(validate_endpoints),
        whole_columns=decide_endpoints_columns,
    ),
    KindEntry(
        kind=ENDPOINT_SLICE_KIND,
        default=default_endpoint_slice,
        validate=_of_any(validate_endpoint_slice),
        validate_update=lambda old, new, gates: validate_slice_update(old, new),
        whole_columns=decide_slice_columns,
    ),
    KindEntry(kind=SERVICE_ACCOUNT, metadata_looks=2),
    KindEntry(kind=CONTAINER_PROFILE),
    KindEntry(kind=ATTACHMENT_KIND),
    KindEntry(kind=LEASE_KIND, validate_spec=_of_any(validate_lease)),
)
_CHECKED = (
    KindEntry(
        kind=Kind("networking.k8s.io/v1", "Ingress", "ingresses", True, "ing"),
        metadata_looks=2,
        is_passive=True,
        validate_new=validate_new_ingress,
        validate_spec=_of_any(validate_ingress),
    ),
    KindEntry(
        kind=Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", True, "netpol"),
        metadata_looks=2,
        is_passive=True,
        default_spec=default_network_policy,
        validate_spec=_of_any(validate_network_policy),
    ),
    KindEntry(
        kind=Kind(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            False,
            "crd crds",
        ),
        default=default_definition,
        drops_status=True,
        validate=_of_any(validate_definition),
        validate_fixed=validate_kept_definition,
        warn=warn_of_rules,
    ),
    KindEntry(
        kind=Kind("v1", "PodTemplate", "podtemplates"),
        is_passive=True,
        default=default_pod_template,
        validate=validate_plain_template,
    ),
    KindEntry(
        kind=Kind("v1", "Event", "events", True, "ev"), is_passive=True, validate=_of_any(validate_event)
    ),
    # Nobody is denied anything.
    *(
        KindEntry(
            kind=Kind(f"{GROUP}/v1", name, f"{name.lower()}s", is_namespaced),
            is_passive=True,
            metadata_looks=2,
            check_name=check_path_name,
            default=default,
            validate=_of_role(validate, is_namespaced),
            validate_fixed=validate_fixed,
        )
        for name, is_namespaced, default, validate, validate_fixed in (
            ("Role", True, None, validate_role, None),
            ("ClusterRole", False, None, validate_role, None),
            ("RoleBinding", True, default_binding, validate_binding, validate_kept_role),
            ("ClusterRoleBinding", False, default_binding, validate_binding, validate_kept_role),
        )
    ),
    KindEntry(
        kind=KUBELET_CONFIGURATION,
        is_passive=True,
        validate=_of_any(validate_kubelet_configuration),
    ),
)
_PASSIVE = (
    Kind("networking.k8s.io/v1", "IngressClass", "ingressclasses", False),
    Kind("apiregistration.k8s.io/v1", "APIService", "apiservices", False),
    Kind(_ADMISSION, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", False),
    Kind(_ADMISSION, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", False),
    Kind(_ADMISSION, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", False),
    Kind(_ADMISSION, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", False),
    Kind("certificates.k8s.io/v1", "CertificateSigningRequest", "certificatesigningrequests", False, "csr"),
    Kind("networking.k8s.io/v1", "IPAddress", "ipaddresses", False, "ip"),
    Kind("networking.k8s.io/v1", "ServiceCIDR", "servicecidrs", False),
    Kind("storage.k8s.io/v1", "CSIDriver", "csidrivers", False),
    Kind("storage.k8s.io/v1", "CSINode", "csinodes", False),
    Kind("storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities"),
    Kind("storage.k8s.io/v1", "VolumeAttributesClass", "volumeattributesclasses", False, "vac"),
    Kind("resource.k8s.io/v1", "DeviceClass", "deviceclasses", False),
    Kind("resource.k8s.io/v1", "ResourceClaim", "resourceclaims"),
    Kind("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates"),
    Kind("resource.k8s.io/v1", "ResourceSlice", "resourceslices", False),
    Kind("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "flowschemas", False),
    Kind(
        "flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "prioritylevelconfigurations", False
    ),
)

PLAIN = (*_READ, *_CHECKED, *(KindEntry(kind=kind, is_passive=True) for kind in _PASSIVE))
