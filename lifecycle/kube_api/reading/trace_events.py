"""Events as their components emitted them, from the trace: the rows of one series are one Event object.

Kubernetes forgets Events after an hour, and so do lists. The trace counts its rows by `seq`, objects by
version: the resource version of Events holds both, so that a list tells where a watch goes on in either.
Of a series that is open the count and the last time are those of now; a watch is told of each row alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid5

from django.db.models import Q

from lifecycle.engine.heart.series import is_open
from lifecycle.engine.kinds import registry
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.names import DEFAULT_SCHEDULER
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, Event, StoredObject
from lifecycle.reads import tell_rows, virtual_now_ms
from lifecycle.runs.retention import first_at
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
KIND = ("", "Event")
KEPT_MS = 3_600_000
_MOST_OLDER = 2_000
"""So many rows before that hour are asked whether they are of a series that is still open."""
VERSIONS = 10**10
"""More than a cluster writes: above it stands the row of the trace."""
# Who speaks in the newer API alone, which names no source.
_NEWER = {DEFAULT_SCHEDULER}
_ITS_HOST = "control-plane"
_OF_NODES = "kubelet"
_DEFAULT = "default"


def version_of(seq: int, rv: int) -> int:
    """The resource version of Events at a row of the trace and a version of the objects."""
    return seq * VERSIONS + rv


def rows_between(cluster: Cluster, after: int, upto: int) -> Any:
    """The rows of Events in the trace beyond a row, in order."""
    return Event.objects.filter(cluster=cluster, seq__gt=after, seq__lte=upto).order_by("seq")


def list_there(cluster: Cluster, namespace: str | None, uid: str | None = None) -> list[Json]:
    """The Events of the last hour as stored objects; with `uid` those about one object."""
    now_ms = virtual_now_ms(cluster)
    since_ms = now_ms - KEPT_MS
    rows = rows_between(cluster, 0, cluster.seq)
    if namespace is not None:
        rows = rows.filter(namespace=namespace) | (
            rows.filter(namespace=None) if namespace == _DEFAULT else rows.none()
        )
    if uid:
        rows = rows.filter(uid=uid)
    first = first_at(Event, "seq", cluster, since_ms)
    # What was told earlier may be told still.
    details = rows.filter(seq__lt=first).order_by("-seq").values_list("seq", "detail")[:_MOST_OLDER]
    older = [seq for seq, detail in details if is_open(detail)]
    last: dict[str | None, Event] = {}
    for row in rows.filter(Q(seq__in=older) | Q(seq__gte=first)).order_by("seq").iterator():
        last[row.event_id] = row
    told = tell_rows(cluster, last.values(), now_ms)
    return list(_make_all(cluster, [row for row in told if row.last_ms >= since_ms]))


def find(cluster: Cluster, namespace: str | None, name: str) -> Json | None:
    """The Event of that name, as a stored object."""
    about, _, number = name.rpartition(".")
    try:
        event_id = f"{about}.{int(number, 16) % _NANOSECONDS:x}"
    except ValueError:
        return None
    rows = rows_between(cluster, 0, cluster.seq).filter(name=about, event_id=event_id)
    found = [
        data for data in make_all(cluster, rows.order_by("-seq")[:1]) if data["metadata"]["name"] == name
    ]
    return next((data for data in found if data["metadata"]["namespace"] == namespace), None)


def make_all(cluster: Cluster, rows: Iterable[Event]) -> Iterator[Json]:
    """The Event objects that rows tell of."""
    found = list(rows)
    if any(is_open(row.detail) for row in found):
        found = tell_rows(cluster, found, virtual_now_ms(cluster))
    return _make_all(cluster, found)


def _make_all(cluster: Cluster, found: list[Event]) -> Iterator[Json]:
    nodes = _find_nodes(cluster, {row.uid for row in found if row.source == _OF_NODES and row.kind == "Pod"})
    for row in found:
        yield _make(cluster, row, nodes)


def uid_of(cluster: Cluster, row: Event) -> str:
    """The uid of the Event object that a row is of."""
    return str(uuid5(cluster.uuid, str(row.event_id)))


_NANOSECONDS = 1_000_000


def _find_nodes(cluster: Cluster, uids: set[str]) -> Mapping[str, str]:
    """The nodes of pods, by uid."""
    if not uids:
        return {}
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, uid__in=uids)
    return {uid: node for uid, node in pods.values_list("uid", "node") if node}


def _make(cluster: Cluster, row: Event, nodes: Mapping[str, str]) -> Json:
    host = (nodes.get(row.uid) or (row.name if row.kind == "Node" else "")) if row.source == _OF_NODES else ""
    data: Json = {
        "kind": "Event",
        "apiVersion": "v1",
        "metadata": _make_metadata(cluster, row),
        "involvedObject": _make_reference(row),
        "reason": row.reason,
        "message": row.message,
        "type": row.event_type,
        "reportingComponent": row.source,
        "reportingInstance": host,
    }
    if row.source in _NEWER:
        return data | _tell_newer(cluster, row) | {"reportingInstance": f"{row.source}-{_ITS_HOST}"}
    return data | {
        "source": {"component": row.source} | ({"host": host} if host else {}),
        "firstTimestamp": _time(cluster, row.first_ms),
        "lastTimestamp": _time(cluster, row.last_ms),
        "count": row.count,
        "eventTime": None,
    }


def _make_metadata(cluster: Cluster, row: Event) -> Json:
    number = int(str(row.event_id).rpartition(".")[2] or "0", 16)
    stamp = (cluster.epoch_ms + row.first_ms) * _NANOSECONDS + number % _NANOSECONDS
    return {
        "name": f"{row.name}.{stamp:016x}",
        "namespace": row.namespace or _DEFAULT,
        "uid": uid_of(cluster, row),
        "resourceVersion": str(version_of(row.seq, 0)),
        "creationTimestamp": _time(cluster, row.first_ms),
    }


def _make_reference(row: Event) -> Json:
    entry = registry.entry_of_id(kind_id(row.group, row.kind))
    about: Json = {"kind": row.kind, "namespace": row.namespace, "name": row.name, "uid": row.uid}
    about |= {"apiVersion": entry.kind.api_version, "fieldPath": row.field_path}
    return {name: value for name, value in about.items() if value is not None}


def _tell_newer(cluster: Cluster, row: Event) -> Json:
    data: Json = {"source": {}, "firstTimestamp": None, "lastTimestamp": None, "action": _action(row)}
    data["eventTime"] = _micro_time(cluster, row.first_ms)
    if row.count > 1:
        data["series"] = {"count": row.count, "lastObservedTime": _micro_time(cluster, row.last_ms)}
    return data


def _action(row: Event) -> str:
    return (
        "Preempting"
        if row.reason == "Preempted"
        else "Binding"
        if row.reason == "Scheduled"
        else "Scheduling"
    )


def _time(cluster: Cluster, at_ms: int) -> str:
    return f"{datetime.fromtimestamp((cluster.epoch_ms + at_ms) // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _micro_time(cluster: Cluster, at_ms: int) -> str:
    seconds, rest = divmod(cluster.epoch_ms + at_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03}000Z"
