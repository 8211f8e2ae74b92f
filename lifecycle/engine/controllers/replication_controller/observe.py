"""What the decision of a ReplicationController needs is what that of a ReplicaSet does."""

from __future__ import annotations

from ...objects.workloads.replication_controller import ReplicationController
from ..replica_set import ReplicaSetController


class ReplicationControllerController(ReplicaSetController):
    """Keys are ReplicationControllers. Their status does not tell of pods that terminate."""

    name, kind, source = "replicationcontroller", "ReplicationController", "replication-controller"
    owner_class = ReplicationController
    tells_terminating = False
