"""Service, and the one of the API server, which that makes for itself."""

from __future__ import annotations

from typing import Any

from ..objects.kinds import Kind
from ..rules.columns.services import SERVICE_COLUMNS
from ..rules.defaults.services import default_service, keep_given
from ..rules.network.services import SERVICE_NAME_LABEL
from ..rules.serving.fields import read_at
from ..rules.validation.service_warnings import list_service_warnings
from ..rules.validation.services import (
    validate_service,
    validate_service_change,
    validate_service_status,
)
from ..rules.validation.words.names import check_service_name
from .entry import KindEntry
from .served import ALL, PROXY, STATUS, Form, Served, Subresource

SERVICE = KindEntry(
    kind=Kind("v1", "Service", "services", True, "svc"),
    default=default_service,
    carry_over=keep_given,
    check_gated_name=check_service_name,
    validate_spec=lambda spec, gates: validate_service(spec),
    validate_change=validate_service_change,
    validate_status=validate_service_status,
    warn=list_service_warnings,
    columns=SERVICE_COLUMNS,
    served=Served(
        parts={"proxy": Subresource(PROXY, "ServiceProxyOptions"), "status": STATUS},
        categories=ALL,
        registry_name="services/specs",
        is_shown_when_deleted=True,
        is_created_by_update=True,
        form=Form(fields={"spec.clusterIP": read_at("spec.clusterIP"), "spec.type": read_at("spec.type")}),
    ),
)

API_SERVER_KEY = ("default", "kubernetes")
API_SERVER: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {
        "namespace": API_SERVER_KEY[0],
        "name": API_SERVER_KEY[1],
        "labels": {"component": "apiserver", "provider": "kubernetes"},
    },
    "spec": {
        "clusterIP": "10.96.0.1",
        "clusterIPs": ["10.96.0.1"],
        "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
    },
}
"""It has the first address, and no selector: its endpoints are written by the API server itself."""
API_SERVER_ADDRESS = "10.63.0.1"
"""Where it listens: neither a node nor a pod has this address."""
_ITS_PORT = {"name": "https", "port": 6443, "protocol": "TCP"}
API_SERVER_ENDPOINTS: tuple[dict[str, Any], ...] = (
    {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {
            "namespace": API_SERVER_KEY[0],
            "name": API_SERVER_KEY[1],
            "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"},
        },
        "subsets": [{"addresses": [{"ip": API_SERVER_ADDRESS}], "ports": [_ITS_PORT]}],
    },
    {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "namespace": API_SERVER_KEY[0],
            "name": API_SERVER_KEY[1],
            "labels": {SERVICE_NAME_LABEL: API_SERVER_KEY[1]},
        },
        "addressType": "IPv4",
        "endpoints": [{"addresses": [API_SERVER_ADDRESS], "conditions": {"ready": True}}],
        "ports": [_ITS_PORT],
    },
)
