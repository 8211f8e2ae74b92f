"""Whether an incident is over: judged by what a cluster does afterwards, and by the cause that was named.

Nothing that an agent says of its repair counts. A fork of the cluster lives on for a quarter of an hour: what
was broken has to work all through its last ten minutes, and all else has to be there and well as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.engine.public import POD_KIND, list_workloads
from lifecycle.lean_dataclasses import asdict, dataclass
from lifecycle.simulation.readiness import is_well
from lifecycle.simulation.seen import controller_of
from podline.gym.incidents import Incident
from podline.library import Cluster

SETTLES_MS, LASTS_MS, LOOK_MS = 5 * 60_000, 10 * 60_000, 10_000
KEPT_KINDS = (
    *("Node", "Namespace", "ConfigMap", "Secret", "Service", "ServiceAccount", "PersistentVolumeClaim"),
    *("PodDisruptionBudget", "ResourceQuota", "LimitRange", "HorizontalPodAutoscaler"),
)
_SIZED = ("Deployment", "StatefulSet")
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """What an episode came to. `score`: a half for the repair, a half for the cause.

    `repaired`: it works and goes on working, and nothing else was harmed.
    """

    repaired: bool
    named: bool
    commands: int
    virtual_seconds: int
    problems: tuple[str, ...] = ()
    """What is not as it should be, in the order in which it was seen."""

    @property
    def score(self) -> float:
        """0, 0.5 or 1."""
        return (self.repaired + self.named) / 2

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"score": self.score, **asdict(self), "problems": list(self.problems)}


@dataclass(frozen=True, slots=True)
class Inventory:
    """What was there when all was well: by key the size of what has one, None of the others."""

    sizes: Mapping[Key, int | None]


def take_inventory(cluster: Cluster) -> Inventory:
    """What an agent may not do away with."""
    found: dict[Key, int | None] = {}
    for kind in (*KEPT_KINDS, *(entry.kind.id for entry in list_workloads())):
        for data in cluster.list(kind):
            meta = data["metadata"]
            if controller_of(data) is None:
                size = (data.get("spec") or {}).get("replicas") if kind in _SIZED else None
                found[kind, meta.get("namespace") or "", meta["name"]] = size
    return Inventory(found)


def list_problems(cluster: Cluster, incident: Incident, before: Inventory) -> list[str]:
    """What is wrong with the state that an agent leaves behind; [] where it is mended. The cluster stays."""
    fork = cluster.fork()
    problems = _list_missing(fork, incident, before)
    fork.run_for(SETTLES_MS)
    lost = {name: _count_lost(fork, name) for name in incident.serves}
    for _ in range(LASTS_MS // LOOK_MS):
        problems += _look(fork, incident)
        if problems:
            return list(dict.fromkeys(problems))
        fork.run_for(LOOK_MS)
    problems += _list_missing(fork, incident, before)
    problems += [f"requests to {name} are lost" for name in lost if _count_lost(fork, name) > lost[name]]
    return list(dict.fromkeys(problems))


def _count_lost(cluster: Cluster, name: str) -> int:
    sums = cluster._engine.sum_requests("shop", name)
    return int(sums["lostMs"]) if sums else 0


def _look(cluster: Cluster, incident: Incident) -> list[str]:
    """What does not hold at this moment."""
    problems = []
    for text in (*incident.recovered, *incident.keeps):
        if not cluster._look(cluster._parse(text)).holds:
            problems.append(f"at {cluster.now_ms / 1000:g}s not so: {text}")
    for node in incident.empties:
        left = [one for one in cluster.list(POD_KIND.id) if _is_on(one, node)]
        problems += [f"{node} has {one['metadata']['name']} still" for one in left[:1]]
    return problems + [f"{name} is not well" for name in _list_unwell(cluster, incident)]


def _is_on(pod: Mapping[str, Any], node: str) -> bool:
    owners = pod["metadata"].get("ownerReferences") or ()
    is_daemon = any(one["kind"] == "DaemonSet" for one in owners)
    return bool(pod["spec"].get("nodeName") == node and not is_daemon)


def _list_unwell(cluster: Cluster, incident: Incident) -> list[str]:
    found = []
    for entry in list_workloads():
        if entry.kind.id in ("Job", "CronJob"):
            continue
        for data in cluster.list(entry.kind.id):
            name = f"{entry.kind.name.lower()}/{data['metadata']['name']}"
            if controller_of(data) is None and name not in incident.may_change and not is_well(data):
                found.append(name)
    return found


def _list_missing(cluster: Cluster, incident: Incident, before: Inventory) -> list[str]:
    """What is gone, or was made smaller."""
    problems = []
    for (kind, namespace, name), size in before.sizes.items():
        label = f"{kind.partition('.')[0].lower()}/{name}"
        if label in incident.may_change or f"namespace/{namespace}" in incident.may_change:
            continue
        found = cluster.get(kind, name, namespace or None)
        if found is None or found["metadata"].get("deletionTimestamp"):
            problems.append(f"{label} is gone")
        elif size is not None and int(found["spec"].get("replicas") or 0) < size:
            problems.append(f"{label} was made smaller than {size}")
    return problems
