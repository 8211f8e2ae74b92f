"""Nodes: what the scheduler and the kubelet read of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from .condition import Condition, read_conditions
from .kinds import Kind
from .meta import StoredObject
from .pods.container import read_resources
from .record import Record

NODE_KIND = Kind("v1", "Node", "nodes", False, "no")


@dataclass(slots=True, eq=False)
class Taint(Record):
    """One taint of a node."""

    key: str
    value: str = ""
    effect: str = ""


class NodeSpec(Record):
    """A node's spec; `raw` is the stored JSON."""

    __slots__ = ("pod_cidr", "raw", "taints", "unschedulable")

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.unschedulable = bool(raw.get("unschedulable"))
        self.pod_cidr: str = raw.get("podCIDR") or ""
        self.taints = tuple(
            Taint(entry.get("key", ""), entry.get("value") or "", entry.get("effect", ""))
            for entry in raw.get("taints") or ()
        )


class NodeStatus(Record):
    """A node's status. Amounts: CPU in milli, all else in whole units; `raw` keeps what is not read."""

    __slots__ = ("allocatable", "conditions", "raw")

    def __init__(self, raw: dict[str, Any], conditions: tuple[Condition, ...]) -> None:
        self.raw = raw
        self.conditions = conditions
        self.allocatable = read_resources(raw.get("allocatable") or raw.get("capacity"))


class Node(StoredObject):
    """A node."""

    __slots__ = ()
    KIND = NODE_KIND.name
    spec: NodeSpec
    status: NodeStatus

    @classmethod
    def _read_spec(cls, data: Mapping[str, Any], epoch_ms: int) -> NodeSpec:
        return NodeSpec(dict(data.get("spec") or {}))

    @classmethod
    def _read_status(cls, data: Any, epoch_ms: int) -> NodeStatus:
        raw = dict(data or {})
        return NodeStatus(raw, read_conditions(raw.pop("conditions", None), epoch_ms))

    def spec_json(self, epoch_ms: int = 0) -> Any:
        """The API form of the spec."""
        return self.spec.raw

    def status_json(self, epoch_ms: int = 0) -> Any:
        """The API form of the status."""
        conditions = [condition.to_json(epoch_ms) for condition in self.status.conditions]
        return {**self.status.raw, "conditions": conditions}


def find_kubelet_version(node: StoredObject | None) -> str:
    """What a Node says of its kubelet; "" where it says nothing."""
    info = node.status.raw.get("nodeInfo") if isinstance(node, Node) else None
    return str((info or {}).get("kubeletVersion") or "")
