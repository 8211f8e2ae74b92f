"""What the cluster's own components told, as the Events of the core group that they would have written.

The rows of one Event share its name, and the last one counts. Of a series that is still open the count is
worked out at the moment of reading. As with the API server, what was told is forgotten after an hour.
"""

from collections.abc import Iterator
from typing import Any
from uuid import uuid5

from lifecycle.engine.objects.kinds import kind_id, kind_of_id
from lifecycle.engine.objects.times import format_time
from lifecycle.models import Cluster, Event, StoredObject
from lifecycle.reads import virtual_now_ms

Json = dict[str, Any]
KEPT_MS = 3_600_000
MOST_ROWS = 20_000
_PAGE = 1000
_SCHEDULER, _KUBELET = "default-scheduler", "kubelet"


def list_events(cluster: Cluster, namespace: str | None) -> list[Json]:
    """The Events of a namespace, or of all, that are not forgotten yet."""
    now_ms = virtual_now_ms(cluster)
    last: dict[str, Event] = {}
    for row in _latest_first(cluster, now_ms - KEPT_MS):
        # Of one Event's rows the latest comes first.
        if namespace is None or (row.namespace or "default") == namespace:
            last.setdefault(_name_of(row), row)
    nodes = _find_nodes(cluster, last.values())
    return [make_event(cluster, row, now_ms, nodes.get(row.uid, "")) for row in last.values()]


def _latest_first(cluster: Cluster, since_ms: int) -> Iterator[Event]:
    rows = Event.objects.filter(cluster=cluster, seq__lte=cluster.seq).order_by("-seq")[:MOST_ROWS]
    for row in rows.iterator(chunk_size=_PAGE):
        if row.at_ms < since_ms:
            return
        yield row


def _find_nodes(cluster: Cluster, rows: Any) -> dict[str, str]:
    """The nodes of pods that kubelets told of, by the pods' uids."""
    uids = sorted({row.uid for row in rows if row.source == _KUBELET and row.kind == "Pod"})
    found: dict[str, str] = {}
    for start in range(0, len(uids), _PAGE):
        part = uids[start : start + _PAGE]
        stored = StoredObject.objects.filter(cluster=cluster, uid__in=part).values_list("uid", "node")
        found |= {uid: node or "" for uid, node in stored}
    return found


def _name_of(row: Event) -> str:
    return row.event_id or f"{row.name}.{row.seq:x}"


def make_event(cluster: Cluster, row: Event, now_ms: int, node: str) -> Json:
    """The Event that a row is the last of. `node`: where the kubelet is that told it."""
    epoch_ms, name = cluster.epoch_ms, _name_of(row)
    namespace = row.namespace or "default"
    count, last_ms = _count(row, now_ms)
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": str(uuid5(cluster.uuid, f"{namespace}/{name}")),
            "resourceVersion": str(row.seq),
            "creationTimestamp": format_time(row.first_ms, epoch_ms),
        },
        "involvedObject": _about(row),
        "reason": row.reason,
        "message": row.message,
        "type": row.event_type,
        **_told(row, node, epoch_ms, count, last_ms),
    }


def _count(row: Event, now_ms: int) -> tuple[int, int]:
    """How often it was told, and the last time."""
    period_ms = (row.detail or {}).get("period_ms") if isinstance(row.detail, dict) else None
    if period_ms and row.count == 1:
        repeats = max(0, now_ms - row.first_ms) // period_ms
        return 1 + repeats, row.first_ms + repeats * period_ms
    return row.count, row.last_ms


def _about(row: Event) -> Json:
    found: Json = {"kind": row.kind, "name": row.name, "uid": row.uid}
    found["apiVersion"] = kind_of_id(kind_id(row.group, row.kind)).api_version
    if row.namespace:
        found["namespace"] = row.namespace
    if row.field_path:
        found["fieldPath"] = row.field_path
    return found


def _told(row: Event, node: str, epoch_ms: int, count: int, last_ms: int) -> Json:
    """By whom and when: the scheduler writes the newer form, all others the older one."""
    if row.source == _SCHEDULER:
        told: Json = {
            "source": {},
            "eventTime": _micro(row.first_ms, epoch_ms),
            "action": "Binding" if row.reason == "Scheduled" else "Scheduling",
            "reportingComponent": _SCHEDULER,
            "reportingInstance": _SCHEDULER,
        }
        if count > 1:
            told["series"] = {"count": count, "lastObservedTime": _micro(last_ms, epoch_ms)}
        return told
    host = (row.name if row.kind == "Node" else node) if row.source == _KUBELET else ""
    return {
        "source": {"component": row.source, **({"host": host} if host else {})},
        "firstTimestamp": format_time(row.first_ms, epoch_ms),
        "lastTimestamp": format_time(last_ms, epoch_ms),
        "count": count,
        "reportingComponent": row.source,
        "reportingInstance": host,
    }


def _micro(ms: int, epoch_ms: int) -> str:
    return f"{format_time(ms, epoch_ms)[:-1]}.{(epoch_ms + ms) % 1000:03d}000Z"
