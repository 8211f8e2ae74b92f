"""Claims, volumes and classes of storage."""

from __future__ import annotations

from ..objects.storage import CLAIM_KIND, CLASS_KIND, VOLUME_KIND
from ..rules.columns.storage import CLAIM_COLUMNS, CLASS_COLUMNS, VOLUME_COLUMNS
from ..rules.defaults.others import default_claim, default_storage_class, default_volume
from .entry import KindEntry, of_any
from .late_checks import late
from .served import STATUS_ONLY, Served

_validate_claim = late("claims", "validate_claim")
_validate_claim_change = late("claims", "validate_claim_change")
_validate_claim_status = late("claims", "validate_claim_status")
_validate_class_change = late("storage", "validate_class_change")
_validate_storage_class = late("storage", "validate_storage_class")
_validate_volume = late("storage", "validate_volume")
_validate_volume_change = late("storage", "validate_volume_change")
_SERVED = Served(parts=STATUS_ONLY, is_shown_when_deleted=True)
STORAGE = (
    KindEntry(
        kind=VOLUME_KIND,
        metadata_looks=2,
        default=default_volume,
        drops_status=True,
        validate_spec=lambda spec, gates: _validate_volume(spec),
        validate_update=lambda old, new, gates: _validate_volume_change(old, new),
        status_rows=("phase",),
        columns=VOLUME_COLUMNS,
        served=_SERVED,
        summarize=lambda obj: {"phase": (obj.status or {}).get("phase")},
    ),
    KindEntry(
        kind=CLAIM_KIND,
        metadata_looks=2,
        default=default_claim,
        drops_status=True,
        validate_spec=lambda spec, gates: _validate_claim(spec),
        validate_update=lambda old, new, gates: _validate_claim_change(old, new),
        validate_status=lambda old, new, gates: _validate_claim_status(new),
        status_rows=("phase",),
        columns=CLAIM_COLUMNS,
        served=_SERVED,
        summarize=lambda obj: {"phase": (obj.status or {}).get("phase")},
    ),
    KindEntry(
        kind=CLASS_KIND,
        metadata_looks=2,
        default=default_storage_class,
        validate=of_any(_validate_storage_class),
        validate_update=lambda old, new, gates: _validate_class_change(old, new),
        columns=CLASS_COLUMNS,
        served=Served(is_shown_when_deleted=True),
    ),
)
