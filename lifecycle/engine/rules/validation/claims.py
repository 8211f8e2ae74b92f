"""Claims of storage: how they are used, how much, of which class."""

from __future__ import annotations

from .names import check_subdomain
from .part import Part, gathers
from .resources import check_quantity
from .selectors import validate_selector

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_ALONE = "ReadWriteOncePod"


def validate_claim_spec(spec: Part) -> None:
    """What a PersistentVolumeClaim asks for, or one that a StatefulSet makes."""
    spec.need("accessModes", "at least 1 access mode is required")
    spec.apply("selector", validate_selector)
    check_access_modes(spec)
    requests = spec.part("resources").part("requests")
    if "storage" in requests.data:
        spec.errors += check_quantity(spec.at("resources[storage]"), requests["storage"], is_positive=True)
    else:
        spec.require("resources[storage]")
    spec.text("storageClassName", check_subdomain)
    spec.choice("volumeMode", VOLUME_MODES)
    for field in spec.list_given(("dataSource", "dataSourceRef")):
        _validate_source(spec.part(field))


validate_claim = gathers("spec")(validate_claim_spec)


def check_access_modes(spec: Part) -> None:
    """Modes there are; the one for a single pod stands alone."""
    modes = spec["accessModes"] or ()
    for mode in modes:
        spec.support("accessModes", ACCESS_MODES, mode)
    if _ALONE in modes and any(mode in ACCESS_MODES and mode != _ALONE for mode in modes):
        spec.forbid("accessModes", f"may not use {_ALONE} with other access modes")


def _validate_source(source: Part) -> None:
    """What a volume is filled from."""
    source.need("name")
    source.need("kind")
    if source["apiGroup"]:
        source.text("apiGroup", check_subdomain)
    elif source["kind"] != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        source.refuse("", detail, source["kind"] or "")
