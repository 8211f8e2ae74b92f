"""What the page of a node says: what it has and what is asked of it, its pods, how its last drain stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from dashboard.addresses import find_page
from dashboard.pages.ages import count_on
from dashboard.pages.states import tone_of
from dashboard.plots.theme import clock
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.objects.names import ZONE
from lifecycle.engine.objects.node import NODE_KIND, Node
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.rules.nodes.drains import DRAIN, ENDS, REFUSED
from lifecycle.engine.rules.pods.resources import effective_requests
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.simulation.reports.tones import Tone
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
NUMBERS = re.compile("([0-9]{1,9})")
MOST_NODES = 40
_SHOWN = ("cpu", "memory", "ephemeral-storage")
_DRAINS = {
    "started": "is being drained since",
    "blocked": "is being drained, and PodDisruptionBudgets do not allow it to go on, since",
    "done": "was drained at",
    "timedOut": "was not drained in time, at",
    "failed": "could not be drained at",
    "cancelled": "was being drained until somebody cancelled that at",
}
"""What each word of a drain means; an instant follows."""


@dataclass(frozen=True, slots=True)
class Resource:
    """What of a resource there is for pods, and how much of it they ask for."""

    name: str
    asked: str
    there_is: str
    percent: int


@dataclass(frozen=True, slots=True)
class NodePod:
    """A pod on the node."""

    name: str
    namespace: str
    page: str
    owner: str
    tone: Tone
    status: str
    restarts: int
    cpu: str
    memory: str


def read_node(cluster: Cluster, stored: StoredObject, at_ms: int) -> Json:
    """All that its page shows."""
    pods = list_pods(cluster, stored.name) if stored.deleted_ms is None else []
    node = Node.from_json(stored.data, cluster.epoch_ms)
    status = stored.data.get("status") or {}
    labels = sorted((stored.data["metadata"].get("labels") or {}).items())
    return {
        "node": stored,
        "verdict": _tell(stored, node, len(pods)),
        "drain": _tell_drain(cluster, stored.uid),
        "is_cordoned": node.spec.unschedulable,
        "facts": _list_facts(cluster, stored, at_ms),
        "taints": node.spec.raw.get("taints") or [],
        "conditions": status.get("conditions") or [],
        "resources": list(_list_resources(node, pods, cluster.epoch_ms)),
        "pods": [_show(one, cluster.epoch_ms) for one in pods],
        "labels": labels,
    }


def _list_facts(cluster: Cluster, stored: StoredObject, at_ms: int) -> dict[str, str]:
    """What tells one node from another, as far as it says so."""
    data = stored.data
    status, labels = data.get("status") or {}, data["metadata"].get("labels") or {}
    addresses = {one.get("type"): one.get("address") for one in status.get("addresses") or ()}
    found = {
        "AGE": decide_columns(data, at_ms, epoch_ms=cluster.epoch_ms).get("AGE"),
        "ZONE": labels.get(ZONE),
        "INTERNAL-IP": addresses.get("InternalIP"),
        "PODS' ADDRESSES": (data.get("spec") or {}).get("podCIDR"),
        "VERSION": (status.get("nodeInfo") or {}).get("kubeletVersion"),
    }
    facts = {title: str(value) for title, value in found.items() if value}
    return count_on(facts, cluster, stored, at_ms)


def list_pods(cluster: Cluster, node: str) -> list[StoredObject]:
    """The pods that are bound to a node, by namespace and name."""
    rows = StoredObject.objects.filter(
        of_kind(POD_KIND.id), cluster=cluster, node=node, deleted_ms__isnull=True
    )
    return list(rows.order_by("namespace", "name"))


def _tell(stored: StoredObject, node: Node, pods: int) -> str:
    if stored.deleted_ms is not None:
        return f"Removed at {clock(stored.deleted_ms)}."
    ready = next((one for one in node.status.conditions if one.type == "Ready"), None)
    word = "Ready" if ready is not None and ready.status == "True" else "Not ready"
    why = f" ({ready.reason})" if word != "Ready" and ready is not None and ready.reason else ""
    takes = ", takes no new pods" if node.spec.unschedulable else ""
    return f"{word}{why}{takes}; {pods} pod{'' if pods == 1 else 's'} on it."


def _tell_drain(cluster: Cluster, uid: str) -> Json | None:
    """The last word about a drain of it; None where there was none."""
    rows = Transition.objects.filter(cluster=cluster, uid=uid, field=DRAIN, seq__lte=cluster.seq)
    last = rows.order_by("-seq").first()
    if last is None:
        return None
    told = _DRAINS.get(str(last.new), f"{last.new} at")
    words = f"It {told} {clock(last.at_ms)}"
    if last.reason:
        words += f": {last.reason}"
    return {
        "words": words,
        "message": (last.message or "").replace(REFUSED, "These pods wait: ", 1),
        "is_on": last.new not in ENDS,
        "is_bad": last.new in ("blocked", "timedOut", "failed"),
    }


def _list_resources(node: Node, pods: list[StoredObject], epoch_ms: int) -> Iterable[Resource]:
    there = node.status.allocatable
    typed = [Pod.from_json(one.data, epoch_ms) for one in pods]
    asking = [effective_requests(one.spec) for one in typed if not one.is_finished]
    for name in (*_SHOWN, *sorted(set(there) - {*_SHOWN, "pods"})):
        if name in there:
            asked = sum(one.get(name, 0) for one in asking)
            yield Resource(
                name, _amount(name, asked), _amount(name, there[name]), _percent(asked, there[name])
            )
    if "pods" in there:
        count = len(asking)
        yield Resource("pods", str(count), str(there["pods"]), _percent(count, there["pods"]))


def _percent(asked: int, there_is: int) -> int:
    return round(100 * asked / there_is) if there_is else 0


def _amount(name: str, amount: int) -> str:
    """`1500m` CPU, `3.5 Gi`, `200 Mi`."""
    if name == "cpu":
        return f"{amount}m"
    if name in ("memory", "ephemeral-storage"):
        gibi = amount / (1 << 30)
        return f"{gibi:.1f} Gi" if gibi >= 1 else f"{amount / (1 << 20):.0f} Mi"
    return str(amount)


def _show(stored: StoredObject, epoch_ms: int) -> NodePod:
    spec = Pod.from_json(stored.data, epoch_ms).spec
    asked = effective_requests(spec)
    namespace = stored.namespace or ""
    return NodePod(
        stored.name,
        namespace,
        find_page(POD_KIND.id, namespace, stored.name),
        stored.owner or "nobody",
        tone_of(stored),
        stored.status or "",
        stored.restarts or 0,
        _amount("cpu", asked.get("cpu", 0)),
        _amount("memory", asked.get("memory", 0)),
    )


def _by_number(node: StoredObject) -> list[tuple[int, str]]:
    """`node-2` before `node-10`."""
    parts = NUMBERS.split(node.name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def list_nodes(cluster: Cluster) -> Json:
    """The nodes there are, by name, with their pages and how many pods are on them: so many, and the rest."""
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    nodes = alive.filter(of_kind(NODE_KIND.id)).order_by("name").defer("data")
    shown = sorted(nodes[:MOST_NODES], key=_by_number)
    pods = alive.filter(of_kind(POD_KIND.id), node__in=[one.name for one in shown])
    counts = dict(pods.values_list("node").annotate(Count("pk")).order_by())
    rows = [
        {
            "name": one.name,
            "page": find_page(NODE_KIND.id, "", one.name),
            "pods": counts.get(one.name, 0),
            "status": one.status or "",
        }
        for one in shown
    ]
    count = nodes.count() if len(shown) == MOST_NODES else len(shown)
    return {"shown": rows, "hidden": max(count - len(shown), 0)}
