"""What is remembered of drains that go on, as plain data in a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field, fields

from ..heart.agenda import Cause
from ..heart.saved import list_of, map_of, part_of
from ..rules.nodes.drains import DrainOptions


@dataclass(slots=True)
class PodDrain:
    """One pod of a drain: still to be evicted, refused for now by its `budgets`, or leaving.

    `since_ms`: when it was answered last. `due_ms`: when its `timer` is due.
    """

    namespace: str
    name: str
    uid: str
    is_refused: bool = False
    is_leaving: bool = False
    budgets: str = ""
    since_ms: int = 0
    due_ms: int = 0
    timer: int | None = None


@dataclass(slots=True)
class NodeDrain:
    """One drain: its node and those that come after it, its flags, its pods by `namespace/name`.

    `command`: whose it is. `said` and `reason`: what the node's row says of it. `cause`: that row.
    """

    id: str
    command: str
    node: str
    rest: list[str]
    options: dict[str, Any]
    pod_selector: str
    uncordon_after_ms: int | None = None
    upgrade: str = ""
    """The release of the kubelet that a node gets as soon as it is drained, if it is to get one."""
    started_ms: int = 0
    deadline_ms: int | None = None
    pods: dict[str, PodDrain] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    timer: int | None = None
    said: str | None = None
    reason: str | None = None
    cause: Cause = None

    def read_options(self) -> DrainOptions:
        """Its flags."""
        return DrainOptions(**self.options)


def read_drains(saved: Any) -> tuple[int, list[NodeDrain]]:
    """How many drains there were, and those that go on. What cannot be read has ended."""
    count = part_of(saved, "count")
    found = [_read(one) for one in list_of(saved, "running") if isinstance(one, Mapping)]
    return (count if isinstance(count, int) else 0), [one for one in found if one is not None]


def _read(saved: Mapping[str, Any]) -> NodeDrain | None:
    try:
        pods = {key: PodDrain(**_known(PodDrain, one)) for key, one in map_of(saved, "pods").items()}
        drain = NodeDrain(**{**_known(NodeDrain, saved), "pods": pods})
        drain.read_options()
    except TypeError:
        return None
    return drain


def _known(kind: type[Any], saved: Mapping[str, Any]) -> dict[str, Any]:
    names = fields(kind)
    return {name: value for name, value in saved.items() if name in names}
