"""The story of an autoscaler, from its recorded versions: replicas, bounds, metrics, and what limited it.

Transitions carry no limits and no metrics; versions that are kept no longer are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from dashboard.live.histories import list_of
from dashboard.plots.autoscaled import Moment
from lifecycle.engine.api.patching.patches import merge_patch
from lifecycle.engine.heart.trace import Version
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.rules.telling.autoscalers import list_measured
from lifecycle.models import Cluster, ObjectVersion, StoredObject
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
AUTOSCALER = HORIZONTAL_POD_AUTOSCALER.kind.id
DELETED = "DELETED"
"""The type of an object's last version."""


class AutoscalerReader:
    """Follows the versions of one autoscaler; each `read` takes what is new."""

    def __init__(self, namespace: str, name: str) -> None:
        self.named = namespace, name
        self.subject = of_kind(AUTOSCALER) & Q(namespace=namespace, name=name)
        self.rv = 0
        self.data: Json = {}
        self.moments: list[Moment] = []

    def read(self, cluster: Cluster) -> list[Moment]:
        """Every moment up to the cluster's cursor, oldest first."""
        rows = ObjectVersion.objects.filter(self.subject, cluster=cluster, rv__gt=self.rv, rv__lte=cluster.rv)
        versions = list(rows.order_by("rv"))
        if not self.rv and all(version.type != "ADDED" for version in versions):
            self._begin(cluster, versions)
        for version in versions:
            self._take(version)
        self.rv = max(self.rv, cluster.rv)
        return self.moments

    def foresee(self, versions: Iterable[Version]) -> list[Moment]:
        """With the moments that an engine has run ahead to."""
        for version in list_of(versions, AUTOSCALER, *self.named):
            self.data = {} if version.type == DELETED else version.new.to_json()
            if self.data:
                self._add(make_moment(self.data, version.at_ms))
        return self.moments

    def _begin(self, cluster: Cluster, versions: list[ObjectVersion]) -> None:
        """Its creation is no longer among its versions: what none of them tells was always so."""
        latest = StoredObject.objects.filter(self.subject, cluster=cluster).order_by("-rv").first()
        if latest is not None and latest.deleted_ms is None:
            self.data = {"spec": latest.data.get("spec") or {}}
            if not versions:
                self.data["status"] = latest.data.get("status") or {}
                self._add(make_moment(self.data, latest.created_ms))

    def _take(self, version: ObjectVersion) -> None:
        if version.type == DELETED:
            self.data = {}
            return
        if version.type == "ADDED":
            self.data = {}
        self.data = merge_patch(self.data, version.patch or {})
        self._add(make_moment(self.data, version.at_ms))

    def _add(self, moment: Moment) -> None:
        before = self.moments[-1:]
        if before and before[0].at_ms == moment.at_ms:
            self.moments.pop()
        elif before and before[0].content == moment.content:
            return
        self.moments.append(moment)


def make_moment(data: Json, at_ms: int) -> Moment:
    """What an autoscaler's JSON says."""
    spec, status = data.get("spec") or {}, data.get("status") or {}
    conditions: dict[str, Json] = {one.get("type", ""): one for one in status.get("conditions") or ()}
    limited, able = conditions.get("ScalingLimited", {}), conditions.get("AbleToScale", {})
    limit = limited.get("reason", "") if limited.get("status") == "True" else ""
    if not limit and str(able.get("reason")).endswith("Stabilized"):
        limit = able["reason"]
    return Moment(
        at_ms,
        status.get("currentReplicas", 0) if conditions else None,
        status.get("desiredReplicas", 0) if conditions else None,
        spec.get("minReplicas", 1),
        spec.get("maxReplicas", 0),
        limit,
        tuple(list_measured(spec, status)),
    )
