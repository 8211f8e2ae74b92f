"""ControllerRevision."""

from __future__ import annotations

from ..objects.workloads.controller_revision import CONTROLLER_REVISION_KIND, ControllerRevision
from ..rules.columns.workloads import CONTROLLER_REVISION_COLUMNS
from .entry import KindEntry
from .late_checks import late

CONTROLLER_REVISION = KindEntry(
    kind=CONTROLLER_REVISION_KIND,
    metadata_looks=2,
    typed=ControllerRevision,
    validate=late("workloads.revisions", "validate_revision"),
    validate_update=late("workloads.revisions", "validate_revision_update"),
    columns=CONTROLLER_REVISION_COLUMNS,
)
