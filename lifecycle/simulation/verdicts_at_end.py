"""What the pages would say of every workload and lone pod of a run: for outputs that machines read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.kinds.registry import kind_of_json, list_workloads
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.lean_dataclasses import dataclass
from lifecycle.simulation.lost_requests import Lost
from lifecycle.simulation.seen import Watch


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
        self._watch = Watch()

    def take(self, changes: Changes) -> None:
        """Take in what one instant changed."""
        self._watch.take(changes)

    def list_lost(self, cluster: Cluster) -> list[Lost]:
        """What was lost of requests to Services so far."""
        return self._watch.list_lost(cluster)

    def tell(self, cluster: Cluster) -> Iterator[Told]:
        """Workloads by kind in the order of their creation, then the pods that nobody controls."""
        judged = self._watch.judge(cluster)
        for entry in list_workloads():
            for data in cluster.list(entry.kind.id):
                yield _tell(data, judged.read_workload(data).sentence)
        lone = judged.read_lone_pods()
        for data in cluster.list(POD_KIND.id):
            if data["metadata"]["uid"] in lone:
                yield _tell(data, lone[data["metadata"]["uid"]].sentence)


def _tell(data: Mapping[str, Any], verdict: str) -> Told:
    meta = data["metadata"]
    status = data.get("status") or {}
    return Told(kind_of_json(data).id, str(meta.get("namespace") or ""), meta["name"], verdict, status)
