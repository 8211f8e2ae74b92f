"""The scheduler: which node a pod is bound to."""

from .scheduler import Scheduler

__all__ = ["Scheduler"]
