"""Ports of its node that a pod takes for itself: no two pods of a node have the same. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ...objects.pods.pod import HostPort, PodSpec

NO_FREE_PORTS = "node(s) didn't have free ports for the requested pod ports"
_ANY = "0.0.0.0"


def list_host_ports(spec: PodSpec) -> tuple[HostPort, ...]:
    """The ports a pod takes of its node: those of its containers and sidecars."""
    known = spec.notes.host_ports
    if known is None:
        sidecars = (one for one in spec.init_containers if one.is_sidecar)
        known = spec.notes.host_ports = tuple(
            (port.get("protocol") or "TCP", port.get("hostIP") or _ANY, port["hostPort"])
            for container in (*spec.containers, *sidecars)
            for port in container.ports
            if port.get("hostPort")
        )
    return known


def has_clash(wanted: Iterable[HostPort], taken: Iterable[HostPort]) -> bool:
    """Whether one of the ports is taken: at its address, or at all addresses of the node."""
    return any(
        protocol == other_protocol and port == other and (address == at or _ANY in (address, at))
        for protocol, address, port in wanted
        for other_protocol, at, other in taken
    )
