"""ReplicationControllers: an older form of ReplicaSets, of a selector that is a plain map of labels."""

from __future__ import annotations

from typing import Any

from ..kinds import Kind
from ..selector import Selector
from .replica_set import ReplicaSet, ReplicaSetSpec

REPLICATION_CONTROLLER_KIND = Kind("v1", "ReplicationController", "replicationcontrollers", True, "rc")


class ReplicationControllerSpec(ReplicaSetSpec):
    """How many pods of which template. `raw` is the stored JSON."""

    __slots__ = ()

    def __init__(self, raw: dict[str, Any]) -> None:
        super().__init__(raw, Selector.of_labels(raw.get("selector")))


class ReplicationController(ReplicaSet):
    """A ReplicationController, typed."""

    __slots__ = ()
    KIND = REPLICATION_CONTROLLER_KIND.name
    SPEC = ReplicationControllerSpec
