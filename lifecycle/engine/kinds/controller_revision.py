"""ControllerRevision."""

from __future__ import annotations

from ..objects.workloads.controller_revision import CONTROLLER_REVISION_KIND, ControllerRevision
from ..rules.columns.workloads import CONTROLLER_REVISION_COLUMNS
from ..rules.validation.workloads.revisions import validate_revision, validate_revision_update
from .entry import KindEntry

CONTROLLER_REVISION = KindEntry(
    kind=CONTROLLER_REVISION_KIND,
    metadata_looks=2,
    typed=ControllerRevision,
    validate=validate_revision,
    validate_update=validate_revision_update,
    columns=CONTROLLER_REVISION_COLUMNS,
)
