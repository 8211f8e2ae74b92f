"""The bounds a Deployment's rolling update keeps, over time.

Transitions carry status, not spec: the bounds are read from the recorded versions of the Deployment, and
from its latest JSON where the versions no longer reach back.
"""

from __future__ import annotations

from typing import Any

from dashboard.plots.replicas import Budget
from lifecycle.engine.objects.deployment import DeploymentSpec
from lifecycle.models import Cluster, ObjectVersion, StoredObject

Json = dict[str, Any]


class BudgetReader:
    """Follows the versions of one Deployment; each `read` takes what is new."""

    def __init__(self, namespace: str, name: str) -> None:
        self.subject = {"kind": "Deployment", "namespace": namespace, "name": name}
        self.rv = 0
        self.spec: Json = {}
        self.budgets: list[Budget] = []

    def read(self, cluster: Cluster) -> list[Budget]:
        """Every budget up to the cluster's cursor, oldest first."""
        versions = ObjectVersion.objects.filter(
            cluster=cluster, rv__gt=self.rv, rv__lte=cluster.rv, **self.subject
        )
        for version in versions.order_by("rv"):
            self._take(cluster, version)
        self.rv = max(self.rv, cluster.rv)
        return self.budgets

    def _take(self, cluster: Cluster, version: ObjectVersion) -> None:
        if version.type == "DELETED":
            self.spec = {}
            self._add(Budget(version.at_ms, 0, 0, 0))
            return
        if version.type != "ADDED" and not self.spec:
            self.spec = self._latest_spec(cluster)
        self.spec = _merge(self.spec, (version.patch or {}).get("spec", {}))
        self._add(make_budget(self.spec, version.at_ms))

    def _latest_spec(self, cluster: Cluster) -> Json:
        data = (
            StoredObject.objects.filter(cluster=cluster, **self.subject).order_by("-rv").values_list("data")
        )
        return next((row[0].get("spec", {}) for row in data[:1]), {})

    def _add(self, budget: Budget) -> None:
        before = self.budgets[-1:]
        if before and before[0].at_ms == budget.at_ms:
            self.budgets.pop()
        elif before and before[0].bounds == budget.bounds:
            return
        self.budgets.append(budget)


def make_budget(spec: Json, at_ms: int) -> Budget:
    """25%/25% of 4 replicas is from 3 to 5; a Recreate strategy owes nothing and never goes above."""
    read = DeploymentSpec(spec)
    return Budget(at_ms, read.replicas, read.min_available_replicas, read.replicas + read.surge_replicas)


def _merge(target: Json, patch: Json) -> Json:
    """A JSON merge patch (RFC 7386) applied."""
    merged = dict(target)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            before = merged.get(key)
            merged[key] = _merge(before if isinstance(before, dict) else {}, value)
        else:
            merged[key] = value
    return merged
