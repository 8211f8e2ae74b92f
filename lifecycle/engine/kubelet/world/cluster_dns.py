"""Cluster DNS: which addresses a name has for a pod.

A Service has its own address; one without has those of its endpoints, as its slices tell them. An endpoint
has a name below its Service: its host name, or its address with dashes. That there is no such host is
remembered for a while (CoreDNS' cache of denials); Services are looked up anew each time. What belongs to
neither the cluster nor one of its namespaces is the world outside, and taken to be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ...api.context import DNS, Context
from ...objects.meta import StoredObject
from ...rules.network.service_routing import is_ready
from ...rules.network.services import EXTERNAL_NAME, list_addresses
from ...rules.pods.host_names import CLUSTER_DOMAIN, Resolver

OUTSIDE = "203.0.113.1"
"""The address of everything outside the cluster (a range kept for examples)."""
PUBLIC_ENDINGS = ("com", "org", "net", "io", "dev")
_MOST_ALIASES = 8
_MOST_DENIED = 1000


class ServicePort(NamedTuple):
    """What an SRV record says: a host, and its port."""

    host: str
    port: int


def read_domain(kubelets: Iterable[Mapping[str, Any]]) -> str:
    """The cluster's domain, as the kubelets' configurations say."""
    found = [str(one["clusterDomain"]) for one in kubelets if one.get("clusterDomain")]
    return found[0].strip(".") if found else CLUSTER_DOMAIN


class ClusterDns:
    """The DNS of one cluster."""

    __slots__ = ("_context", "_denied", "_zone", "domain")

    def __init__(self, context: Context) -> None:
        self._context = context
        self.domain = read_domain(context.settings.kubelet)
        self._zone = self.domain.split(".")
        # Until when (ms) it is remembered that there is no such host, by full name.
        self._denied: dict[str, int] = {}

    # --- asking -----------------------------------------------------------------------------------------

    def look_up(self, resolver: Resolver, host: str) -> Sequence[str]:
        """The addresses of a name; none when nobody has it, or nobody can say."""
        if self._is_away(resolver):
            return ()
        for name in resolver.expand(host):
            found = self._addresses(name, resolver.asks_cluster, _MOST_ALIASES)
            if found:
                return list(dict.fromkeys(found))
        return ()

    def find_services(self, resolver: Resolver, host: str) -> Sequence[ServicePort]:
        """Where a named port is served: `_http._tcp.web` and its like."""
        if self._is_away(resolver):
            return ()
        for name in resolver.expand(host) if resolver.asks_cluster else ():
            labels = self._below_services(name.lower().split("."))
            if len(labels) == 4 and labels[0].startswith("_") and labels[1].startswith("_"):
                service = self._context.store.get("Service", labels[3], labels[2])
                if service is not None:
                    return list(self._list_ports(service, labels[0][1:], labels[1][1:]))
        return ()

    def _is_away(self, resolver: Resolver) -> bool:
        return DNS in self._context.away and resolver.asks_cluster

    # --- names ------------------------------------------------------------------------------------------

    def _below_services(self, labels: list[str]) -> list[str]:
        """What stands before `svc` and the cluster's domain; nothing for any other name."""
        end = ["svc", *self._zone]
        return labels[: -len(end)] if labels[-len(end) :] == end else []

    def _addresses(self, name: str, asks_cluster: bool, aliases: int) -> Sequence[str]:
        labels = name.lower().split(".")
        if labels[-len(self._zone) :] != self._zone:
            return [OUTSIDE] if self._is_outside(labels) else []
        if not asks_cluster:
            return []
        before = self._below_services(labels)
        if len(before) == 2:
            return self._of_service(before[1], before[0], aliases)
        if len(before) == 3:
            return self._of_host(name.lower(), before)
        return self._of_pod(labels[: -len(self._zone)])

    def _of_service(self, namespace: str, name: str, aliases: int) -> Sequence[str]:
        service = self._context.store.get("Service", namespace, name)
        if service is None:
            return []
        spec = service.spec or {}
        if spec.get("type") == EXTERNAL_NAME:
            alias = str(spec.get("externalName") or "").rstrip(".")
            return self._addresses(alias, True, aliases - 1) if aliases else []
        return list_addresses(spec) or [address for address, _host in self._list_hosts(service)]

    def _of_host(self, name: str, labels: list[str]) -> Sequence[str]:
        """A host below a Service. That it is not there is remembered."""
        now_ms = self._context.now_ms
        if self._denied.get(name, 0) > now_ms:
            return []
        service = self._context.store.get("Service", labels[2], labels[1])
        hosts = self._list_hosts(service) if service is not None else ()
        found = [address for address, host in hosts if host == labels[0]]
        if not found:
            self._deny(name, now_ms)
        return found

    def _deny(self, name: str, now_ms: int) -> None:
        kept_ms = self._context.draw_ms("dns_denial", name)
        if len(self._denied) >= _MOST_DENIED:
            self._denied = {one: until for one, until in self._denied.items() if until > now_ms}
        if kept_ms:
            self._denied[name] = now_ms + kept_ms

    def _of_pod(self, labels: list[str]) -> Sequence[str]:
        """`10-64-1-2.shop.pod`: any address of a namespace that there is."""
        if (
            len(labels) != 3
            or labels[2] != "pod"
            or self._context.store.get("Namespace", "", labels[1]) is None
        ):
            return []
        parts = labels[0].split("-")
        return [".".join(parts)] if len(parts) == 4 and all(map(str.isdigit, parts)) else []

    def _list_hosts(self, service: StoredObject) -> Iterator[tuple[str, str]]:
        """(address, host) of every ready endpoint."""
        if (service.spec or {}).get("type") == EXTERNAL_NAME:
            return
        for entry in self._context.services.slices_of(service.meta.namespace or "", service.meta.name):
            for endpoint in (entry.extra or {}).get("endpoints") or ():
                if is_ready(endpoint):
                    for address in endpoint.get("addresses") or ():
                        yield address, endpoint.get("hostname") or address.replace(".", "-")

    def _list_ports(self, service: StoredObject, name: str, protocol: str) -> Iterator[ServicePort]:
        spec = service.spec or {}
        own = f"{service.meta.name}.{service.meta.namespace}.svc.{self.domain}"
        if list_addresses(spec):
            for port in spec.get("ports") or ():
                if (port.get("name") or "", str(port.get("protocol")).lower()) == (name, protocol):
                    yield ServicePort(own, port["port"])
            return
        for entry in self._context.services.slices_of(service.meta.namespace or "", service.meta.name):
            extra = entry.extra or {}
            for port in extra.get("ports") or ():
                said = (port.get("name") or "", str(port.get("protocol") or "TCP").lower())
                if said != (name, protocol) or not port.get("port"):
                    continue
                for endpoint in filter(is_ready, extra.get("endpoints") or ()):
                    for address in endpoint.get("addresses") or ():
                        host = endpoint.get("hostname") or address.replace(".", "-")
                        yield ServicePort(f"{host}.{own}", port["port"])

    def _is_outside(self, labels: list[str]) -> bool:
        """A name of the world outside: neither in the cluster's domain nor in one of its namespaces."""
        last = labels[-1]
        if len(labels) < 2 or last in ("svc", "local", "internal") or last.isdigit():
            return False
        if len(labels) == 2:
            # A Service of a namespace that is not there looks the same but for its ending.
            return last in PUBLIC_ENDINGS
        return self._context.store.get("Namespace", "", last) is None

    # --- save and load ----------------------------------------------------------------------------------

    def save(self) -> dict[str, int]:
        """What is remembered not to be there: until when (ms), by name."""
        return {name: until for name, until in self._denied.items() if until > self._context.now_ms}

    def load(self, data: Mapping[str, int]) -> None:
        """Go on from what `save` described."""
        self._denied = dict(data)
