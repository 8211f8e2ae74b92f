"""The allocators of Services: cluster IPs from 10.96.0.0/12, and node ports from 30000 to 32767.

Models the allocators of the service registry for IPv4. Addresses are allocated in order, ports are drawn. A
Service keeps both until it is deleted, and no two Services have the same.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Network, ip_address
from typing import Any

from ..objects.meta import StoredObject
from ..rules.network.services import (
    LOAD_BALANCER,
    NODE_PORT,
    is_headless,
    needs_address,
    needs_health_check_port,
    needs_node_ports,
    read_node_ports,
)
from ..rules.validation.services import NODE_PORTS
from ..rules.validation.words.field_error import invalid, required
from ..rules.validation.words.refusal import raise_invalid
from .context import Context
from .identity import count_up

Json = dict[str, Any]
SERVICE_RANGE = IPv4Network("10.96.0.0/12")
_COUNTER = "clusterIP"
_FIRST = 10
"""The addresses before it are kept for the API server and DNS."""
_TAKEN = "provided port is already allocated"
_KEPT_PORTS = 86
"""So many ports at the range's start are left to those who ask for one, as long as there are others."""


def with_allocations(context: Context, data: Json) -> Json:
    """A new Service with its families, address and ports. Raises Invalid for what another Service has."""
    spec = dict(data.get("spec") or {})
    if needs_address(spec):
        _fill_families(spec)
        _fill_address(context, data, spec)
    _fill_node_ports(context, data, spec, ())
    return {**data, "spec": spec, "status": {"loadBalancer": {}}}


def with_later_allocations(context: Context, old: StoredObject, wanted: Json) -> Json:
    """A changed Service with what it lacks now: it may have been an alias, or closed to the outside."""
    before, spec = old.spec or {}, dict(wanted.get("spec") or {})
    if needs_address(spec):
        _fill_families(spec)
        if not before.get("clusterIP"):
            _fill_address(context, wanted, spec)
    _fill_node_ports(context, wanted, spec, read_node_ports(before))
    filled = {**wanted, "spec": spec}
    if spec.get("type") != LOAD_BALANCER and (wanted.get("status") or {}).get("loadBalancer"):
        # Who asks sees no load balancer any more, though the cloud takes its time to take it down.
        filled["status"] = {**wanted["status"], "loadBalancer": {}}
    return filled


def _fill_families(spec: Json) -> None:
    """IPv4; one that is headless and selects nothing may have endpoints of both families."""
    is_anybodys = is_headless(spec) and not spec.get("selector")
    policy = spec.setdefault("ipFamilyPolicy", "RequireDualStack" if is_anybodys else "SingleStack")
    families = list(spec.get("ipFamilies") or ["IPv4"])
    if is_anybodys and policy != "SingleStack" and len(families) == 1:
        families.append("IPv6" if families[0] == "IPv4" else "IPv4")
    spec["ipFamilies"] = families


def _fill_address(context: Context, data: Json, spec: Json) -> None:
    """The next free address, unless it asks for one or for none."""
    address = spec.get("clusterIP")
    if address and address != "None":
        problem = _find_address_problem(context, address)
        if problem:
            detail = f"failed to allocate IP {address}: {problem}"
            raise_invalid(data, [invalid("spec.clusterIPs", [address], detail)])
    while not address or (context.services.find_by_address(address) is not None and address != "None"):
        number = (count_up(context.store, _COUNTER) + _FIRST) % SERVICE_RANGE.num_addresses
        address = str(SERVICE_RANGE[number]) if number > _FIRST else None
    spec["clusterIP"], spec["clusterIPs"] = address, [address]


def _find_address_problem(context: Context, text: str) -> str:
    address = ip_address(text)
    ends = (SERVICE_RANGE.network_address, SERVICE_RANGE.broadcast_address)
    if address not in SERVICE_RANGE or address in ends:
        return (
            f"the provided IP ({text}) is not in the valid range. The range of valid IPs is {SERVICE_RANGE}"
        )
    return "provided IP is already allocated" if context.services.find_by_address(text) else ""


# --- ports of the nodes -----------------------------------------------------------------------------------


def _fill_node_ports(context: Context, data: Json, spec: Json, own: Collection[int]) -> None:
    """Ports for those that have none, where the type has them. `own`: those that it held before."""
    if spec.get("type") not in (LOAD_BALANCER, NODE_PORT):
        return
    ports = [dict(port) for port in spec.get("ports") or ()]
    held = set(own)
    # Protocols of one port share a port of the nodes.
    by_port: dict[Any, int] = {}
    for index, port in enumerate(ports):
        wanted = port.get("nodePort")
        if wanted:
            by_port.setdefault(port.get("port"), wanted)
            if wanted not in held and context.services.list_by_node_port(wanted):
                place = f"spec.ports[{index}].nodePort"
                raise_invalid(data, [invalid(place, wanted, _TAKEN)])
            held.add(wanted)
    for port in ports:
        if not port.get("nodePort") and needs_node_ports(spec):
            known = by_port.get(port.get("port"))
            port["nodePort"] = known or _draw_port(context, data, str(port.get("port")), held)
            by_port.setdefault(port.get("port"), port["nodePort"])
            held.add(port["nodePort"])
    spec["ports"] = ports
    if needs_health_check_port(spec):
        _fill_health_check(context, data, spec, held)


def _fill_health_check(context: Context, data: Json, spec: Json, held: Collection[int]) -> None:
    wanted = spec.get("healthCheckNodePort")
    if not wanted:
        spec["healthCheckNodePort"] = _draw_port(context, data, "healthCheck", held)
    elif wanted not in held and context.services.list_by_node_port(wanted):
        raise_invalid(data, [invalid("spec.healthCheckNodePort", wanted, _TAKEN)])


def _draw_port(context: Context, data: Json, purpose: str, held: Collection[int]) -> int:
    """A free port, drawn from those that are left to chance; from the kept ones when these are taken."""
    meta, (low, high) = data.get("metadata") or {}, NODE_PORTS
    first = low + _KEPT_PORTS
    drawn = context.chance.draw("nodePort", meta.get("namespace") or "", meta.get("name") or "", purpose)
    start = first + int(drawn * (high + 1 - first))
    ports = (*range(start, high + 1), *range(first, start), *range(low, first))
    free = (port for port in ports if port not in held and not context.services.list_by_node_port(port))
    found = next(free, 0)
    if not found:
        raise_invalid(data, [required("spec.ports", "failed to allocate a nodePort: range is full")])
    return found
