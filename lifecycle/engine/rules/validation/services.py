"""Services: ports that can be told apart, addresses of their type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..network.services import (
    EXTERNAL_NAME,
    HEADLESS,
    LOAD_BALANCER,
    OPEN_TYPES,
    SERVICE_TYPES,
    is_headless,
    is_reached_from_outside,
    needs_address,
    needs_health_check_port,
)
from .pods.probes import validate_port
from .words.addresses import check_address, check_endpoint, check_network
from .words.field_error import FieldError, duplicate, invalid
from .words.go_structs import show_struct
from .words.metadata import validate_labels
from .words.names import check_label, check_qualified, check_subdomain
from .words.part import Part, gathers

PROTOCOLS = ("SCTP", "TCP", "UDP")
NODE_PORTS = (30000, 32767)
_TRAFFIC = ("Cluster", "Local")
_FAMILIES = ("IPv4", "IPv6")
_LONGEST_SESSION = 86_400
_OF_BALANCERS = "may only be used when `type` is 'LoadBalancer'"


@gathers("spec")
def validate_service(spec: Part) -> None:
    """Everything that a Service says, in the API server's order."""
    if not _is_headless(spec) and spec["type"] != EXTERNAL_NAME:
        spec.need("ports")
    _validate_type(spec)
    _validate_ports(spec.parts("ports"))
    spec.apply("selector", validate_labels)
    _validate_session(spec)
    if spec["type"] != EXTERNAL_NAME:
        _validate_addresses(spec)
    for index, address in enumerate(spec["externalIPs"] or ()):
        spec.errors += check_endpoint(spec.at(f"externalIPs[{index}]"), address)
    spec.choice("type", SERVICE_TYPES)
    _validate_port_numbers(spec)
    _validate_balancer(spec)
    _validate_traffic(spec)
    if not spec.errors:
        _validate_allocation(spec)


def validate_service_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    """A Service keeps the address, the class and the port of the health check that it was given."""
    errors = []
    if needs_address(before) and needs_address(after):
        errors += _find_changed_address(before, after)
    if before.get("type") == after.get("type") == LOAD_BALANCER:
        errors += _find_changed("loadBalancerClass", before, after, "may not change once set")
    if needs_health_check_port(before) and needs_health_check_port(after):
        errors += _find_changed("healthCheckNodePort", before, after, "field is immutable")
    return errors


def validate_service_status(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Mapping[str, bool]
) -> list[FieldError]:
    """Where a load balancer is reached."""
    kind = (new.get("spec") or {}).get("type")
    return _validate_reached((new.get("status") or {}).get("loadBalancer") or {}, kind)


@gathers("status.loadBalancer")
def _validate_reached(balancer: Part, kind: str | None) -> None:
    if balancer["ingress"] and kind != LOAD_BALANCER:
        balancer.forbid("ingress", "may only be used when `spec.type` is 'LoadBalancer'")
        return
    for point in balancer.parts("ingress"):
        mode = point["ipMode"]
        if point["ip"]:
            point.errors += check_address(point.at("ip"), point["ip"])
        if mode is not None and not point["ip"]:
            point.forbid("ipMode", "may not be specified when `ip` is not set")
        elif mode is not None:
            point.support("ipMode", ("Proxy", "VIP"))
        point.text("hostname", check_subdomain)


def _find_changed_address(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    was, wanted = before.get("clusterIP"), after.get("clusterIP")
    if was and wanted != was:
        return [invalid("spec.clusterIPs[0]", [wanted], "may not change once set")]
    families = [(spec.get("ipFamilies") or [None])[0] for spec in (before, after)]
    if None not in families and families[0] != families[1] and not is_headless(after):
        return [invalid("spec.ipFamilies[0]", after["ipFamilies"], "may not change once set")]
    return []


def _find_changed(
    field: str, before: Mapping[str, Any], after: Mapping[str, Any], detail: str
) -> list[FieldError]:
    is_same = before.get(field) == after.get(field)
    return [] if is_same else [invalid(f"spec.{field}", after.get(field), detail)]


def _is_headless(spec: Part) -> bool:
    """Whether it has no address, and says nothing else besides."""
    addresses: list[str] = spec["clusterIPs"] or [spec["clusterIP"]]
    return addresses == [HEADLESS]


def _validate_type(spec: Part) -> None:
    """What a Service may not be beside what it is."""
    kind = spec["type"]
    if kind in OPEN_TYPES and _is_headless(spec):
        spec.refuse("clusterIPs[0]", f"may not be set to 'None' for {kind} services", HEADLESS)
    if kind != EXTERNAL_NAME:
        return
    for field in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec[field] or (field == "clusterIPs" and spec["clusterIP"]):
            spec.forbid(field, "may not be set for ExternalName services")
    name = (spec["externalName"] or "").removesuffix(".")
    if name:
        spec.complain("externalName", check_subdomain(name), name)
    else:
        spec.require("externalName")


def _validate_ports(ports: Sequence[Part]) -> None:
    names: set[str] = set()
    for port in ports:
        check_port_entry(port, len(ports), names)
        if port["targetPort"] is not None:
            port.apply("targetPort", validate_port)
        if port["appProtocol"] is not None:
            port.complain("appProtocol", check_qualified(port["appProtocol"]))


def check_port_entry(port: Part, count: int, names: set[str] | None = None) -> None:
    """One of `count` ports: its name, which only one may do without, its number and its protocol."""
    if port["name"]:
        port.text("name", check_label)
        if names is not None:
            port.once("name", port["name"], names)
    elif count > 1:
        port.require("name")
    port.within("port", 1, 65535, port["port"] or 0)
    port.choice("protocol", PROTOCOLS)


def _validate_port_numbers(spec: Part) -> None:
    """Ports of the nodes where there are such, and no pair of protocol and number twice."""
    ports = spec.parts("ports")
    node_ports = [port for port in ports if port["nodePort"]]
    if spec["type"] == "ClusterIP":
        for port in node_ports:
            port.forbid("nodePort", "may not be used when `type` is 'ClusterIP'")
    seen = set()
    for port in node_ports:
        if (port["protocol"], port["nodePort"]) in seen:
            port.errors.append(duplicate(port.at("nodePort"), port["nodePort"]))
        seen.add((port["protocol"], port["nodePort"]))
    shown: set[str] = set()
    for port in ports:
        port.once("", show_struct("ServicePort", {name: port[name] for name in ("protocol", "port")}), shown)


def _validate_session(spec: Part) -> None:
    spec.choice("sessionAffinity", ("ClientIP", "None"))
    if spec["sessionAffinity"] == "None" and spec["sessionAffinityConfig"] is not None:
        spec.forbid("sessionAffinityConfig", "must not be set when session affinity is None")
    if spec["sessionAffinity"] == "ClientIP":
        client = spec.part("sessionAffinityConfig").part("clientIP")
        seconds = client["timeoutSeconds"]
        if seconds is not None and not 0 < seconds <= _LONGEST_SESSION:
            client.refuse("timeoutSeconds", f"must be greater than 0 and less than {_LONGEST_SESSION}")


def _validate_addresses(spec: Part) -> None:
    first, families = spec["clusterIP"], spec["ipFamilies"] or ()
    addresses = spec["clusterIPs"] or ([first] if first else [])
    if first and addresses[0] != first:
        spec.refuse("clusterIPs", "first value must match `clusterIP`", addresses)
    elif not first and addresses:
        spec.refuse("clusterIPs", "must be empty when `clusterIP` is not specified", addresses)
    seen: set[str] = set()
    for index, family in enumerate(families):
        spec.support(f"ipFamilies[{index}]", _FAMILIES, family)
        spec.once(f"ipFamilies[{index}]", family, seen)
    spec.given("ipFamilyPolicy", ("PreferDualStack", "RequireDualStack", "SingleStack"))
    if HEADLESS in addresses[:1] and len(addresses) > 1:
        spec.refuse("clusterIPs", "'None' must be the first and only value", addresses)
    for index, address in enumerate(addresses):
        if index or address != HEADLESS:
            spec.errors += check_address(spec.at(f"clusterIPs[{index}]"), address)
    if len(addresses) > 2:
        spec.refuse("clusterIPs", "may only hold up to 2 values", addresses)


def _validate_allocation(spec: Part) -> None:
    """What this cluster has to give, looked at once all else is right: addresses of IPv4 alone."""
    if spec["type"] == EXTERNAL_NAME:
        return
    if not is_headless(spec.data) or spec["selector"]:
        if spec["ipFamilyPolicy"] == "RequireDualStack":
            spec.refuse("ipFamilyPolicy", "this cluster is not configured for dual-stack services")
        for index, family in enumerate(spec["ipFamilies"] or ()):
            if family != "IPv4":
                spec.refuse(f"ipFamilies[{index}]", "not configured on this cluster", family)
    if spec.errors:
        return
    low, high = NODE_PORTS
    detail = f"provided port is not in the valid range. The range of valid ports is {low}-{high}"
    for port in spec.parts("ports"):
        if port["nodePort"] and not low <= port["nodePort"] <= high:
            port.refuse("nodePort", detail)


def _validate_balancer(spec: Part) -> None:
    """What only a load balancer has."""
    is_balancer = spec["type"] == LOAD_BALANCER
    # The API server does write it with a capital.
    place, ranges = "LoadBalancerSourceRanges", spec["loadBalancerSourceRanges"] or ()
    if ranges and not is_balancer:
        spec.forbid(place, _OF_BALANCERS)
    for index, text in enumerate(ranges):
        spec.errors += check_network(spec.at(f"{place}[{index}]"), text.strip())
    for field in spec.list_given(("allocateLoadBalancerNodePorts", "loadBalancerClass")):
        if not is_balancer:
            spec.forbid(field, _OF_BALANCERS)
        elif field == "loadBalancerClass":
            spec.complain(field, check_qualified(spec[field]))


def _validate_traffic(spec: Part) -> None:
    """Where traffic may go, from outside and within."""
    outside = spec["externalTrafficPolicy"]
    if is_reached_from_outside(spec.data):
        spec.choice("externalTrafficPolicy", _TRAFFIC)
    elif outside:
        spec.refuse("externalTrafficPolicy", "may only be set for externally-accessible services")
    if spec["healthCheckNodePort"] and not needs_health_check_port(spec.data):
        detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        spec.refuse("healthCheckNodePort", detail)
    spec.given("internalTrafficPolicy", _TRAFFIC)
    spec.choice("trafficDistribution", ("PreferClose", "PreferSameZone", "PreferSameNode"))
