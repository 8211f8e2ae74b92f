"""ConfigMap."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.validation.others import validate_config
from .entry import KindEntry

CONFIG_MAP = KindEntry(
    kind=Kind("v1", "ConfigMap", "configmaps", True, "cm"),
    validate=lambda data, gates: validate_config(data, ("data", "binaryData")),
)
