"""Leases: how long one is held, and how often it changed hands."""

from __future__ import annotations

from .words.part import Part, gathers


@gathers("spec")
def validate_lease(spec: Part) -> None:
    """Everything a lease says."""
    seconds, changes = spec["leaseDurationSeconds"], spec["leaseTransitions"]
    if seconds is not None and seconds <= 0:
        spec.refuse("leaseDurationSeconds", "must be greater than 0")
    if changes is not None and changes < 0:
        spec.refuse("leaseTransitions", "must be greater than or equal to 0")
