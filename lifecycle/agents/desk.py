"""What agents may ask for, whoever answers: clusters of this process, or those of a server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]


class Refused(ValueError):
    """What was asked for cannot be done; the text says why, and what would be right."""


class Desk(ABC):
    """Answers are texts. Each method raises Refused, or another ValueError or LookupError in words."""

    @abstractmethod
    def list_clusters(self) -> str:
        """A line for each cluster there is."""

    @abstractmethod
    def create(self, name: str, manifests: str, until: str, settings: Json) -> str:
        """Make a cluster, apply the manifests, let time pass; how it stands then.

        `settings`: of nodes, seed and kubernetes those that are given.
        """

    @abstractmethod
    def delete(self, cluster: str) -> str:
        """Take a cluster away."""

    @abstractmethod
    def look(self, cluster: str, command: str) -> str:
        """Carry out a command line of kubectl that reads."""

    @abstractmethod
    def change(self, cluster: str, command: str, given: str) -> str:
        """Carry out a command line of kubectl that writes. `given`: what `-f -` reads."""

    @abstractmethod
    def try_change(self, cluster: str, command: str, given: str, span: str) -> str:
        """What would come of a change within so much time; the cluster stays as it is."""

    @abstractmethod
    def run_until(self, cluster: str, until: str, limit: str) -> str:
        """Let time pass; whether it came to that, and how all stands."""

    @abstractmethod
    def verdict(self, cluster: str) -> str:
        """How all workloads are."""

    @abstractmethod
    def why(self, cluster: str, reference: str) -> str:
        """Why an object is as it is, with the chain of causes of what happened to it last."""

    @abstractmethod
    def fork(self, cluster: str, name: str) -> str:
        """Another cluster with the same past."""

    @abstractmethod
    def undo(self, cluster: str) -> str:
        """Go back to before the last change."""

    @abstractmethod
    def check(self, cluster: str, ordeals: Sequence[str], seeds: int) -> str:
        """Live through what may befall the cluster, and tell what does not hold."""

    @abstractmethod
    def compare(self, cluster: str, other: str) -> str:
        """What two clusters have otherwise, and how each fares."""
