"""What single kinds ask of a write beside what all kinds do: a table for each station that asks one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..objects.deployment import Deployment
from ..objects.meta import PlainObject, StoredObject
from ..objects.node import Node
from ..objects.pod import Pod
from ..objects.replica_set import ReplicaSet
from ..objects.times import format_time
from ..rules.defaults.nodes import register_node
from .addresses import keep_cluster_ip, with_cluster_ip, with_later_cluster_ip
from .context import Context

Json = dict[str, Any]

TYPED: Mapping[str, type[StoredObject]] = {
    "Pod": Pod,
    "Node": Node,
    "Deployment": Deployment,
    "ReplicaSet": ReplicaSet,
}
"""The classes of kinds that are read into more than plain JSON."""

OWN_STATUS = frozenset(("Pod", "Deployment", "ReplicaSet"))
"""Kinds of which a client's status is dropped at their creation: theirs begins empty."""

SCALABLE = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
"""Kinds with a size, which is to say with the subresource `scale`."""


def class_of(kind: str) -> type[StoredObject]:
    """The class an object of a kind is read into."""
    return TYPED.get(kind, PlainObject)


# --- stations ---------------------------------------------------------------------------------------------


def complete_new(context: Context, data: Json) -> Json:
    """A new object, valid as it is, with what only the cluster can fill in. Raises Invalid."""
    complete = _COMPLETE_NEW.get(data["kind"])
    return data if complete is None else complete(context, data)


def complete_changed(context: Context, old: StoredObject, wanted: Json) -> Json:
    """As `complete_new`, for an object that is there already."""
    complete = _COMPLETE_CHANGED.get(old.kind.name)
    return wanted if complete is None else complete(context, old, wanted)


def keep_given(current: Json, wanted: Json) -> Json:
    """A changed object with what the cluster gave the stored one, though its writer left that out."""
    keep = _KEEP_GIVEN.get(current["kind"])
    return wanted if keep is None else keep(current, wanted)


def list_companions(created: StoredObject) -> list[Json]:
    """Objects that come to be with one, as JSON to be created."""
    make = _COMPANIONS.get(created.kind.name)
    return [] if make is None else make(created)


# --- what they ask ----------------------------------------------------------------------------------------


def _register_node(context: Context, data: Json) -> Json:
    now = format_time(context.clock.now_ms, context.clock.epoch_ms)
    return register_node(data, context.settings.nodes, now)


def _make_default_account(namespace: StoredObject) -> list[Json]:
    # Every namespace has a service account of this name from its beginning.
    meta = {"name": "default", "namespace": namespace.meta.name}
    return [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta}]


_COMPLETE_NEW: Mapping[str, Callable[[Context, Json], Json]] = {
    "Node": _register_node,
    "Service": with_cluster_ip,
}
_COMPLETE_CHANGED: Mapping[str, Callable[[Context, StoredObject, Json], Json]] = {
    "Service": with_later_cluster_ip,
}
_KEEP_GIVEN: Mapping[str, Callable[[Json, Json], Json]] = {"Service": keep_cluster_ip}
_COMPANIONS: Mapping[str, Callable[[StoredObject], list[Json]]] = {"Namespace": _make_default_account}
