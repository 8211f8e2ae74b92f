"""Kinds of which there is little to say: their names, and what is filled in or looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..objects.endpoint_slice import ENDPOINT_SLICE_KIND, ENDPOINTS_KIND
from ..objects.kinds import Kind
from ..objects.lease import LEASE_KIND
from ..objects.names import DEFINITION, RBAC_GROUP
from ..objects.storage import ATTACHMENT_KIND
from ..rules.columns.column import AGE, CREATED_AT
from ..rules.columns.network import INGRESS_COLUMNS, NETWORK_POLICY_COLUMNS
from ..rules.columns.others import (
    CONFIG_MAP_COLUMNS,
    EVENT_COLUMNS,
    FORMER_ACCOUNT_COLUMNS,
    LEASE_COLUMNS,
    SECRET_COLUMNS,
)
from ..rules.columns.policies import (
    BINDING_COLUMNS,
    PRIORITY_CLASS_COLUMNS,
    QUOTA_COLUMNS,
    RUNTIME_CLASS_COLUMNS,
)
from ..rules.columns.services import ENDPOINTS_COLUMNS, SLICE_COLUMNS
from ..rules.columns.storage import ATTACHMENT_COLUMNS
from ..rules.columns.workloads import POD_TEMPLATE_COLUMNS
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
from ..rules.serving.conversions import (
    read_newer_event,
    show_core_event,
    show_endpoints,
    show_newer_event,
    show_role,
    show_slice,
    with_status,
)
from ..rules.serving.fields import CORE_EVENT_FIELDS, NEWER_EVENT_FIELDS, read_at
from ..rules.validation.configurations import (
    validate_config_map,
    validate_kept_data,
    validate_kept_secret,
    validate_secret,
)
from ..rules.validation.kubelet_config import validate_kubelet_configuration
from ..rules.validation.words.field_error import FieldError
from ..rules.validation.words.metadata import check_path_name
from ..rules.validation.workloads.workloads import validate_plain_template
from .entry import Check, Json, KindEntry, of_any
from .late_checks import late
from .served import EXTENSIONS, STATUS_ONLY, Form, Served, Subresource

_validate_attachment = late("drivers", "validate_attachment")
_validate_binding = late("access", "validate_binding")
_validate_kept_role = late("access", "validate_kept_role")
_validate_role = late("access", "validate_role")
_validate_kept_handler = late("classes", "validate_kept_handler")
_validate_kept_value = late("classes", "validate_kept_value")
_validate_priority_class = late("classes", "validate_priority_class")
_validate_runtime_class = late("classes", "validate_runtime_class")
_validate_changed_definition = late("definitions", "validate_changed_definition")
_validate_new_definition = late("definitions", "validate_new_definition")
_warn_of_certificate = late("configurations", "warn_of_certificate")
_warn_of_class = late("ingresses", "warn_of_class")
_warn_of_rules = late("definitions", "warn_of_rules")
_validate_endpoint_slice = late("endpoints", "validate_endpoint_slice")
_validate_endpoints = late("endpoints", "validate_endpoints")
_validate_slice_update = late("endpoints", "validate_slice_update")
_validate_event = late("events", "validate_event")
_validate_newer_change = late("events", "validate_newer_change")
_validate_newer_event = late("events", "validate_newer_event")
_validate_ingress = late("ingresses", "validate_ingress")
_validate_new_ingress = late("ingresses", "validate_new_ingress")
_validate_lease = late("leases", "validate_lease")
_validate_network_policy = late("network_policies", "validate_network_policy")
_validate_quota = late("quotas", "validate_quota")
_validate_quota_change = late("quotas", "validate_quota_change")
_validate_quota_status = late("quotas", "validate_quota_status")
SERVICE_ACCOUNT = Kind("v1", "ServiceAccount", "serviceaccounts", True, "sa")
PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", False, "pc")
RUNTIME_CLASS = Kind("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", False)
# How containers of an image behave; `programs/profiles` reads it.
CONTAINER_PROFILE = Kind("podline.dev/v1alpha1", "ContainerProfile", "containerprofiles", False)
# A file of a node's, not an object of the API; one that is sent is stored.
KUBELET_CONFIGURATION = Kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration", "kubeletconfigurations")


def _of_role(check: Callable[[Json, bool], list[FieldError]], is_namespaced: bool) -> Check:
    return lambda data, gates: check(data, is_namespaced)


def _check_newer_event(old: Json | None, new: Json) -> list[FieldError]:
    """What events.k8s.io asks beside the core group, in which Events are stored."""
    found: list[FieldError] = _validate_newer_event(new) if old is None else _validate_newer_change(old, new)
    return found


_NEWER_EVENT = Form(
    show=show_newer_event, read=read_newer_event, fields=NEWER_EVENT_FIELDS, check=_check_newer_event
)
_OF_ROLES = (None, _validate_role, None, (CREATED_AT,), Form(show=show_role))
_OF_BINDINGS = (default_binding, _validate_binding, _validate_kept_role, BINDING_COLUMNS, Form())
# Something in the model reads these.
_READ = (
    KindEntry(
        kind=Kind("v1", "ConfigMap", "configmaps", True, "cm"),
        metadata_looks=2,
        default=default_config_map,
        validate=of_any(validate_config_map),
        validate_fixed=validate_kept_data,
        columns=CONFIG_MAP_COLUMNS,
    ),
    KindEntry(
        kind=Kind("v1", "Secret", "secrets"),
        metadata_looks=2,
        default=default_secret,
        validate=of_any(validate_secret),
        validate_fixed=validate_kept_secret,
        warn=_warn_of_certificate,
        columns=SECRET_COLUMNS,
        served=Served(form=Form(fields={"type": read_at("type")})),
    ),
    KindEntry(
        kind=PRIORITY_CLASS,
        default=default_priority_class,
        validate=of_any(_validate_priority_class),
        validate_update=lambda old, new, gates: _validate_kept_value(new, old),
        columns=PRIORITY_CLASS_COLUMNS,
    ),
    KindEntry(
        kind=RUNTIME_CLASS,
        validate=of_any(_validate_runtime_class),
        validate_update=lambda old, new, gates: _validate_kept_handler(new, old),
        columns=RUNTIME_CLASS_COLUMNS,
        served=Served(is_created_by_update=True, needs_version=True),
    ),
    KindEntry(
        kind=Kind("v1", "ResourceQuota", "resourcequotas", True, "quota"),
        validate_spec=of_any(_validate_quota),
        validate_update=lambda old, new, gates: _validate_quota_change(old, new),
        validate_status=_validate_quota_status,
        columns=QUOTA_COLUMNS,
        served=Served(parts=STATUS_ONLY, is_shown_when_deleted=True, form=Form(show=with_status)),
    ),
    KindEntry(
        kind=ENDPOINTS_KIND,
        metadata_looks=2,
        warning="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
        default=default_endpoints,
        validate=of_any(_validate_endpoints),
        columns=ENDPOINTS_COLUMNS,
        served=Served(
            is_created_by_update=True,
            registry_name="services/endpoints",
            form=Form(show=show_endpoints),
        ),
    ),
    KindEntry(
        kind=ENDPOINT_SLICE_KIND,
        default=default_endpoint_slice,
        validate=of_any(_validate_endpoint_slice),
        validate_update=lambda old, new, gates: _validate_slice_update(old, new),
        columns=SLICE_COLUMNS,
        served=Served(form=Form(show=show_slice)),
    ),
    KindEntry(
        kind=SERVICE_ACCOUNT,
        metadata_looks=2,
        columns=(AGE,),
        former_columns={34: FORMER_ACCOUNT_COLUMNS},
        served=Served(
            parts={"token": Subresource(("create",), "TokenRequest", "authentication.k8s.io", "v1")},
            is_shown_when_deleted=True,
        ),
    ),
    KindEntry(kind=CONTAINER_PROFILE),
    KindEntry(
        kind=ATTACHMENT_KIND,
        validate_new=lambda data: _validate_attachment(data.get("spec") or {}),
        columns=ATTACHMENT_COLUMNS,
        served=Served(
            parts=STATUS_ONLY,
            is_shown_when_deleted=True,
            needs_version=True,
            form=Form(show=partial(with_status, attached=False)),
        ),
    ),
    KindEntry(
        kind=LEASE_KIND,
        validate_spec=of_any(_validate_lease),
        columns=LEASE_COLUMNS,
        served=Served(is_created_by_update=True, needs_version=True),
    ),
)
_CHECKED = (
    KindEntry(
        kind=Kind("networking.k8s.io/v1", "Ingress", "ingresses", True, "ing"),
        metadata_looks=2,
        validate_new=_validate_new_ingress,
        warn=_warn_of_class,
        validate_spec=_validate_ingress,
        columns=INGRESS_COLUMNS,
        served=Served(
            parts=STATUS_ONLY, registry_name="ingress", form=Form(show=partial(with_status, loadBalancer={}))
        ),
    ),
    KindEntry(
        kind=Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", True, "netpol"),
        metadata_looks=2,
        is_passive=True,
        default_spec=default_network_policy,
        validate_spec=of_any(_validate_network_policy),
        columns=NETWORK_POLICY_COLUMNS,
    ),
    KindEntry(
        kind=Kind(
            "apiextensions.k8s.io/v1",
            DEFINITION,
            "customresourcedefinitions",
            False,
            "crd crds",
        ),
        default=default_definition,
        drops_status=True,
        validate_new=_validate_new_definition,
        validate_fixed=_validate_changed_definition,
        warn=_warn_of_rules,
        served=Served(parts=STATUS_ONLY, categories=EXTENSIONS, kept_as="v1beta1", needs_version=True),
    ),
    KindEntry(
        kind=Kind("v1", "PodTemplate", "podtemplates"),
        is_passive=True,
        default=default_pod_template,
        validate=validate_plain_template,
        columns=POD_TEMPLATE_COLUMNS,
        served=Served(is_shown_when_deleted=True),
    ),
    KindEntry(
        kind=Kind("v1", "Event", "events", True, "ev"),
        is_passive=True,
        validate=of_any(_validate_event),
        columns=EVENT_COLUMNS,
        served=Served(
            is_created_by_update=True,
            form=Form(show=show_core_event, fields=CORE_EVENT_FIELDS),
            also={("events.k8s.io", "v1"): _NEWER_EVENT},
        ),
    ),
    # Asked about clients and about programs in containers; components are denied nothing.
    *(
        KindEntry(
            kind=Kind(f"{RBAC_GROUP}/v1", name, f"{name.lower()}s", is_namespaced),
            is_passive=True,
            metadata_looks=2,
            check_name=check_path_name,
            default=default,
            validate=_of_role(validate, is_namespaced),
            validate_fixed=validate_fixed,
            columns=columns,
            served=Served(is_created_by_update=True, form=form),
        )
        for name, is_namespaced, default, validate, validate_fixed, columns, form in (
            ("Role", True, *_OF_ROLES),
            ("ClusterRole", False, *_OF_ROLES),
            ("RoleBinding", True, *_OF_BINDINGS),
            ("ClusterRoleBinding", False, *_OF_BINDINGS),
        )
    ),
    KindEntry(
        kind=KUBELET_CONFIGURATION,
        is_passive=True,
        validate=of_any(validate_kubelet_configuration),
        served=None,
    ),
)
PLAIN = (*_READ, *_CHECKED)
