"""PriorityClass."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_priority_class
from .entry import KindEntry

PRIORITY_CLASS = KindEntry(
    kind=Kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", False, "pc"),
    default=default_priority_class,
)
