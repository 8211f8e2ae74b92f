"""How many pods a workload wants, and the bounds a Deployment's rolling update keeps, over time.

Transitions carry status, not spec: this is read from the recorded versions of the workload, and from its
latest JSON where the versions no longer reach back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from dashboard.live.autoscalers import DELETED
from dashboard.live.histories import list_of
from dashboard.plots.replicas import Budget
from lifecycle.engine.api.patching.patches import merge_patch
from lifecycle.engine.heart.trace import Version
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND, DeploymentSpec
from lifecycle.models import Cluster, ObjectVersion, StoredObject
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]


class BudgetReader:
    """Follows the versions of one workload; each `read` takes what is new."""

    def __init__(self, kind: str, namespace: str, name: str) -> None:
        self.kind, self.named = kind, (namespace, name)
        self.subject = of_kind(kind) & Q(namespace=namespace, name=name)
        self.rv = 0
        self.spec: Json = {}
        self.budgets: list[Budget] = []

    def read(self, cluster: Cluster) -> list[Budget]:
        """Every budget up to the cluster's cursor, oldest first."""
        rows = ObjectVersion.objects.filter(self.subject, cluster=cluster, rv__gt=self.rv, rv__lte=cluster.rv)
        versions = list(rows.order_by("rv"))
        for version in versions if self.rv else self._begin(cluster, versions):
            self._take(version)
        self.rv = max(self.rv, cluster.rv)
        return self.budgets

    def foresee(self, versions: Iterable[Version]) -> list[Budget]:
        """With the budgets that an engine has run ahead to."""
        for version in list_of(versions, self.kind, *self.named):
            if version.type == DELETED:
                self._add(Budget(version.at_ms, 0, 0, 0))
            else:
                spec = version.new.to_json().get("spec") or {}
                self._add(make_budget(self.kind, spec, version.at_ms))
        return self.budgets

    def _begin(self, cluster: Cluster, versions: list[ObjectVersion]) -> list[ObjectVersion]:
        """The versions from the first on whose budget is known.

        Its creation may no longer be among them. Then what none of them changes was so from the beginning,
        and what one of them changes is known from there on.
        """
        created = next((number for number, one in enumerate(versions) if one.type == "ADDED"), None)
        if created is not None:
            return versions[created:]
        latest = StoredObject.objects.filter(self.subject, cluster=cluster).order_by("-rv").first()
        if latest is None or (latest.deleted_ms is not None and not versions):
            return []
        self.spec = latest.data.get("spec") or {}
        changed = [
            next((number for number, one in enumerate(versions) if name in _spec_of(one)), None)
            for name in ("replicas", "strategy")
        ]
        known = max((number for number in changed if number is not None), default=None)
        if known is None:
            self._add(make_budget(self.kind, self.spec, _first_ms(cluster, latest)))
        return versions[known or 0 :]

    def _take(self, version: ObjectVersion) -> None:
        if version.type == DELETED:
            self.spec = {}
            self._add(Budget(version.at_ms, 0, 0, 0))
            return
        self.spec = merge_patch(self.spec, _spec_of(version))
        self._add(make_budget(self.kind, self.spec, version.at_ms))

    def _add(self, budget: Budget) -> None:
        before = self.budgets[-1:]
        if before and before[0].at_ms == budget.at_ms:
            self.budgets.pop()
        elif before and before[0].bounds == budget.bounds:
            return
        self.budgets.append(budget)


def make_budget(kind: str, spec: Json, at_ms: int) -> Budget:
    """25%/25% of 4 replicas is from 3 to 5; a Recreate strategy owes nothing and never goes above.

    Of any other kind than a Deployment: the replicas it wants.
    """
    if kind != DEPLOYMENT_KIND.id:
        wanted = spec.get("replicas", 1)
        return Budget(at_ms, wanted, wanted, wanted)
    read = DeploymentSpec(spec)
    return Budget(at_ms, read.replicas, read.min_available_replicas, read.replicas + read.surge_replicas)


def _spec_of(version: ObjectVersion) -> Json:
    """What a version says of the spec."""
    return (version.patch or {}).get("spec") or {}


def _first_ms(cluster: Cluster, stored: StoredObject) -> int:
    """The instant from which on no version is missing that the object may have had."""
    kept = ObjectVersion.objects.filter(cluster=cluster, rv__gte=cluster.oldest_rv, rv__lte=cluster.rv)
    first = kept.order_by("rv").values_list("at_ms", flat=True).first()
    return max(stored.created_ms, cluster.instant_ms - cluster.watch_ms if first is None else first)
