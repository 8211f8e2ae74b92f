"""PersistentVolume."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_volume
from .entry import KindEntry

PERSISTENT_VOLUME = KindEntry(
    kind=Kind("v1", "PersistentVolume", "persistentvolumes", False, "pv"),
    default=default_volume,
)
