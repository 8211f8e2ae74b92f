"""Secret."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_secret
from ..rules.validation.others import validate_config
from .entry import KindEntry

SECRET = KindEntry(
    kind=Kind("v1", "Secret", "secrets"),
    default=default_secret,
    validate=lambda data, gates: validate_config(data, ("data", "stringData")),
)
