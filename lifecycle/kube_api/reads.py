"""Objects as they are recorded: one by its name, or a list. Above the cursor there is nothing."""

from collections.abc import Iterator
from typing import Any

from lifecycle.kube_api.resources import Resource
from lifecycle.kube_api.status import not_found
from lifecycle.models import Cluster, StoredObject

Json = dict[str, Any]


def rows(cluster: Cluster, resource: Resource, namespace: str | None) -> Any:
    """The stored rows of a resource that are there now, of one namespace or of all."""
    found = StoredObject.objects.filter(
        cluster=cluster, kind=resource.kind, group=resource.stored_group, deleted_ms=None
    )
    return found if namespace is None else found.filter(namespace=namespace)


def get(cluster: Cluster, resource: Resource, namespace: str | None, name: str) -> Json:
    """One object's JSON. Raises Refusal (404)."""
    found = rows(cluster, resource, namespace).filter(name=name).values_list("data", flat=True).first()
    if found is None:
        raise not_found(resource, name)
    return found


def walk(cluster: Cluster, resource: Resource, namespace: str | None) -> Iterator[Json]:
    """All objects of a resource, in the order of their namespaces and names."""
    found = rows(cluster, resource, namespace).order_by("namespace", "name")
    yield from found.values_list("data", flat=True).iterator()
