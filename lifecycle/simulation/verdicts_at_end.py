"""What the pages would say of every workload and lone pod of a run: for outputs that machines read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.heart.trace import EventRow, Row
from lifecycle.engine.kinds.registry import kind_of_json, list_workloads
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.telling.holds import Failing
from lifecycle.engine.rules.telling.losses import is_loss, take_loss
from lifecycle.engine.rules.workloads.refused_pods import CREATIONS
from lifecycle.simulation.run_verdicts import map_pods, read_verdict, tell_lone_pods
from lifecycle.simulation.summaries import take_failing


@dataclass(frozen=True, slots=True)
class Told:
    """An object, and the sentence that is said of it."""

    kind: str
    namespace: str
    name: str
    verdict: str
    status: Mapping[str, Any]


class VerdictSink:
    """Follows a run's rows, so that verdicts can be told of the cluster as it stands."""

    def __init__(self) -> None:
        self._failing: dict[str, dict[str, Failing]] = {}
        self._losses: dict[str, deque[int]] = {}

    def take(self, changes: Changes) -> None:
        """Take in what one instant changed."""
        for row in changes.rows:
            self._take_row(row)

    def _take_row(self, row: Row) -> None:
        subject = row.subject
        is_pod = kind_id(subject.group, subject.kind) == POD_KIND.id
        if is_pod or (isinstance(row, EventRow) and row.reason in CREATIONS):
            take_failing(self._failing.setdefault(subject.uid, {}), row)
        if is_pod and not isinstance(row, EventRow) and row.field == "state" and is_loss(row.old, row.new):
            take_loss(self._losses.setdefault(subject.uid, deque()), row.at_ms)

    def tell(self, cluster: Cluster) -> Iterator[Told]:
        """Workloads by kind in the order of their creation, then the pods that nobody controls."""
        pods = map_pods(cluster)
        for entry in list_workloads():
            for data in cluster.list(entry.kind.id):
                verdict = read_verdict(data, pods, cluster, cluster.now_ms, self._failing, self._losses)
                yield _tell(data, verdict)
        lone = tell_lone_pods(cluster, self._failing)
        for data in cluster.list(POD_KIND.id):
            if data["metadata"]["uid"] in lone:
                yield _tell(data, lone[data["metadata"]["uid"]])


def _tell(data: Mapping[str, Any], verdict: str) -> Told:
    meta = data["metadata"]
    status = data.get("status") or {}
    return Told(kind_of_json(data).id, str(meta.get("namespace") or ""), meta["name"], verdict, status)
