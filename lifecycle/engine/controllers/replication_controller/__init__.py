"""The ReplicationController controller: in all but names a ReplicaSet's, as in Kubernetes."""

from .observe import ReplicationControllerController

__all__ = ["ReplicationControllerController"]
