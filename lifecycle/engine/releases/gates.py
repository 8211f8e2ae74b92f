"""Feature gates: whether one is on."""

from __future__ import annotations

from collections.abc import Mapping

from .known import DEFAULT_RELEASE


def is_enabled(gates: Mapping[str, bool], gate: str) -> bool:
    """Whether a gate is on: as given, else as the default release sets it. An unknown gate is a bug."""
    given = gates.get(gate)
    return DEFAULT_RELEASE.defaults[gate] if given is None else given
