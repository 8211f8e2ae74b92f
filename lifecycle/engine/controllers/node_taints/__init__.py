"""Taints that follow a node's conditions, so that the scheduler sends no pods where they cannot cope.

Models the part of the node lifecycle controller that taints nodes by condition, for pressures and a missing
network. Left out: taints of nodes that are not ready, which come with evictions, and of cordoned ones.
"""

from .observe import NodeTaintController

__all__ = ["NodeTaintController"]
