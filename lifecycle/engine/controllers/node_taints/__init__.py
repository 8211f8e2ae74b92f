"""Taints that follow a node's conditions and cordon: the scheduler sends no pods where they cannot cope.

Models the part of the node lifecycle controller that taints nodes by condition, for pressures and a missing
network, and cordoned ones. Left out: taints of nodes that are not ready, which come with evictions.
"""

from .observe import NodeTaintController

__all__ = ["NodeTaintController"]
