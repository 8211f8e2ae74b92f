"""Taints that follow a node's conditions and cordon: the scheduler sends no pods where they cannot cope.

Models the part of the node lifecycle controller that taints nodes by condition: pressures, a missing
network, nodes that are not ready or not heard of, and cordoned ones. What drives pods away comes in
`node_lifecycle`.
"""

from .observe import NodeTaintController

__all__ = ["NodeTaintController"]
