"""Controllers: each observes, decides purely, and has its decision acted on."""

from __future__ import annotations

from typing import Protocol

from ..api.context import Context
from ..objects.meta import StoredObject
from .act import Act
from .cron_job import CronJobController
from .deployment import DeploymentController
from .endpoints import EndpointSliceController
from .garbage import GarbageCollector
from .job import JobController, JobPodReleaser
from .namespaces import NamespaceController
from .node_taints import NodeTaintController
from .owner.pods import PodOwners
from .quota import QuotaController
from .replica_set import ReplicaSetController
from .replication_controller import ReplicationControllerController
from .ttl_after_finished import TtlAfterFinishedController


class Controller(Protocol):
    """What every controller has. It registers itself with the loop and the store when it is made."""

    name: str
    source: str
    """How the loop calls it, and how its events do."""

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The object that a key of its is about, if it is there."""

    def restore(self) -> None:
        """Build what is derived from the store again, after a cluster was loaded."""


def make_controllers(context: Context, act: Act) -> list[Controller]:
    """All controllers of a cluster."""
    # They follow the pods first: the controllers read their tally.
    pods = PodOwners(context.store)
    return [
        ReplicaSetController(context, act, pods),
        ReplicationControllerController(context, act, pods),
        DeploymentController(context, act, pods.tally),
        JobController(context, act, pods),
        JobPodReleaser(context, act),
        CronJobController(context, act),
        TtlAfterFinishedController(context, act),
        GarbageCollector(context, act),
        EndpointSliceController(context, act),
        NamespaceController(context, act),
        NodeTaintController(context, act),
        QuotaController(context, act),
    ]


__all__ = ["Controller", "make_controllers"]
