"""What two releases do otherwise, as single gates and switches that can be set back one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.releases.release import MODELLED
from lifecycle.engine.releases.switches import SWITCHES, Change
from lifecycle.engine.releases.tables.gate_changes import find_gate_change
from lifecycle.lean_tuples import NamedTuple

GATE, SWITCH = "gate", "switch"


class Lever(NamedTuple):
    """One gate or switch that two releases have otherwise. `is_on`: how the older one has it."""

    kind: str
    name: str
    is_on: bool

    @property
    def change(self) -> Change:
        """What it stands for."""
        return SWITCHES[self.name] if self.kind == SWITCH else find_gate_change(self.name)


def list_levers(older: Settings, newer: Settings) -> list[Lever]:
    """What differs between the settings of one input under two releases, gates first.

    A gate that turns a switch is told by the switch.
    """
    turned = {change.gate for change in SWITCHES.values()}
    gates = sorted(MODELLED - turned)
    found = [Lever(GATE, one, older.feature_gates[one]) for one in gates if _differs(one, older, newer)]
    switches = sorted(one for one in SWITCHES if older.switches[one] is not newer.switches[one])
    return found + [Lever(SWITCH, one, older.switches[one]) for one in switches]


def _differs(gate: str, older: Settings, newer: Settings) -> bool:
    return older.feature_gates[gate] is not newer.feature_gates[gate]


def split_levers(levers: Iterable[Lever]) -> tuple[dict[str, bool], dict[str, bool]]:
    """Gates and switches, as the older release has them."""
    gates, switches = dict[str, bool](), dict[str, bool]()
    for one in levers:
        (gates if one.kind == GATE else switches)[one.name] = one.is_on
    return gates, switches


def tell_levers(levers: Sequence[Lever]) -> list[str]:
    """A line for each: who does what since when, and where that was changed."""
    lines = []
    for one in levers:
        change = one.change
        until = "no more: " if one.is_on else ""
        name = f"feature gate {one.name}" if one.kind == GATE else f"switch {one.name}"
        lines.append(f"{change.component}, {until}{change.says} [{name}; {change.upstream}]")
    return lines
