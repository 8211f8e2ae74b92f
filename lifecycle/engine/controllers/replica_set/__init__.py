"""The ReplicaSet controller: as many active pods of a template as asked for, no more and no fewer.

Modelled: adoption and release, creation in slow-start batches, ranked deletion, bursts of 500, status and
the ReplicaFailure condition. Kubernetes' expectations guard against a stale cache of its own writes; here
a write is seen by the next read, so there is nothing to expect.
"""

from .observe import ReplicaSetController

__all__ = ["ReplicaSetController"]
