"""Heartbeats: when kubelets said last that they live. Nobody writes them down; whoever reads is told.

A node's conditions and the lease of a node are shown as they read at virtual now. Nothing of it is a change:
no watch tells of a heartbeat, and no version is made.
"""

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.engine.kinds.registry import read_object
from lifecycle.engine.objects.lease import LEASE_KIND, LEASE_NAMESPACE
from lifecycle.engine.objects.meta import StoredObject
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.rules.nodes.status import show_lease, show_node
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.models import Cluster
from lifecycle.models import StoredObject as StoredRow
from lifecycle.reads import virtual_now_ms

Json = dict[str, Any]


class Heartbeats:
    """Of one cluster: `leases` are those of its nodes, by name, as far as they are needed."""

    def __init__(self, epoch_ms: int, leases: Mapping[str, StoredObject]) -> None:
        self.epoch_ms = epoch_ms
        self.leases = leases

    def show(self, data: Json, now_ms: int) -> Json:
        """A stored node or lease as it reads at an instant; any other object as it is."""
        if data.get("kind") == NODE_KIND.name:
            lease = self.leases.get(data["metadata"]["name"])
            return show_node(read_object(data, self.epoch_ms), lease, now_ms, self.epoch_ms)
        if data["metadata"].get("namespace") == LEASE_NAMESPACE:
            return show_lease(read_object(data, self.epoch_ms), now_ms, self.epoch_ms).to_json(self.epoch_ms)
        return data


def have(resource: Resource) -> bool:
    """Whether objects of a resource have heartbeats."""
    return resource.kind_id in (NODE_KIND.id, LEASE_KIND.id) and not resource.custom


def load(cluster: Cluster, resource: Resource, name: str = "") -> Heartbeats:
    """What there is to know of a cluster's kubelets, or of one. Asks the database."""
    if resource.kind_id != NODE_KIND.id:
        return Heartbeats(cluster.epoch_ms, {})
    rows = StoredRow.objects.filter(
        cluster=cluster,
        kind=LEASE_KIND.name,
        group=LEASE_KIND.group,
        namespace=LEASE_NAMESPACE,
        deleted_ms=None,
    )
    if name:
        rows = rows.filter(name=name)
    leases = {key: read_object(data, cluster.epoch_ms) for key, data in rows.values_list("name", "data")}
    return Heartbeats(cluster.epoch_ms, leases)


def make_reader(cluster: Cluster, resource: Resource) -> Callable[[list[Json]], list[Json]]:
    """What shows objects of a resource as they read at virtual now, in any thread."""
    if not have(resource):
        return lambda found: found
    beats, now_ms = load(cluster, resource), virtual_now_ms(cluster)
    return lambda found: [beats.show(data, now_ms) for data in found]


def show_all(cluster: Cluster, resource: Resource, found: list[Json]) -> list[Json]:
    """Objects of a resource as they read at virtual now."""
    if not found or not have(resource):
        return found
    beats = load(cluster, resource, found[0]["metadata"]["name"] if len(found) == 1 else "")
    now_ms = virtual_now_ms(cluster)
    return [beats.show(data, now_ms) for data in found]
