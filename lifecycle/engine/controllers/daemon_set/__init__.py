"""The DaemonSet controller: one pod on every node that the set is for.

A look at a set puts its history in order, then makes and deletes pods so that every node has what it is to
have, or else goes on with an update, then tells the status. It weighs the nodes that have changed and no
others. Left out: pods on nodes that are no more, which pod garbage collection takes.
"""

from .observe import DaemonSetController

__all__ = ["DaemonSetController"]
