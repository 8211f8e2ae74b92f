"""What every cluster has and nobody made: shown as long as nothing is stored in its place.

The roles that the API server makes as it starts and who has them, an APIService for each group version, the
StorageClass that is assumed. The engine stores none of them, but for the class, which it makes itself once a
claim asks for it. Whoever writes to one has it stored first, by a command of its own.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid5

from lifecycle.engine.objects.names import RBAC_GROUP
from lifecycle.engine.objects.storage import CLASS_KIND, DEFAULT_CLASS_JSON, IS_DEFAULT, IS_DEFAULT_ONCE
from lifecycle.engine.objects.times import format_time
from lifecycle.engine.rules.access import bootstrap
from lifecycle.engine.rules.access.aggregation import has_aggregation, settle_rules
from lifecycle.engine.rules.access.policy import (
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    ROLE,
    ROLE_BINDING,
)
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.reading import api_services
from lifecycle.models import Cluster, StoredObject

Json = dict[str, Any]
_CLASS, _SERVICE = CLASS_KIND.name, api_services.KIND
_OF_ACCESS = {
    ROLE: bootstrap.list_roles,
    ROLE_BINDING: bootstrap.list_role_bindings,
    CLUSTER_ROLE: bootstrap.list_cluster_roles,
    CLUSTER_ROLE_BINDING: bootstrap.list_cluster_role_bindings,
}
_GROUPS = {
    _CLASS: CLASS_KIND.group,
    _SERVICE: "apiregistration.k8s.io",
    **dict.fromkeys(_OF_ACCESS, RBAC_GROUP),
}
_FIRST_VERSION = "1"


def may_have(resource: Resource) -> bool:
    """Whether there are any of a resource."""
    return _GROUPS.get(resource.kind) == resource.group


def find(cluster: Cluster, resource: Resource, namespace: str | None, name: str) -> Json | None:
    """The one of a name, as it would be stored; None when there is none."""
    found = list_all(cluster, resource, namespace)
    return next((one for one in found if one["metadata"]["name"] == name), None)


def list_all(cluster: Cluster, resource: Resource, namespace: str | None) -> list[Json]:
    """All of a resource that stand, by name, of one namespace or (None) of all."""
    return list_of(cluster, resource.kind, namespace) if may_have(resource) else []


def list_of(cluster: Cluster, kind: str, namespace: str | None) -> list[Json]:
    """All of a kind that stand, by place: what is stored is not one of them any more.

    A role or class that was deleted is gone; what the API server registers by itself comes again.
    """
    stored = StoredObject.objects.filter(cluster=cluster, kind=kind, group=_GROUPS[kind])
    if kind == _SERVICE:
        stored = stored.filter(deleted_ms=None)
    taken = {(space or "", name) for space, name in stored.values_list("namespace", "name")}
    made = [one for one in _make(cluster, kind) if _place_of(one) not in taken]
    if kind == CLUSTER_ROLE and taken:
        made = _settle(made, list(stored.filter(deleted_ms=None).values_list("data", flat=True)))
    wanted = (one for one in made if namespace in (None, one["metadata"].get("namespace")))
    return sorted((_complete(cluster, one) for one in wanted), key=_place_of)


def _place_of(data: Json) -> tuple[str, str]:
    return data["metadata"].get("namespace") or "", data["metadata"]["name"]


def _settle(made: list[Json], stored: list[Json]) -> list[Json]:
    """ClusterRoles that stand, with the rules that stored ones add to those which gather them."""
    rules = settle_rules([*made, *stored])
    return [one | {"rules": rules[one["metadata"]["name"]]} if has_aggregation(one) else one for one in made]


def _make(cluster: Cluster, kind: str) -> list[Json]:
    if kind in _OF_ACCESS:
        return _OF_ACCESS[kind]()
    if kind == _SERVICE:
        return list(api_services.list_api_services(cluster))
    return [] if _has_default_class(cluster) else [DEFAULT_CLASS_JSON]


def _has_default_class(cluster: Cluster) -> bool:
    """Whether somebody's own is the default: the engine assumes none then."""
    rows = StoredObject.objects.filter(cluster=cluster, kind=_CLASS, group=_GROUPS[_CLASS], deleted_ms=None)
    annotations = (data["metadata"].get("annotations") or {} for data in rows.values_list("data", flat=True))
    return any("true" in (one.get(IS_DEFAULT), one.get(IS_DEFAULT_ONCE)) for one in annotations)


def _complete(cluster: Cluster, data: Json) -> Json:
    """With what a stored object has: it was there when the cluster began."""
    place = "/".join(filter(None, _place_of(data)))
    meta = {
        **data["metadata"],
        "uid": str(uuid5(cluster.uuid, f"{data['kind']}/{place}")),
        "resourceVersion": _FIRST_VERSION,
        "creationTimestamp": format_time(0, cluster.epoch_ms),
    }
    return {**data, "metadata": meta}


def make_creation(data: Json) -> tuple[str, Json]:
    """The command that stores one, so that it can be changed."""
    return "create", {"object": without_identity(data), "request": {}}


def without_identity(data: Json) -> Json:
    """Without what tells one that stands from the one that is stored in its place."""
    meta = {name: value for name, value in data["metadata"].items() if name not in _IDENTITY}
    return {**data, "metadata": meta}


_IDENTITY = ("uid", "resourceVersion", "creationTimestamp")
