"""Where a workload's pods are: the ordinals of a StatefulSet with their claims, the nodes of a DaemonSet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Max, QuerySet

from dashboard.addresses import find_page
from dashboard.pages.states import Share
from dashboard.plots.theme import revision_tone
from lifecycle import verdicts
from lifecycle.engine.objects.names import REVISION_LABEL
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.recorded.objects import alive, name_owner
from lifecycle.simulation.reports.tones import TONES, Tone
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
CLAIM = "PersistentVolumeClaim"
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
    shares: list[Share] = field(default_factory=list)
    """Its pods by state, where they are known by it."""

    @property
    def pods(self) -> int:
        """How many these are; 1 when none, so that an empty meter has a width."""
        return sum(share.count for share in self.shares) or 1

    @property
    def tone(self) -> str:
        """The name of its colour."""
        return revision_tone(self.turn)


@dataclass(slots=True)
class Occupant:
    """A pod at its place. `seq`: its last row, that tells why it is as it is."""

    uid: str
    name: str
    page: str
    tone: Tone
    status: str
    node: str
    revision: Revision | None
    restarts: int = 0
    seq: int | None = None

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
    why_unwanted: str = ""
    is_wanted: bool = True
    is_held_back: bool = False
    is_waited_for: bool = False
    seq: int | None = None
    """Of a place without a pod: the last row of the pod that was there."""

    @property
    def is_settled(self) -> bool:
        """Whether all is as it should be there."""
        return all(pod.is_settled for pod in self.pods) and bool(self.pods) == self.is_wanted


@dataclass(frozen=True, slots=True)
class Places:
    """Some of the places of a workload, in their order, and how many there are; what is said of them all."""

    shown: list[Place]
    total: int
    notes: list[str]
    wait: str = ""
    """What of its places the controller waits for."""

    @classmethod
    def of(cls, cluster: Cluster, places: list[Place], notes: list[str], wait: str = "") -> Places:
        """Of very many the unsettled stay before the settled."""
        kept = {id(place) for place in sorted(places, key=lambda place: place.is_settled)[:MOST_PLACES]}
        shown = [place for place in places if id(place) in kept]
        _tell_last_rows(cluster, [pod for place in shown for pod in place.pods])
        return cls(shown, len(places), notes, wait)


def _tell_last_rows(cluster: Cluster, pods: list[Occupant]) -> None:
    last = find_last_rows(cluster, [pod.uid for pod in pods])
    for pod in pods:
        pod.seq = last.get(pod.uid)


def find_last_rows(cluster: Cluster, uids: list[str]) -> dict[str, int]:
    """By uid the number of the last row about each."""
    rows = Transition.objects.filter(cluster=cluster, uid__in=uids, seq__lte=cluster.seq)
    return dict(rows.values_list("uid").annotate(last=Max("seq")).order_by())


# --- a StatefulSet ----------------------------------------------------------------------------------------


def read_ladder(cluster: Cluster, stored: StoredObject, revisions: list[Revision]) -> Places:
    """Every ordinal that is wanted, has a pod, or keeps a claim, with its claims by template."""
    wanted = verdicts.read_ordinals(stored.data) if stored.deleted_ms is None else verdicts.NO_ORDINALS
    pods = _occupants(cluster, stored, revisions)
    by_ordinal = {ordinal: pod for pod in pods if (ordinal := _ordinal(pod.name)) is not None}
    claims = _claims(cluster, stored)
    members = [(pod.name, pod.tone.name, pod.revision.name if pod.revision else "") for pod in pods]
    wait = verdicts.find_ordinal_wait(stored.data, members) if stored.deleted_ms is None else None
    waited = f"waits for {stored.name}-{wait.ordinal}" if wait is not None else ""
    gone = _find_gone(cluster, stored, [one for one in (*wanted.all, *claims) if one not in by_ordinal])
    places = []
    for ordinal in sorted({*wanted.all, *by_ordinal, *claims}):
        place = Place(f"{stored.name}-{ordinal}", claims=claims.get(ordinal, []))
        place.is_wanted = ordinal in wanted.all
        place.pods = [by_ordinal[ordinal]] if ordinal in by_ordinal else []
        place.is_held_back = ordinal in wanted.held_back
        place.is_waited_for = wait is not None and wait.ordinal == ordinal
        place.seq = gone.get(place.label)
        if not place.is_wanted:
            place.why_unwanted = "is to go"
        if not place.pods:
            place.why_empty = f"not made yet{waited and f': {waited}'}" if place.is_wanted else "no pod; kept"
        places.append(place)
    told = verdicts.tell_wait(stored.data, wait)
    return Places.of(cluster, places, _tell_ladder(wanted, told), told)


def _tell_ladder(wanted: verdicts.OrdinalRange, wait: str) -> list[str]:
    notes = [wait] if wait else []
    if wanted.partition:
        end = wanted.all.start + wanted.partition
        notes.append(f"partition {wanted.partition}: ordinals below {end} are not updated")
    return notes


def _find_gone(cluster: Cluster, stored: StoredObject, ordinals: list[int]) -> dict[str, int]:
    """By name the last rows of pods that were there."""
    names = [f"{stored.name}-{ordinal}" for ordinal in ordinals[:MOST_PLACES]]
    gone = StoredObject.objects.filter(
        of_kind(POD_KIND.id), cluster=cluster, namespace=stored.namespace, name__in=names
    )
    uids = dict(gone.order_by("rv").values_list("name", "uid"))
    last = find_last_rows(cluster, list(uids.values()))
    return {name: last[uid] for name, uid in uids.items() if uid in last}


def _ordinal(name: str) -> int | None:
    digits = name.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else None


def _claims(cluster: Cluster, stored: StoredObject) -> dict[int, list[Claim]]:
    """The claims made by the StatefulSet's templates, by ordinal, in the templates' order."""
    found: dict[int, list[Claim]] = {}
    claims = alive(cluster, CLAIM).filter(namespace=stored.namespace)
    for template in (stored.data.get("spec") or {}).get("volumeClaimTemplates") or ():
        prefix = f"{(template.get('metadata') or {}).get('name', '')}-{stored.name}-"
        for name, data in claims.filter(name__startswith=prefix).values_list("name", "data"):
            ordinal = name.removeprefix(prefix)
            if ordinal.isascii() and ordinal.isdigit():
                found.setdefault(int(ordinal), []).append(_claim(name, data))
    return found


def _claim(name: str, data: Json) -> Claim:
    spec, status, meta = data.get("spec") or {}, data.get("status") or {}, data.get("metadata") or {}
    asked = (spec.get("resources") or {}).get("requests") or {}
    size = (status.get("capacity") or asked).get("storage", "")
    phase = "Terminating" if meta.get("deletionTimestamp") else status.get("phase") or "Pending"
    return Claim(name, phase, spec.get("volumeName") or "", size)


# --- a DaemonSet ------------------------------------------------------------------------------------------


def read_matrix(cluster: Cluster, stored: StoredObject, revisions: list[Revision]) -> Places:
    """Every node with the DaemonSet's pods on it or meant for it, and why it is to have none."""
    by_node: dict[str, list[Occupant]] = {}
    pods = _occupants(cluster, stored, revisions)
    targets = _find_targets(cluster, [pod.uid for pod in pods if not pod.node])
    for pod in pods:
        by_node.setdefault(pod.node or targets.get(pod.uid) or "no node yet", []).append(pod)
    nodes = dict(alive(cluster, NODE_KIND.id).order_by("name").values_list("name", "data"))
    unfit = verdicts.explain_nodes(stored.data, nodes) if stored.deleted_ms is None else {}
    places = []
    for name in [*nodes, *sorted(set(by_node) - set(nodes))]:
        place = Place(name, by_node.get(name, []), is_wanted=name in nodes and name not in unfit)
        if name in unfit:
            place.why_unwanted = place.why_empty = f"not for this node: {unfit[name]}"
        elif not place.pods:
            place.why_empty = "not made yet" if stored.deleted_ms is None else "no pod"
        elif name not in nodes:
            place.why_unwanted = "there is no such node" if name != "no node yet" else ""
        places.append(place)
    return Places.of(cluster, places, [])


def _find_targets(cluster: Cluster, uids: list[str]) -> dict[str, str]:
    """By uid the node that a pod is meant for, of those that are on none yet."""
    rows = StoredObject.objects.filter(cluster=cluster, uid__in=uids)
    return {uid: verdicts.find_target_node(data) for uid, data in rows.values_list("uid", "data")}


# --- pods -------------------------------------------------------------------------------------------------


def _occupants(cluster: Cluster, stored: StoredObject, revisions: Iterable[Revision]) -> list[Occupant]:
    by_hash = {name: one for one in revisions for name in (one.name, one.name.rpartition("-")[2])}
    rows = list_owned(cluster, stored, POD_KIND.id).order_by("name")
    columns = ("uid", "namespace", "name", "state", "status", "node", "restarts", "data__metadata__labels")
    return [
        Occupant(
            uid,
            name,
            find_page(POD_KIND.id, namespace, name),
            TONES.get(state or "", TONES["unknown"]),
            status or "",
            node or "",
            by_hash.get((labels or {}).get(REVISION_LABEL, "")),
            restarts or 0,
        )
        for uid, namespace, name, state, status, node, restarts, labels in rows.values_list(*columns)
    ]


def list_owned(cluster: Cluster, stored: StoredObject, kind: str) -> QuerySet[StoredObject]:
    """What it owns now of a kind."""
    return alive(cluster, kind).filter(namespace=stored.namespace, owner=name_owner(stored))
