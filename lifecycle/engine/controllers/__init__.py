"""Controllers: each observes, decides purely, and has its decision acted on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..api.context import Context
from ..rules.actions import Action
from .deployment import DeploymentController
from .endpoints import EndpointSliceController
from .garbage import GarbageCollector
from .node_taints import NodeTaintController
from .quota import QuotaController
from .replica_set import ReplicaSetController
from .tally import Tally


class Controller(Protocol):
    """What every controller has. It registers itself with the loop and the store when it is made."""

    name: str

    def restore(self) -> None:
        """Build what is derived from the store again, after a cluster was loaded."""


def make_controllers(context: Context, act: Callable[[Action], None]) -> list[Controller]:
    """All controllers of a cluster. `act` does one action and raises ApiError when it is refused."""
    tally = Tally("ReplicaSet")
    # The ReplicaSet controller comes first: it keeps the tally that the others read.
    return [
        ReplicaSetController(context, act, tally),
        DeploymentController(context, act, tally),
        GarbageCollector(context, act),
        EndpointSliceController(context, act),
        NodeTaintController(context, act),
        QuotaController(context, act),
    ]


__all__ = ["Controller", "make_controllers"]
