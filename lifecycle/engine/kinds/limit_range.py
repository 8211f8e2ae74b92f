"""LimitRange."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_limit_range
from ..rules.validation.limit_ranges import validate_limit_range
from .entry import KindEntry
from .served import Served

LIMIT_RANGE = KindEntry(
    kind=Kind("v1", "LimitRange", "limitranges", True, "limits"),
    default=default_limit_range,
    validate_spec=lambda spec, gates: validate_limit_range(spec),
    served=Served(is_created_by_update=True),
)
