"""Kinds of which there is nothing to say but their names."""

from __future__ import annotations

from ..objects.endpoint_slice import ENDPOINT_SLICE_KIND
from ..objects.kinds import Kind
from .entry import KindEntry

ENDPOINTS = Kind("v1", "Endpoints", "endpoints", True, "ep")
SERVICE_ACCOUNT = Kind("v1", "ServiceAccount", "serviceaccounts", True, "sa")
CONTROLLER_REVISION = Kind("apps/v1", "ControllerRevision", "controllerrevisions")

_PASSIVE = (
    Kind("v1", "PodTemplate", "podtemplates"),
    Kind("v1", "Event", "events", True, "ev"),
    Kind("networking.k8s.io/v1", "Ingress", "ingresses", True, "ing"),
    Kind("networking.k8s.io/v1", "IngressClass", "ingressclasses", False),
    Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", True, "netpol"),
    Kind("coordination.k8s.io/v1", "Lease", "leases"),
    Kind("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", False),
)

PLAIN = (
    *(KindEntry(kind=kind) for kind in (ENDPOINTS, SERVICE_ACCOUNT, CONTROLLER_REVISION)),
    KindEntry(kind=ENDPOINT_SLICE_KIND),
    *(KindEntry(kind=kind, is_passive=True) for kind in _PASSIVE),
)
