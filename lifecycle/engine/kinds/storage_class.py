"""StorageClass."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_storage_class
from .entry import KindEntry

STORAGE_CLASS = KindEntry(
    kind=Kind("storage.k8s.io/v1", "StorageClass", "storageclasses", False, "sc"),
    default=default_storage_class,
)
