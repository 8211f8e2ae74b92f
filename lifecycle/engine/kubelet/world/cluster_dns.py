"""Cluster DNS: which address a name has for a pod.

A Service has its own address; one without has those of its ready pods, of which the first is told. Such a pod
has a name of its own below its Service, if its spec gives it one (`hostname` and `subdomain`). What belongs
neither to the cluster nor to one of its namespaces is the world outside, and taken to be there.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...objects.meta import StoredObject
from ...objects.pod import Pod
from ...store.store import Store

OUTSIDE = "203.0.113.1"
"""The address of everything outside the cluster (a range kept for examples)."""
PUBLIC_ENDINGS = ("com", "org", "net", "io", "dev")
_DOMAIN = ["svc", "cluster", "local"]

Name = tuple[str, str, str]
"""A Service, its namespace, and a host below it, if any."""


def find_address(store: Store, namespace: str, host: str, aliases: int = 8) -> str | None:
    """The address of a name, looked up from a namespace; None when nobody has it. Follows so many aliases."""
    labels = host.rstrip(".").split(".")
    if _is_outside(store, labels):
        return OUTSIDE
    for name, where, below in _read(labels, namespace):
        service = store.get("Service", where, name)
        if service is None:
            continue
        spec = service.spec or {}
        if spec.get("type") != "ExternalName":
            found = _address(store, service, below)
        else:
            alias = str(spec.get("externalName") or "")
            found = find_address(store, where, alias, aliases - 1) if aliases and not below else None
        if found is not None:
            return found
    return None


def _read(labels: list[str], namespace: str) -> Iterator[Name]:
    """What a name may mean, in the order of the search path: in the own namespace, then in the cluster."""
    for size in (3, 1):
        if labels[-size:] == _DOMAIN[:size] and len(labels) > size:
            labels = labels[:-size]
            break
    else:
        if len(labels) == 1:
            yield labels[0], namespace, ""
        if len(labels) == 2:
            yield labels[1], namespace, labels[0]
    if len(labels) == 2:
        yield labels[0], labels[1], ""
    if len(labels) == 3:
        yield labels[1], labels[2], labels[0]


def _address(store: Store, service: StoredObject, below: str) -> str | None:
    address = (service.spec or {}).get("clusterIP")
    if address and address != "None":
        return str(address) if not below else None
    for pod in ready_pods(store, service):
        own = pod.spec.hostname if pod.spec.subdomain == service.meta.name else ""
        if not below or below == own:
            return pod.status.pod_ip
    return None


def ready_pods(store: Store, service: StoredObject) -> Iterator[Pod]:
    """The pods a Service sends to: never those that end, unless it asks for all (POD-TERM-13)."""
    spec = service.spec or {}
    selector, takes_all = spec.get("selector"), bool(spec.get("publishNotReadyAddresses"))
    if not selector:
        return
    for uid in store.index.pods_by_namespace.get(service.meta.namespace or "", ()):
        pod = store.pods.get(uid)
        if pod is None or not pod.status.pod_ip or pod.is_finished:
            continue
        is_taken = takes_all or (pod.is_ready and pod.meta.deletion_ms is None)
        if is_taken and all(pod.meta.labels.get(name) == value for name, value in selector.items()):
            yield pod


def _is_outside(store: Store, labels: list[str]) -> bool:
    """A name of the world outside: neither in the cluster's domain nor in one of its namespaces."""
    last = labels[-1]
    if len(labels) < 2 or last in ("svc", "local", "internal") or last.isdigit():
        return False
    if len(labels) == 2:
        # A Service of a namespace that is not there looks the same but for its ending.
        return last in PUBLIC_ENDINGS
    return store.get("Namespace", "", last) is None
