"""The roles and bindings of a cluster as they are now: what is stored, and what every API server makes."""

from typing import Any

from lifecycle.engine.objects.names import RBAC_GROUP
from lifecycle.engine.rules.access.policy import (
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    ROLE,
    ROLE_BINDING,
    Policy,
)
from lifecycle.kube_api.reading import standing
from lifecycle.models import Cluster, StoredObject

Json = dict[str, Any]


def load_policy(cluster: Cluster, namespace: str) -> Policy:
    """What rules say in a namespace; "": beside all namespaces."""
    return Policy(
        _load(cluster, ROLE, namespace) if namespace else (),
        _load(cluster, ROLE_BINDING, namespace) if namespace else (),
        _load(cluster, CLUSTER_ROLE, None),
        _load(cluster, CLUSTER_ROLE_BINDING, None),
    )


def _load(cluster: Cluster, kind: str, namespace: str | None) -> list[Json]:
    rows = StoredObject.objects.filter(
        cluster=cluster, kind=kind, group=RBAC_GROUP, namespace=namespace, deleted_ms=None
    )
    return [*rows.values_list("data", flat=True), *standing.list_of(cluster, kind, namespace)]
