"""Defaults of Services and Endpoints, and what a Service keeps though its writer leaves it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..network.services import (
    CLUSTER_IP,
    EXTERNAL_NAME,
    LOAD_BALANCER,
    OPEN_TYPES,
    is_reached_from_outside,
    needs_address,
    needs_health_check_port,
    needs_node_ports,
)
from .pods import Json, fill, fill_pointers

_LONGEST_IDLE_SECONDS = 10_800
_HTTPS_PORT = 443
_OF_ADDRESS = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
_OF_BALANCER = ("allocateLoadBalancerNodePorts", "loadBalancerClass")


def default_service(data: Mapping[str, Any]) -> Json:
    """Type, ports, session and traffic; addresses and ports of nodes are given when it is stored."""
    spec = dict(data.get("spec") or {})
    fill(spec, type=CLUSTER_IP, sessionAffinity="None")
    if spec["sessionAffinity"] == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _LONGEST_IDLE_SECONDS}}
    elif spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    if spec["type"] != EXTERNAL_NAME:
        fill_pointers(spec, internalTrafficPolicy="Cluster")
    if is_reached_from_outside(spec):
        fill(spec, externalTrafficPolicy="Cluster")
    if spec["type"] == LOAD_BALANCER:
        fill(spec, allocateLoadBalancerNodePorts=True)
    if spec.get("ports"):
        spec["ports"] = [_default_port(port) for port in spec["ports"]]
    return {**data, "spec": spec}


def _default_port(port: Mapping[str, Any]) -> Json:
    found = dict(port)
    fill(found, protocol="TCP")
    # 0 is as good as nothing, and a port without a number is 0.
    found["targetPort"] = found.get("targetPort") or found.get("port") or 0
    return found


def default_endpoints(data: Mapping[str, Any]) -> Json:
    """Ports are of TCP."""
    subsets = data.get("subsets")
    return {**data, "subsets": [with_protocols(one) for one in subsets]} if subsets else dict(data)


def default_endpoint_slice(data: Mapping[str, Any]) -> Json:
    """Ports are of TCP and have a name, if an empty one."""
    found = with_protocols(data, name="")
    endpoints = data.get("endpoints")
    if endpoints:
        found["endpoints"] = [{**one, "conditions": one.get("conditions") or {}} for one in endpoints]
    return found


def with_protocols(data: Mapping[str, Any], **more: str) -> Json:
    """What has `ports`, each of TCP and with `more`, where it does not say otherwise."""
    ports = data.get("ports")
    return {**data, "ports": [{"protocol": "TCP", **more, **port} for port in ports]} if ports else dict(data)


def with_port(client: Mapping[str, Any]) -> Json:
    """Who asks a `service`, at the port where servers of HTTPS listen, where it names none."""
    service = client.get("service")
    return dict(client) if service is None else {**client, "service": {"port": _HTTPS_PORT, **service}}


def keep_given(before: Mapping[str, Any], after: Mapping[str, Any]) -> Mapping[str, Any]:
    """A changed Service keeps the addresses and ports that it was given, where they are left out.

    What only its former type has goes with that, where it was left as it was.
    """
    spec = dict(after)
    if spec.get("clusterIP") != before.get("clusterIP") and spec.get("clusterIPs") == before.get(
        "clusterIPs"
    ):
        # One address says the same as a list of one.
        spec["clusterIPs"] = [spec["clusterIP"]] if spec.get("clusterIP") else None
    if needs_address(before) and not needs_address(spec):
        _drop_unchanged(before, spec, (*_OF_ADDRESS, "internalTrafficPolicy"))
    if before.get("type") in OPEN_TYPES and spec.get("type") not in OPEN_TYPES:
        _drop_node_ports(before, spec)
    if needs_health_check_port(before) and not needs_health_check_port(spec):
        _drop_unchanged(before, spec, ("healthCheckNodePort",))
    if before.get("type") == LOAD_BALANCER and spec.get("type") != LOAD_BALANCER:
        _drop_unchanged(before, spec, _OF_BALANCER)
    if is_reached_from_outside(before) and not is_reached_from_outside(spec):
        _drop_unchanged(before, spec, ("externalTrafficPolicy",))
    if needs_address(before) and needs_address(spec):
        _keep(before, spec, _OF_ADDRESS)
    if needs_node_ports(before) and needs_node_ports(spec):
        _keep_node_ports(before, spec)
    if needs_health_check_port(before) and needs_health_check_port(spec):
        _keep(before, spec, ("healthCheckNodePort",))
    return spec


def _drop_unchanged(before: Mapping[str, Any], spec: Json, fields: Iterable[str]) -> None:
    for field in fields:
        if field in spec and spec[field] == before.get(field):
            del spec[field]


def _drop_node_ports(before: Mapping[str, Any], spec: Json) -> None:
    if set(_node_ports(spec)) <= set(_node_ports(before)):
        ports = spec.get("ports") or ()
        spec["ports"] = [{name: port[name] for name in port if name != "nodePort"} for port in ports]


def _keep(before: Mapping[str, Any], spec: Json, fields: Iterable[str]) -> None:
    for field in fields:
        if not spec.get(field) and before.get(field):
            spec[field] = before[field]


def _keep_node_ports(before: Mapping[str, Any], spec: Json) -> None:
    """Each port by its name, unless another port asks for the number now."""
    given = {port.get("name") or "": port.get("nodePort") for port in before.get("ports") or ()}
    taken = set(_node_ports(before)) & set(_node_ports(spec))
    ports = []
    for port in spec.get("ports") or ():
        known = given.get(port.get("name") or "")
        is_free = not port.get("nodePort") and known and known not in taken
        ports.append({**port, "nodePort": known} if is_free else port)
    spec["ports"] = ports


def _node_ports(spec: Mapping[str, Any]) -> list[int]:
    return [port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")]
