"""What the fields of a Service mean for one another: which addresses and ports its type has.

Models the predicates of Kubernetes' service registry. All take the JSON of a spec.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Spec = Mapping[str, Any]

CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT = "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"
SERVICE_TYPES = (CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT)
OPEN_TYPES = (LOAD_BALANCER, NODE_PORT)
"""The types that can be reached through the nodes."""
HEADLESS = "None"
SERVICE_NAME_LABEL = "kubernetes.io/service-name"
HEADLESS_LABEL = "service.kubernetes.io/headless"
"""The label of an EndpointSlice that says whose it is."""


def is_headless(spec: Spec) -> bool:
    """Whether a Service is only a name for the addresses of its pods."""
    return spec.get("clusterIP") == HEADLESS


def needs_address(spec: Spec) -> bool:
    """Whether it has an address of its own, or says that it wants none."""
    return spec.get("type") != EXTERNAL_NAME


def needs_node_ports(spec: Spec) -> bool:
    """Whether its ports are given ports of the nodes; a load balancer may do without."""
    kind = spec.get("type")
    return kind == NODE_PORT or (
        kind == LOAD_BALANCER and spec.get("allocateLoadBalancerNodePorts") is not False
    )


def needs_health_check_port(spec: Spec) -> bool:
    """Whether a load balancer asks each node whether it has endpoints of its own."""
    return spec.get("type") == LOAD_BALANCER and spec.get("externalTrafficPolicy") == "Local"


def is_reached_from_outside(spec: Spec) -> bool:
    """Whether traffic can come to it from outside of the cluster."""
    kind = spec.get("type")
    return kind in OPEN_TYPES or (kind == CLUSTER_IP and bool(spec.get("externalIPs")))


def wants_load_balancer(spec: Spec) -> bool:
    """Whether the cloud is to make a load balancer; one with a class is somebody else's to make."""
    return spec.get("type") == LOAD_BALANCER and not spec.get("loadBalancerClass")


def list_addresses(spec: Spec) -> list[str]:
    """Its addresses within the cluster; none where it is headless or an alias."""
    if not needs_address(spec) or is_headless(spec):
        return []
    return list(spec.get("clusterIPs") or ([spec["clusterIP"]] if spec.get("clusterIP") else []))


def list_ingress(status: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """What its load balancer was given: entries with `ip` or `hostname`."""
    return list(((status or {}).get("loadBalancer") or {}).get("ingress") or ())


def read_node_ports(spec: Spec) -> list[int]:
    """The ports of the nodes that it holds, that of the health check included."""
    ports = [port.get("nodePort") for port in spec.get("ports") or ()]
    return [port for port in (*ports, spec.get("healthCheckNodePort")) if port]
