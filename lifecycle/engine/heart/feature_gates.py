"""What is wrong with the gates and switches that a cluster is given."""

from __future__ import annotations

from ..objects.shortened import shorten
from ..releases.known import DEFAULT_RELEASE
from ..releases.release import MODELLED, Release
from ..releases.switches import SWITCHES

FEATURE_DEFAULTS = DEFAULT_RELEASE.defaults
"""Every gate as the release sets it that a cluster is of by itself."""


def find_gate_problem(release: Release, gate: str, value: object) -> str | None:
    """What is wrong with setting a gate so; None when it is acted on, or is as it is anyway."""
    from difflib import get_close_matches

    default = release.defaults.get(gate)
    if default is None or gate not in release.gates:
        near = get_close_matches(gate, [*sorted(MODELLED & release.gates.keys()), *release.gates], 1)
        suggestion = f"; did you mean {near[0]}?" if near else ""
        return f"unrecognized feature gate {shorten(gate)}{suggestion}"
    if not isinstance(value, bool):
        return f"feature gate {gate}: {shorten(value)} is neither true nor false"
    if gate in MODELLED or value is default:
        return None
    given, left = str(value).lower(), str(default).lower()
    if release.gates[gate].is_locked:
        return f"cannot set feature gate {gate} to {given}, feature is locked to {left}"
    return f"feature gate {gate} is not modelled; leave it at {left}, its default"


def find_switch_problem(name: str, value: object) -> str | None:
    """What is wrong with setting a switch so; None when it can be."""
    if name not in SWITCHES:
        return f"unknown switch {shorten(name)}; there are {', '.join(SWITCHES)}"
    return None if isinstance(value, bool) else f"switch {name}: {shorten(value)} is neither true nor false"
