"""Kept rows for tests: a test names only what matters to it, everything else is plausible."""

import itertools
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User

from lifecycle.access import give_address
from lifecycle.models import Cluster, Event, StoredObject, Transition

_numbers = itertools.count(1)


def make_user(name: str = "", **fields: Any) -> User:
    return get_user_model().objects.create_user(name or f"user-{next(_numbers)}", **fields)


def make_superuser(name: str = "") -> User:
    return make_user(name, is_staff=True, is_superuser=True)


def make_cluster(name: str = "", owner: User | None = None, **fields: Any) -> Cluster:
    """A cluster as its owner finds it."""
    owner = owner or make_user()
    made = Cluster.objects.create(name=name or f"cluster-{next(_numbers)}", owner=owner, **fields)
    return give_address(owner, made)


def _next_seq(cluster: Cluster, seq: int | None) -> int:
    """The given number or the next one; the cluster's cursor follows, so that the row exists for readers."""
    cluster.seq = max(cluster.seq, seq or cluster.seq + 1)
    cluster.save(update_fields=["seq"])
    return seq or cluster.seq


def make_transition(cluster: Cluster, seq: int | None = None, **fields: Any) -> Transition:
    """A pod's phase going from Pending to Running, numbered after the rows before it."""
    values: dict[str, Any] = {
        "at_ms": 0,
        "kind": "Pod",
        "namespace": "default",
        "name": "web-0",
        "uid": "uid-web-0",
        "field": "phase",
        "old": "Pending",
        "new": "Running",
    }
    return Transition.objects.create(cluster=cluster, seq=_next_seq(cluster, seq), **values | fields)


def make_event(cluster: Cluster, seq: int | None = None, **fields: Any) -> Event:
    """A container of a pod that was started."""
    number = _next_seq(cluster, seq)
    at_ms = fields.get("at_ms", 0)
    values: dict[str, Any] = {
        "at_ms": at_ms,
        "kind": "Pod",
        "namespace": "default",
        "name": "web-0",
        "uid": "uid-web-0",
        "field_path": "spec.containers{app}",
        "event_type": "Normal",
        "reason": "Started",
        "message": "Container started",
        "source": "kubelet",
        "count": 1,
        "first_ms": at_ms,
        "last_ms": at_ms,
        "event_id": f"web-0.{number}",
    }
    return Event.objects.create(cluster=cluster, seq=number, **values | fields)


def make_stored(cluster: Cluster, kind: str = "Pod", name: str = "web-0", **fields: Any) -> StoredObject:
    """An object as it was recorded last; `data` is the least of its JSON unless given."""
    uid = fields.pop("uid", f"uid-{kind.lower()}-{name}")
    namespace = fields.pop("namespace", "default")
    data = fields.pop("data", None) or {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, "uid": uid},
        "spec": {"containers": [{"name": "app", "image": "web:1"}]},
    }
    fields.setdefault("group", str(data.get("apiVersion", "")).rpartition("/")[0])
    cluster.rv = max(cluster.rv + 1, fields.pop("rv", 0))
    cluster.save(update_fields=["rv"])
    return StoredObject.objects.create(
        cluster=cluster,
        kind=kind,
        name=name,
        namespace=namespace,
        uid=uid,
        rv=cluster.rv,
        data=data,
        **fields,
    )
