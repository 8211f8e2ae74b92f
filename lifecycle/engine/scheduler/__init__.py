"""kube-scheduler: chooses a node for each pod and binds the pod to it."""

from .scheduler import Scheduler

__all__ = ["Scheduler"]
