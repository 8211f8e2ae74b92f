"""The DaemonSet controller: one pod on every node that the set is for."""

from .observe import DaemonSetController

__all__ = ["DaemonSetController"]
