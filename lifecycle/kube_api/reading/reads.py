"""Objects as they are recorded: one by its name, or all of a resource. Above the cursor is nothing."""

from collections.abc import Iterator
from typing import Any

import orjson
from django.db import connection
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from lifecycle.engine.objects.kinds import kind_id
from lifecycle.kube_api.describing.conversions import to_served
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.reading import heartbeats, standing, trace_events, versions
from lifecycle.kube_api.reading.versions import Row
from lifecycle.kube_api.status import not_found, unknown
from lifecycle.kube_api.watching.places import key_of
from lifecycle.models import Cluster, StoredObject

Json = dict[str, Any]
EVENTS = kind_id(*trace_events.KIND)
EVERYTHING = Q()
# One that came while the cluster's row was read is there; what is deleted is not.
_THERE = """
    SELECT CAST(data AS TEXT) FROM lifecycle_storedobject
    WHERE cluster_id = %s AND kind = %s AND "group" = %s AND name = %s AND deleted_ms IS NULL
"""
_THERE_IN = f"{_THERE} AND namespace = %s"


def find(cluster: Cluster, resource: Resource, namespace: str | None, name: str) -> Json | None:
    """One object's JSON as it is stored, None when there is none."""
    place: list[int | str] = [cluster.pk, resource.kind, resource.stored_group, name]
    with connection.cursor() as cursor:
        if namespace is None:
            cursor.execute(_THERE, place)
        else:
            cursor.execute(_THERE_IN, [*place, namespace])
        row = cursor.fetchone()
    if row is not None:
        stored: Json = orjson.loads(row[0])
        return stored
    if resource.kind_id == EVENTS:
        return trace_events.find(cluster, namespace, name)
    return standing.find(cluster, resource, namespace, name)


def get(cluster: Cluster, resource: Resource, namespace: str | None, name: str, version: str = "") -> Json:
    """One object as the resource shows it, not older than `version`. Raises Refusal."""
    try:
        wanted = versions.parse(version)
    except versions.NotANumber as problem:
        raise unknown(versions.complain(version, problem)) from None
    if wanted > cluster.rv and resource.kind_id != EVENTS:
        raise versions.too_large(wanted, cluster.rv)
    found = find(cluster, resource, namespace, name)
    if found is None:
        raise not_found(resource, name)
    return to_served(resource, heartbeats.show_all(cluster, resource, [found])[0])


def keys(
    cluster: Cluster, resource: Resource, namespace: str | None, version: int, narrowed: Q = EVERYTHING
) -> list[tuple[str, str]]:
    """(key, uid) of everything that may have been there at a version, in the order of etcd's keys.

    `narrowed`: what is wanted of it meets this.
    """
    found = _there_at(_rows(cluster, resource, namespace), version, narrowed)
    return sorted(
        (key_of(space, name), uid) for space, name, uid in found.values_list("namespace", "name", "uid")
    )


def load(
    cluster: Cluster, resource: Resource, namespace: str | None, version: int, narrowed: Q = EVERYTHING
) -> list[Json]:
    """Objects of a resource as they were at a version, in the order of their keys. Raises Expired.

    `narrowed`: what is wanted of it meets this; others may come too.
    """
    rows = _there_at(_rows(cluster, resource, namespace), version, narrowed)
    return sorted(versions.as_of(cluster, _read(rows), version), key=key_of_json)


def load_some(cluster: Cluster, uids: list[str], version: int) -> list[Json]:
    """The objects of these uids as they were at a version, in the order of their keys. Raises Expired."""
    rows = StoredObject.objects.filter(cluster=cluster, uid__in=uids)
    return sorted(versions.as_of(cluster, _read(rows), version), key=key_of_json)


def load_events(cluster: Cluster, resource: Resource, namespace: str | None, uid: str | None) -> list[Json]:
    """All Events that are there, in the order of their keys: those of the trace, and those that were sent."""
    sent = _rows(cluster, resource, namespace).filter(deleted_ms=None).values_list("data", flat=True)
    return sorted([*trace_events.list_there(cluster, namespace, uid), *sent], key=key_of_json)


def key_of_json(data: Json) -> str:
    """As `key_of`, of an object."""
    meta = data["metadata"]
    return key_of(meta.get("namespace"), meta["name"])


def _read(rows: Any) -> Iterator[Row]:
    for row in rows.values_list("uid", "rv", "deleted_ms", Cast("data", TextField())).iterator():
        yield as_row(*row)


def as_row(uid: str, rv: int, deleted_ms: int | None, text: str) -> Row:
    """A row as it is read: a list's objects are many, and Django's own reader of JSON takes its time."""
    return Row(uid, rv, deleted_ms is not None, orjson.loads(text))


def _rows(cluster: Cluster, resource: Resource, namespace: str | None) -> Any:
    of_kind = StoredObject.objects.filter(cluster=cluster, kind=resource.kind, group=resource.stored_group)
    return of_kind if namespace is None else of_kind.filter(namespace=namespace)


def _there_at(rows: Any, version: int, narrowed: Q) -> Any:
    """Of what has changed since, it is not known how it was."""
    return rows.filter(Q(narrowed, deleted_ms=None) | Q(rv__gt=version))
