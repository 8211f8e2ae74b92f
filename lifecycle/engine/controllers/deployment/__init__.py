"""The Deployment controller: ReplicaSets of successive templates, moved at a bounded rate.

Modelled: rolling update and Recreate, proportional scaling, revisions and their history, pause, progress
deadline, cleanup, hash collisions: all of `apps/v1`. The old in-object rollback of `extensions/v1beta1` is
done by the client (`revisions.decide_undo`), as kubectl does it today.
"""

from .observe import DeploymentController

__all__ = ["DeploymentController"]
