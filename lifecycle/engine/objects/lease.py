"""Leases of nodes: a kubelet says with one that it lives.

A kubelet renews the lease of its node every ten seconds. Nobody writes that down: the lease of a node that is
alive is stored without `renewTime`, which is worked out when somebody reads it. When a kubelet falls silent,
its lease is stored with the time of the last renewal, until it speaks again.
"""

from __future__ import annotations

from .kinds import Kind
from .meta import ObjectMeta, OwnerReference, PlainObject, StoredObject
from .node import NODE_KIND
from .times import format_micro_time, parse_time_or_none

LEASE_KIND = Kind("coordination.k8s.io/v1", "Lease", "leases")
LEASE_NAMESPACE = "kube-node-lease"
LEASE_SECONDS = 40
RENEW_MS = 10_000
"""How often a kubelet renews the lease of its node: a quarter of what it lasts."""


def make_lease(node: StoredObject) -> StoredObject:
    """The lease of a node that is alive; it goes with the node."""
    name = node.meta.name
    owner = OwnerReference(NODE_KIND.api_version, NODE_KIND.name, name, node.meta.uid)
    meta = ObjectMeta(name, LEASE_NAMESPACE, owner_references=(owner,))
    spec = {"holderIdentity": name, "leaseDurationSeconds": LEASE_SECONDS}
    return PlainObject(LEASE_KIND, meta, spec)


def silent_since_ms(lease: StoredObject | None, epoch_ms: int) -> int | None:
    """When the holder of a lease renewed it last; None while it does so."""
    spec = lease.spec if lease is not None and isinstance(lease.spec, dict) else {}
    return parse_time_or_none(spec.get("renewTime"), epoch_ms)


def last_renewal_ms(lease: StoredObject, now_ms: int) -> int:
    """When a lease that is renewed again and again was renewed last."""
    first_ms = min(lease.meta.creation_ms or 0, now_ms)
    return now_ms - (now_ms - first_ms) % RENEW_MS


def renewed(lease: StoredObject, renewed_ms: int | None, epoch_ms: int) -> StoredObject:
    """The lease, renewed last at an instant; None: again and again."""
    spec = {name: value for name, value in (lease.spec or {}).items() if name != "renewTime"}
    if renewed_ms is not None:
        spec["renewTime"] = format_micro_time(renewed_ms, epoch_ms)
    return lease.replace(spec=spec)
