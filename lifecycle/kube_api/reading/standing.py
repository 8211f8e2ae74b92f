"""What every cluster has and nobody made: shown as long as nothing is stored in its place.

The bootstrap ClusterRoles, an APIService for each group version, the StorageClass that is assumed. The engine
knows none of them, but for the class, which it makes itself once a claim asks for it. Whoever writes to one
has it stored first, by a command of its own.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid5

from lifecycle.engine.objects.names import RBAC_GROUP
from lifecycle.engine.objects.storage import CLASS_KIND, DEFAULT_CLASS_JSON, IS_DEFAULT, IS_DEFAULT_ONCE
from lifecycle.engine.objects.times import format_time
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.reading import api_services
from lifecycle.models import Cluster, StoredObject

Json = dict[str, Any]
_ROLES = Path(__file__).with_name("cluster_roles.json")
_CLASS, _ROLE, _SERVICE = CLASS_KIND.name, "ClusterRole", api_services.KIND
_GROUPS = {_CLASS: CLASS_KIND.group, _ROLE: RBAC_GROUP, _SERVICE: "apiregistration.k8s.io"}
_FIRST_VERSION = "1"


def may_have(resource: Resource) -> bool:
    """Whether there are any of a resource."""
    return _GROUPS.get(resource.kind) == resource.group


def find(cluster: Cluster, resource: Resource, name: str) -> Json | None:
    """The one of a name, as it would be stored; None when there is none."""
    return next((one for one in list_all(cluster, resource) if one["metadata"]["name"] == name), None)


def list_all(cluster: Cluster, resource: Resource) -> list[Json]:
    """All of a resource that stand, by name: what is stored is not one of them any more.

    A role or class that was deleted is gone; what the API server registers by itself comes again.
    """
    if not may_have(resource):
        return []
    stored = StoredObject.objects.filter(cluster=cluster, kind=resource.kind, group=resource.group)
    if resource.kind == _SERVICE:
        stored = stored.filter(deleted_ms=None)
    taken = set(stored.values_list("name", flat=True))
    made = (_complete(cluster, one) for one in _make(cluster, resource.kind))
    return sorted((one for one in made if one["metadata"]["name"] not in taken), key=_name)


def _name(data: Json) -> str:
    name: str = data["metadata"]["name"]
    return name


def _make(cluster: Cluster, kind: str) -> list[Json]:
    if kind == _ROLE:
        return list_cluster_roles()
    if kind == _SERVICE:
        return list(api_services.list_api_services(cluster))
    return [] if _has_default_class(cluster) else [DEFAULT_CLASS_JSON]


def _has_default_class(cluster: Cluster) -> bool:
    """Whether somebody's own is the default: the engine assumes none then."""
    rows = StoredObject.objects.filter(cluster=cluster, kind=_CLASS, group=_GROUPS[_CLASS], deleted_ms=None)
    annotations = (data["metadata"].get("annotations") or {} for data in rows.values_list("data", flat=True))
    return any("true" in (one.get(IS_DEFAULT), one.get(IS_DEFAULT_ONCE)) for one in annotations)


@cache
def list_cluster_roles() -> list[Json]:
    """Those that rbac/bootstrappolicy makes, as an API server of Kubernetes lists them."""
    known: dict[str, Json] = json.loads(_ROLES.read_text("utf-8"))
    return [
        {
            "apiVersion": f"{RBAC_GROUP}/v1",
            "kind": _ROLE,
            "metadata": {
                "name": name,
                "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"} | one.get("labels", {}),
                "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
            },
            **{field: value for field, value in one.items() if field != "labels"},
        }
        for name, one in known.items()
    ]


def _complete(cluster: Cluster, data: Json) -> Json:
    """With what a stored object has: it was there when the cluster began."""
    name = data["metadata"]["name"]
    meta = {
        **data["metadata"],
        "uid": str(uuid5(cluster.uuid, f"{data['kind']}/{name}")),
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
