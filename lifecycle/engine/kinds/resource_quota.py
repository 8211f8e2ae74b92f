"""ResourceQuota."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.validation.quotas import validate_quota
from .entry import KindEntry

RESOURCE_QUOTA = KindEntry(
    kind=Kind("v1", "ResourceQuota", "resourcequotas", True, "quota"),
    validate_spec=lambda spec, gates: validate_quota(spec),
)
