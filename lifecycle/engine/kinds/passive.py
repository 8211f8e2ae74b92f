"""Kinds that are stored and shown, and that nothing in the model acts on or looks into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..objects.kinds import Kind
from ..objects.names import POLICY, POLICY_BINDING
from ..rules.columns.column import AGE, CREATED_AT, Columns
from ..rules.columns.network import (
    ADDRESS_COLUMNS,
    ADDRESS_RANGE_COLUMNS,
    INGRESS_CLASS_COLUMNS,
    LATER_INGRESS_CLASS_COLUMNS,
)
from ..rules.columns.others import RESOURCE_CLAIM_COLUMNS, RESOURCE_SLICE_COLUMNS
from ..rules.columns.policies import (
    API_SERVICE_COLUMNS,
    FLOW_SCHEMA_COLUMNS,
    MUTATING_POLICY_COLUMNS,
    POLICY_BINDING_COLUMNS,
    POLICY_COLUMNS,
    PRIORITY_LEVEL_COLUMNS,
    SIGNING_REQUEST_COLUMNS,
    WEBHOOK_COLUMNS,
)
from ..rules.columns.storage import ATTRIBUTES_CLASS_COLUMNS, DRIVER_COLUMNS, NODE_DRIVERS_COLUMNS
from ..rules.defaults.admission import (
    default_binding,
    default_mutating_webhooks,
    default_policy,
    default_validating_webhooks,
)
from ..rules.defaults.passive import (
    default_claim_template,
    default_device_claim,
    default_driver,
    default_service_port,
)
from ..rules.serving.conversions import show_drivers, with_status
from ..rules.serving.fields import read_at
from .entry import KindEntry, of_any
from .late_checks import late
from .served import AS_MOST, EXTENSIONS, STATUS, STATUS_ONLY, Form, Served, Subresource

_ADMISSION = "admissionregistration.k8s.io/v1"
_FLOW = "flowcontrol.apiserver.k8s.io/v1"
_EXTENSION = Served(categories=EXTENSIONS, needs_version=True)
_MUTATING = Served(categories=EXTENSIONS, needs_version=True, kept_as="v1beta1", kept_until=36)
_SHOWN_WITH_STATUS = Form(show=with_status)
_EXTENSION_WITH_STATUS = Served(
    parts=STATUS_ONLY, categories=EXTENSIONS, needs_version=True, form=_SHOWN_WITH_STATUS
)
_WITH_STATUS = Served(parts=STATUS_ONLY, form=_SHOWN_WITH_STATUS)
_DRIVER = Served(is_shown_when_deleted=True, needs_version=True)
_SLICES = Served(
    kept_as="v1beta2",
    kept_until=34,
    form=Form(fields={f"spec.{name}": read_at(f"spec.{name}") for name in ("nodeName", "driver")}),
)
_DEVICES = Served(kept_as="v1beta2", kept_until=34)
_SIGNING_REQUEST = Served(
    parts={"approval": Subresource(), "status": STATUS},
    form=Form(fields={"spec.signerName": read_at("spec.signerName")}),
)


_WEBHOOKS = (
    "webhooks are asked of what clients of the API write, where the operator of a server has allowed it"
)
_MUTATIONS = "what mutating policies make of objects is not modelled"
_NOT_ASKED = "is stored, and no write is held to it"


def _passive(
    kind: Kind, columns: Columns = (CREATED_AT,), served: Served = AS_MOST, **checks: Any
) -> KindEntry:
    return KindEntry(kind=kind, is_passive=True, columns=columns, served=served, **checks)


_validate_webhooks = of_any(late("webhooks", "validate_webhooks"))


def _warn_of_policy(data: Mapping[str, Any]) -> list[str]:
    from ..rules.policies.unasked import list_unasked

    return list_unasked(data)


def _admission(
    name: str, plural: str, columns: Columns, served: Served, why: str, first_minor: int = 0, **checks: Any
) -> KindEntry:
    """What would look at every write, and does not: whoever counts on that is told why."""
    return KindEntry(
        kind=Kind(_ADMISSION, name, plural, False),
        is_passive=True,
        columns=columns,
        served=served,
        first_minor=first_minor,
        **checks,
        warn=lambda data: [f"{name} {(data.get('metadata') or {}).get('name') or ''} {_NOT_ASKED}: {why}"],
    )


PASSIVE = (
    KindEntry(
        kind=Kind("networking.k8s.io/v1", "IngressClass", "ingressclasses", False),
        is_passive=True,
        validate_spec=of_any(late("ingresses", "validate_ingress_class")),
        columns=INGRESS_CLASS_COLUMNS,
        later_columns={36: LATER_INGRESS_CLASS_COLUMNS},
    ),
    _passive(
        Kind("apiregistration.k8s.io/v1", "APIService", "apiservices", False),
        API_SERVICE_COLUMNS,
        _EXTENSION_WITH_STATUS,
        default_spec=default_service_port,
    ),
    _admission(
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        WEBHOOK_COLUMNS,
        _EXTENSION,
        _WEBHOOKS,
        default=default_mutating_webhooks,
        validate=_validate_webhooks,
    ),
    _admission(
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        WEBHOOK_COLUMNS,
        _EXTENSION,
        _WEBHOOKS,
        default=default_validating_webhooks,
        validate=_validate_webhooks,
    ),
    KindEntry(
        kind=Kind(_ADMISSION, POLICY, "validatingadmissionpolicies", False),
        columns=POLICY_COLUMNS,
        default=default_policy,
        validate=of_any(late("admission", "validate_policy")),
        served=_EXTENSION_WITH_STATUS,
        warn=_warn_of_policy,
    ),
    KindEntry(
        kind=Kind(_ADMISSION, POLICY_BINDING, "validatingadmissionpolicybindings", False),
        columns=POLICY_BINDING_COLUMNS,
        default=default_binding,
        validate=of_any(late("admission", "validate_binding")),
        served=_EXTENSION,
    ),
    _admission(
        "MutatingAdmissionPolicy",
        "mutatingadmissionpolicies",
        MUTATING_POLICY_COLUMNS,
        _MUTATING,
        _MUTATIONS,
        first_minor=36,
    ),
    _admission(
        "MutatingAdmissionPolicyBinding",
        "mutatingadmissionpolicybindings",
        POLICY_BINDING_COLUMNS,
        _MUTATING,
        _MUTATIONS,
        first_minor=36,
    ),
    _passive(
        Kind(
            "certificates.k8s.io/v1", "CertificateSigningRequest", "certificatesigningrequests", False, "csr"
        ),
        SIGNING_REQUEST_COLUMNS,
        _SIGNING_REQUEST,
    ),
    _passive(Kind("networking.k8s.io/v1", "IPAddress", "ipaddresses", False, "ip"), ADDRESS_COLUMNS),
    _passive(
        Kind("networking.k8s.io/v1", "ServiceCIDR", "servicecidrs", False),
        ADDRESS_RANGE_COLUMNS,
        _WITH_STATUS,
    ),
    _passive(
        Kind("storage.k8s.io/v1", "CSIDriver", "csidrivers", False),
        DRIVER_COLUMNS,
        _DRIVER,
        default_spec=default_driver,
        validate_spec=of_any(late("drivers", "validate_driver")),
    ),
    _passive(
        Kind("storage.k8s.io/v1", "CSINode", "csinodes", False),
        NODE_DRIVERS_COLUMNS,
        Served(is_shown_when_deleted=True, needs_version=True, form=Form(show=show_drivers)),
        validate_spec=of_any(late("drivers", "validate_node_drivers")),
    ),
    _passive(
        Kind("storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities"),
        served=Served(needs_version=True),
        validate=of_any(late("drivers", "validate_capacity")),
    ),
    _passive(
        Kind("storage.k8s.io/v1", "VolumeAttributesClass", "volumeattributesclasses", False, "vac"),
        ATTRIBUTES_CLASS_COLUMNS,
        Served(is_shown_when_deleted=True, kept_as="v1beta1", kept_until=35),
        validate=of_any(late("drivers", "validate_attributes_class")),
    ),
    _passive(Kind("resource.k8s.io/v1", "DeviceClass", "deviceclasses", False), (AGE,), _DEVICES),
    _passive(
        Kind("resource.k8s.io/v1", "ResourceClaim", "resourceclaims"),
        RESOURCE_CLAIM_COLUMNS,
        Served(
            parts=STATUS_ONLY,
            kept_as=_DEVICES.kept_as,
            kept_until=_DEVICES.kept_until,
            form=_SHOWN_WITH_STATUS,
        ),
        default_spec=default_device_claim,
    ),
    _passive(
        Kind("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates"),
        (AGE,),
        _DEVICES,
        default_spec=default_claim_template,
    ),
    _passive(
        Kind("resource.k8s.io/v1", "ResourceSlice", "resourceslices", False), RESOURCE_SLICE_COLUMNS, _SLICES
    ),
    _passive(Kind(_FLOW, "FlowSchema", "flowschemas", False), FLOW_SCHEMA_COLUMNS, _WITH_STATUS),
    _passive(
        Kind(_FLOW, "PriorityLevelConfiguration", "prioritylevelconfigurations", False),
        PRIORITY_LEVEL_COLUMNS,
        _WITH_STATUS,
    ),
)
