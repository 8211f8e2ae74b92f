"""What the page of a workload shows: facts, revisions, and what is particular to its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from dashboard.live_figures import tell_time
from dashboard.pages import find_page
from dashboard.plots.theme import TONES, Tone, revision_tone
from dashboard.readings import describe_workload, read_turns
from lifecycle.engine.kinds.daemon_set import DAEMON_SET
from lifecycle.engine.kinds.deployment import DEPLOYMENT
from lifecycle.engine.kinds.entry import UNDO, KindEntry
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.kinds.stateful_set import STATEFUL_SET
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pod import POD_KIND
from lifecycle.engine.objects.replica_set import REPLICA_SET_KIND
from lifecycle.models import Cluster, StoredObject
from lifecycle.stored_kinds import kind_of_stored, of_kind

Json = dict[str, Any]
CLAIM, CONTROLLER_REVISION = "PersistentVolumeClaim", "ControllerRevision"
REVISION_LABEL = "controller-revision-hash"
MOST_PLACES = 200
"""So many ordinals or nodes are shown, those that want looking at first."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A template that pods were or are made from; the `turn`-th. `counts`: its pods by column."""

    name: str
    number: int
    turn: int
    images: list[str]
    counts: dict[str, int]
    page: str = ""
    is_latest: bool = False

    @property
    def tone(self) -> str:
        """The name of its colour."""
        return revision_tone(self.turn)


@dataclass(frozen=True, slots=True)
class Occupant:
    """A pod at its place."""

    name: str
    page: str
    tone: Tone
    status: str
    node: str
    revision: Revision | None

    @property
    def is_settled(self) -> bool:
        """Whether nobody need look at it: it is ready, and of the latest revision."""
        return self.tone.name == "ready" and (self.revision is None or self.revision.is_latest)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a pod of a StatefulSet keeps when it goes."""

    name: str
    phase: str
    volume: str
    size: str


@dataclass(slots=True)
class Place:
    """An ordinal of a StatefulSet, or a node for a DaemonSet: who is there, and why nobody is."""

    label: str
    pods: list[Occupant] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    why_empty: str = ""
    is_wanted: bool = True
    is_held_back: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether all is as it should be there."""
        return all(pod.is_settled for pod in self.pods) and bool(self.pods) == self.is_wanted


@dataclass(frozen=True, slots=True)
class Places:
    """Some of the places of a workload, in their order, and how many there are."""

    shown: list[Place]
    total: int

    @classmethod
    def of(cls, places: list[Place]) -> Places:
        """Of very many the unsettled stay before the settled."""
        kept = {id(place) for place in sorted(places, key=lambda place: place.is_settled)[:MOST_PLACES]}
        return cls([place for place in places if id(place) in kept], len(places))


def read_workload(cluster: Cluster, stored: StoredObject, entry: KindEntry) -> Json:
    """The context of the page's templates."""
    spec, data = stored.data.get("spec") or {}, stored.data
    named = {"apiVersion": entry.kind.api_version, "kind": entry.kind.name, **data}
    columns = decide_columns(named, tell_time(cluster)["at_ms"], epoch_ms=cluster.epoch_ms)
    revisions = _REVISIONS.get(entry.kind.id, _no_revisions)(cluster, stored)
    pod_spec = data
    for step in entry.pod_spec_path:
        pod_spec = pod_spec.get(step) or {}
    owner_kind, _, owner = (stored.owner or "").partition("/")
    return {
        "workload": stored,
        "kind": entry.kind.id,
        "words": "deleted" if stored.deleted_ms is not None else describe_workload(entry, data),
        "facts": {name: value for name, value in columns.items() if name != "NAME"},
        "strategy": _describe_strategy(spec),
        "owner_page": find_page(owner_kind, stored.namespace or "", owner) if owner else "",
        "status": data.get("status") or {},
        "replicas": spec.get("replicas", 1) if entry.replicas_path else None,
        "containers": pod_spec.get("containers") or [],
        "verbs": entry.rollout,
        "can_undo": UNDO in entry.rollout,
        "revisions": revisions,
        "revision_columns": list(revisions[0].counts) if revisions else [],
        "ladder": _read_ladder(cluster, stored, revisions) if entry is STATEFUL_SET else None,
        "matrix": _read_matrix(cluster, stored, revisions) if entry is DAEMON_SET else None,
    }


def _describe_strategy(spec: Json) -> str:
    """`RollingUpdate: maxSurge 1, maxUnavailable 0`."""
    strategy = spec.get("strategy") or spec.get("updateStrategy") or {}
    numbers = [f"{name} {value}" for name, value in (strategy.get("rollingUpdate") or {}).items()]
    return strategy.get("type", "") + (f": {', '.join(numbers)}" if numbers else "")


# --- revisions --------------------------------------------------------------------------------------------


def _no_revisions(cluster: Cluster, stored: StoredObject) -> list[Revision]:
    return []


def _list_replica_sets(cluster: Cluster, stored: StoredObject) -> list[Revision]:
    """A Deployment's, newest revision first."""
    revisions = []
    turns = read_turns(cluster, REPLICA_SET_KIND.id, stored.namespace, _owner_name(stored))
    for row in _owned(cluster, stored, REPLICA_SET_KIND.id):
        spec, status = row.data.get("spec") or {}, row.data.get("status") or {}
        counts = {
            "Wanted": spec.get("replicas", 1),
            "Ready": status.get("readyReplicas", 0),
            "Available": status.get("availableReplicas", 0),
        }
        page = find_page(REPLICA_SET_KIND.id, row.namespace or "", row.name)
        turn = turns[row.uid]
        revisions.append(Revision(row.name, row.revision or 0, turn, _images(spec), counts, page))
    return sorted(revisions, key=lambda revision: revision.number, reverse=True)


def _list_controller_revisions(cluster: Cluster, stored: StoredObject) -> list[Revision]:
    """A StatefulSet's or DaemonSet's, newest first, with the pods made from each."""
    pods: dict[str, int] = {}
    for labels in _owned(cluster, stored, POD_KIND.id).values_list("data__metadata__labels", flat=True):
        made_from = (labels or {}).get(REVISION_LABEL, "")
        pods[made_from] = pods.get(made_from, 0) + 1
    rows = list(_owned(cluster, stored, CONTROLLER_REVISION))
    turns = read_turns(cluster, CONTROLLER_REVISION, stored.namespace, _owner_name(stored))
    latest = max((row.data.get("revision") or 0 for row in rows), default=0)
    revisions = []
    for row in rows:
        number = row.data.get("revision") or 0
        # A StatefulSet's pods carry the revision's name, a DaemonSet's its hash alone.
        count = pods.get(row.name, 0) + pods.get(row.name.rpartition("-")[2], 0)
        images = _images((row.data.get("data") or {}).get("spec") or {})
        is_latest, turn = number == latest, turns[row.uid]
        revisions.append(Revision(row.name, number, turn, images, {"Pods": count}, is_latest=is_latest))
    return sorted(revisions, key=lambda revision: revision.number, reverse=True)


_REVISIONS: dict[str, Callable[[Cluster, StoredObject], list[Revision]]] = {
    DEPLOYMENT.kind.id: _list_replica_sets,
    STATEFUL_SET.kind.id: _list_controller_revisions,
    DAEMON_SET.kind.id: _list_controller_revisions,
}


def _images(spec: Json) -> list[str]:
    template = (spec.get("template") or {}).get("spec") or {}
    return [container.get("image", "") for container in template.get("containers") or ()]


# --- places -----------------------------------------------------------------------------------------------


def _read_ladder(cluster: Cluster, stored: StoredObject, revisions: list[Revision]) -> Places:
    """Every ordinal that is wanted, has a pod, or keeps a claim, with its claims by template."""
    spec = stored.data.get("spec") or {}
    start = (spec.get("ordinals") or {}).get("start") or 0
    wanted = 0 if stored.deleted_ms is not None else spec.get("replicas", 1)
    rolling = (spec.get("updateStrategy") or {}).get("rollingUpdate") or {}
    partition = rolling.get("partition") or 0
    pods = _occupants(cluster, stored, revisions)
    by_ordinal = {ordinal: pod for pod in pods if (ordinal := _ordinal(pod.name)) is not None}
    claims = _claims(cluster, stored)
    places = []
    for ordinal in sorted({*range(start, start + wanted), *by_ordinal, *claims}):
        is_wanted = start <= ordinal < start + wanted
        place = Place(f"{stored.name}-{ordinal}", claims=claims.get(ordinal, []), is_wanted=is_wanted)
        place.pods = [by_ordinal[ordinal]] if ordinal in by_ordinal else []
        place.is_held_back = is_wanted and ordinal < partition
        if not place.pods:
            place.why_empty = "not made yet" if is_wanted else "gone; its claims stay"
        places.append(place)
    return Places.of(places)


def _ordinal(name: str) -> int | None:
    digits = name.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else None


def _claims(cluster: Cluster, stored: StoredObject) -> dict[int, list[Claim]]:
    """The claims made by the StatefulSet's templates, by ordinal, in the templates' order."""
    found: dict[int, list[Claim]] = {}
    claims = _alive(cluster, CLAIM).filter(namespace=stored.namespace)
    for template in (stored.data.get("spec") or {}).get("volumeClaimTemplates") or ():
        prefix = f"{(template.get('metadata') or {}).get('name', '')}-{stored.name}-"
        for name, data in claims.filter(name__startswith=prefix).values_list("name", "data"):
            ordinal = name.removeprefix(prefix)
            if ordinal.isascii() and ordinal.isdigit():
                found.setdefault(int(ordinal), []).append(_claim(name, data))
    return found


def _claim(name: str, data: Json) -> Claim:
    spec, status = data.get("spec") or {}, data.get("status") or {}
    asked = (spec.get("resources") or {}).get("requests") or {}
    size = (status.get("capacity") or asked).get("storage", "")
    return Claim(name, status.get("phase") or "Pending", spec.get("volumeName") or "", size)


def _read_matrix(cluster: Cluster, stored: StoredObject, revisions: list[Revision]) -> Places:
    """Every node with the DaemonSet's pods on it."""
    by_node: dict[str, list[Occupant]] = {}
    for pod in _occupants(cluster, stored, revisions):
        by_node.setdefault(pod.node or "no node yet", []).append(pod)
    nodes = _alive(cluster, NODE_KIND.id).order_by("name").values_list("name", flat=True)
    places = []
    for name in [*nodes, *sorted(set(by_node) - set(nodes))]:
        places.append(Place(name, by_node.get(name, []), why_empty="no pod"))
    return Places.of(places)


def _occupants(cluster: Cluster, stored: StoredObject, revisions: Iterable[Revision]) -> list[Occupant]:
    by_hash = {name: one for one in revisions for name in (one.name, one.name.rpartition("-")[2])}
    rows = _owned(cluster, stored, POD_KIND.id).order_by("name")
    columns = ("namespace", "name", "state", "status", "node", "data__metadata__labels")
    return [
        Occupant(
            name,
            find_page(POD_KIND.id, namespace, name),
            TONES.get(state or "", TONES["unknown"]),
            status or "",
            node or "",
            by_hash.get((labels or {}).get(REVISION_LABEL, "")),
        )
        for namespace, name, state, status, node, labels in rows.values_list(*columns)
    ]


def _owned(cluster: Cluster, stored: StoredObject, kind: str) -> QuerySet[StoredObject]:
    """What it owns now of a kind."""
    return _alive(cluster, kind).filter(namespace=stored.namespace, owner=_owner_name(stored))


def _owner_name(stored: StoredObject) -> str:
    return f"{kind_of_stored(stored)}/{stored.name}"


def _alive(cluster: Cluster, kind: str) -> QuerySet[StoredObject]:
    return StoredObject.objects.filter(of_kind(kind), cluster=cluster, deleted_ms__isnull=True)
