"""A pod's `state` at every instant, from the facts its transitions carry.

The stored summary says only the latest state; a timeline needs all of them, in order. What a state is,
`lifecycle.engine.columns` decides here too: the facts look like a pod to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from lifecycle.engine.objects.pod import Pod
from lifecycle.engine.rules.columns import decide_state

Row = Mapping[str, Any]

PLAIN_FIELDS = ("exists", "node", "deletion", "phase", "ready", "reason", "status", "condition.Ready")


def is_told(field: str) -> bool:
    """Whether a transition of this field may change a pod's state, or what is said about it."""
    return field in PLAIN_FIELDS or (field.startswith("container.") and field.endswith(".state"))


class _State(NamedTuple):
    type: str | None
    reason: str | None


class _Container(NamedTuple):
    state: _State


class _Condition(NamedTuple):
    type: str
    status: str


class Facts:
    """What is known of a pod after some transitions, shaped like a pod as far as `decide_state` reads it."""

    def __init__(self) -> None:
        self.phase = "Pending"
        self.reason = ""
        self.node_name = ""
        self.deletion_ms: int | None = None
        self.conditions: tuple[_Condition, ...] = ()
        self.by_container: dict[str, _Container] = {}
        self.status_text = ""
        self.ready_text = ""
        self.said = ""

    def feed(self, row: Row) -> None:
        """Take the pod's next transition."""
        match row["field"].split("."):
            case ["phase"]:
                self.phase = row["new"] or "Pending"
            case ["reason"]:
                self.reason = row["new"] or ""
            case ["node"]:
                self.node_name = row["new"] or ""
            case ["deletion"]:
                self.deletion_ms = row["at_ms"]
            case ["condition", "Ready"]:
                self.conditions = (_Condition("Ready", row["new"]),)
            case ["container", *name, "state"]:
                self.by_container[".".join(name)] = _Container(_State(row["new"], row["reason"]))
            case ["status"]:
                self.status_text = row["new"] or ""
            case ["ready"]:
                self.ready_text = row["new"] or ""
        self.said = ": ".join(part for part in (row["reason"], row["message"]) if part) or self.said

    @property
    def state(self) -> str:
        """One of `columns.STATES`."""
        return decide_state(cast(Pod, self))

    @property
    def status(self) -> Facts:
        return self

    @property
    def meta(self) -> Facts:
        return self

    @property
    def containers(self) -> tuple[_Container, ...]:
        return tuple(self.by_container.values())

    @property
    def init_containers(self) -> tuple[_Container, ...]:
        """They are among `containers`: a state does not depend on which."""
        return ()

    def notes(self) -> tuple[str, ...]:
        """What a hover label adds to the state's name."""
        columns = [("STATUS", self.status_text), ("READY", self.ready_text)]
        lines = [
            " · ".join(f"{name} {value}" for name, value in columns if value),
            f"on {self.node_name}" if self.node_name else "",
            self.said,
        ]
        return tuple(line for line in lines if line)
