"""The tables of Kubernetes v1.36."""

from __future__ import annotations

from ...differences import apply_differences
from ..v1_35 import TABLES as BASE
from .differences import DIFFERENCES

TABLES = apply_differences(BASE, DIFFERENCES)
