"""PersistentVolumeClaim."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_claim
from .entry import KindEntry

PERSISTENT_VOLUME_CLAIM = KindEntry(
    kind=Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims", True, "pvc"),
    default=default_claim,
)
