"""Service, and the one of the API server, which that makes for itself."""

from __future__ import annotations

from typing import Any

from ..objects.kinds import Kind
from ..rules.defaults.others import default_service, keep_address
from ..rules.validation.names import check_label_1035
from ..rules.validation.services import validate_address_change, validate_service
from .entry import KindEntry

SERVICE = KindEntry(
    kind=Kind("v1", "Service", "services", True, "svc"),
    default=default_service,
    carry_over=keep_address,
    check_name=check_label_1035,
    validate_spec=lambda spec, gates: validate_service(spec),
    validate_change=validate_address_change,
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
"""It has the first address, and no selector: its endpoints, which are not modelled, are made by hand."""
