"""What happens to machines unasked: presets of trouble with a node, each the command that brings it about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lifecycle.engine.kubelet.faults import NODE_FAULTS

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Preset:
    """One preset. `fault`: the kind of the fault, "" for a node that is removed; `lasts`: "" for good."""

    name: str
    label: str
    fault: str = ""
    lasts: str = ""

    def command(self, node: str, lasts: str) -> tuple[str, Json]:
        """The command; `lasts` takes the place of its own time, if it is given and takes any."""
        if not self.fault:
            return "remove", {"node": node}
        time = lasts or self.lasts
        return "fault", {"node": node, "kind": self.fault} | ({"for": time} if time else {})


INVOLUNTARY = (
    Preset("hardware", "The machine's hardware fails for good", "crash"),
    Preset("deleted", "The machine is deleted by mistake"),
    Preset("vanished", "The cloud or the hypervisor loses the machine for 10 minutes", "crash", "10m"),
    Preset("panic", "The kernel panics, and the machine starts again", "reboot"),
    Preset("cut-off", "The node is cut off from the network for 10 minutes", "partition", "10m"),
    Preset("exhausted", "The node runs out of memory for 5 minutes", "pressure", "5m"),
)
"""The involuntary disruptions that the documentation of Kubernetes names."""
_SINGLE = {
    "crash": "The machine loses its power",
    "kubeletDown": "The kubelet stops",
    "kubeletRestart": "The kubelet is restarted",
    "partition": "The node is cut off from the network",
    "pressure": "Memory runs short",
    "pressure(memory)": "Memory runs short",
    "pressure(disk)": "The disk is nearly full",
    "pressure(pid)": "Process numbers run out",
    "reboot": "The machine starts again",
    "sandboxFailure": "Pod sandboxes cannot be made",
    "shutdown": "The machine shuts down in order",
}
"""The kinds of faults in words."""
CHOICES = [
    ("Involuntary disruptions", [(one.name, one.label) for one in INVOLUNTARY]),
    ("Single faults", [(name, f"{_SINGLE.get(name, name)} ({name})") for name in NODE_FAULTS]),
]
"""All trouble there is for a node, as a form offers it."""


def read_trouble(name: str, node: str, lasts: str) -> tuple[str, Json]:
    """The command for a choice."""
    found = next((one for one in INVOLUNTARY if one.name == name), None)
    return (found or Preset(name, name, name)).command(node, lasts)
