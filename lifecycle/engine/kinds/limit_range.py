"""LimitRange."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_limit_range
from .entry import KindEntry
from .late_checks import late
from .served import Served

_validate_limit_range = late("limit_ranges", "validate_limit_range")
LIMIT_RANGE = KindEntry(
    kind=Kind("v1", "LimitRange", "limitranges", True, "limits"),
    default=default_limit_range,
    validate_spec=lambda spec, gates: _validate_limit_range(spec),
    served=Served(is_created_by_update=True),
)
