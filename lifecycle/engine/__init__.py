"""The engine: a faithful model of a Kubernetes cluster in virtual time. Pure Python, usable alone."""

from .cluster import ENGINE_VERSION, Changes, Cluster
from .commands import Command, Result
from .settings import KUBERNETES_VERSION, Settings

__all__ = ["ENGINE_VERSION", "KUBERNETES_VERSION", "Changes", "Cluster", "Command", "Result", "Settings"]
