"""What a pod's containers call themselves, and whom they ask for names.

Models the kubelet's host names (`hostname`, `subdomain`, `setHostnameAsFQDN`) and its resolv.conf
(`dnsPolicy`, `dnsConfig`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_tuples import NamedTuple

CLUSTER_DNS = "10.96.0.10"
CLUSTER_DOMAIN = "cluster.local"
NODE_DNS = "10.0.0.2"
"""Whom the nodes themselves ask: it knows the world outside alone."""
MOST_OF_A_HOST_NAME = 63
MOST_OF_A_KERNEL_NAME = 64
_DOTS = 5


class HostName(NamedTuple):
    """The name of a pod's host, and the domain it stands in ("": none)."""

    name: str
    domain: str = ""

    @property
    def full(self) -> str:
        """Both, with a dot between."""
        return f"{self.name}.{self.domain}" if self.domain else self.name


class Resolver(NamedTuple):
    """What resolv.conf says."""

    servers: tuple[str, ...]
    searches: tuple[str, ...]
    options: tuple[str, ...] = ()

    @property
    def asks_cluster(self) -> bool:
        """Whether names of the cluster are found."""
        return CLUSTER_DNS in self.servers

    @property
    def dots(self) -> int:
        """With so many dots a name is first looked up as it is."""
        found = [one.partition(":")[2] for one in self.options if one.startswith("ndots:")]
        return int(found[-1]) if found and found[-1].isdigit() else 1

    def expand(self, host: str) -> list[str]:
        """The full names that a name may mean, in the order in which they are asked for."""
        if host.endswith("."):
            return [host[:-1]]
        searched = [f"{host}.{domain}" for domain in self.searches]
        return [host, *searched] if host.count(".") >= self.dots else [*searched, host]


def decide_host_name(spec: Mapping[str, Any], pod: str, namespace: str, node: str, domain: str) -> HostName:
    """The name of a pod's host: its own unless it says another; on its node's network that of the node."""
    if spec.get("hostnameOverride"):
        return HostName(spec["hostnameOverride"])
    if spec.get("hostNetwork"):
        return HostName(node)
    name = str(spec.get("hostname") or pod)[:MOST_OF_A_HOST_NAME].rstrip("-.")
    below = f"{spec['subdomain']}.{namespace}.svc.{domain}" if spec.get("subdomain") else ""
    return HostName(name, below)


def decide_kernel_name(spec: Mapping[str, Any], host: HostName) -> str:
    """What `hostname` says: the full name where that is asked for."""
    return host.full if spec.get("setHostnameAsFQDN") else host.name


def find_name_problem(spec: Mapping[str, Any], host: HostName) -> str:
    """Why a pod cannot be given its full name; "" when it can, or does not ask for it."""
    length = len(host.full)
    if not spec.get("setHostnameAsFQDN") or length <= MOST_OF_A_KERNEL_NAME:
        return ""
    return (
        f"Failed to construct FQDN from pod hostname and cluster domain, FQDN {host.full} is too long"
        f" ({MOST_OF_A_KERNEL_NAME} characters is the max, {length} characters requested)"
    )


def decide_resolver(spec: Mapping[str, Any], namespace: str, domain: str) -> Resolver:
    """Whom a pod asks: the cluster's DNS, its node's, or whom it says; its own settings come after."""
    policy = spec.get("dnsPolicy") or "ClusterFirst"
    if policy == "ClusterFirst" and spec.get("hostNetwork"):
        policy = "Default"
    servers: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    if policy in ("ClusterFirst", "ClusterFirstWithHostNet"):
        servers, options = (CLUSTER_DNS,), (f"ndots:{_DOTS}",)
        searches = (f"{namespace}.svc.{domain}", f"svc.{domain}", domain)
    elif policy == "Default":
        servers = (NODE_DNS,)
    own = spec.get("dnsConfig") or {}
    more = tuple(
        f"{one.get('name', '')}:{one['value']}" if one.get("value") else str(one.get("name", ""))
        for one in own.get("options") or ()
    )
    named = {one.partition(":")[0] for one in more}
    kept = tuple(one for one in options if one.partition(":")[0] not in named)
    return Resolver(
        tuple(dict.fromkeys((*servers, *(own.get("nameservers") or ())))),
        tuple(dict.fromkeys((*searches, *(own.get("searches") or ())))),
        (*kept, *more),
    )
