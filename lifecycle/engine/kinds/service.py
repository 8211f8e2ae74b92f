"""Service."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_service, keep_address
from ..rules.validation.names import check_label_1035
from ..rules.validation.others import validate_address_change, validate_service
from .entry import KindEntry

SERVICE = KindEntry(
    kind=Kind("v1", "Service", "services", True, "svc"),
    default=default_service,
    carry_over=keep_address,
    check_name=check_label_1035,
    validate_spec=lambda spec, gates: validate_service(spec),
    validate_change=validate_address_change,
)
