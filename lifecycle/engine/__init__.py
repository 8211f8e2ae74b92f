"""The engine: a faithful model of a Kubernetes cluster in virtual time. Pure Python, usable alone."""

from .api.commands import Command, Result
from .changes import Changes
from .cluster import ENGINE_VERSION, Cluster
from .heart.settings import Settings

__all__ = ["ENGINE_VERSION", "Changes", "Cluster", "Command", "Result", "Settings"]
