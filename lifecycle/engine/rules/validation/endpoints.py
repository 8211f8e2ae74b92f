"""EndpointSlices and Endpoints: addresses that traffic can be sent to, and their ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .services import PROTOCOLS, check_port_entry
from .words.addresses import check_address, check_endpoint, read_address
from .words.field_error import FieldError, invalid, required
from .words.names import check_label, check_label_value, check_qualified, check_subdomain
from .words.part import Part, gathers

_TYPES = ("FQDN", "IPv4", "IPv6")
MOST_ENDPOINTS, MOST_ADDRESSES, MOST_PORTS, MOST_HINTS = 1000, 100, 20_000, 8


@gathers("")
def validate_endpoint_slice(data: Part) -> None:
    """Its family, ports and endpoints."""
    data.choice("addressType", _TYPES, needed=True)
    names: set[str] = set()
    for port in data.parts("ports") if data.limit("ports", MOST_PORTS) else ():
        port.text("name", check_label)
        port.once("name", port["name"] or "", names)
        port.given("protocol", PROTOCOLS)
        if port["appProtocol"] is not None:
            port.complain("appProtocol", check_qualified(port["appProtocol"]))
    for endpoint in data.parts("endpoints") if data.limit("endpoints", MOST_ENDPOINTS) else ():
        _validate_endpoint(endpoint, data["addressType"] or "")


def validate_slice_update(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldError]:
    """A slice keeps its family for life."""
    was, wanted = old.get("addressType"), new.get("addressType")
    if was != wanted:
        return [invalid("addressType", wanted, "field is immutable")]
    return validate_endpoint_slice(new)


def _validate_endpoint(endpoint: Part, family: str) -> None:
    endpoint.need("addresses", "must contain at least 1 address")
    endpoint.limit("addresses", MOST_ADDRESSES)
    for index, address in enumerate(endpoint["addresses"] or ()):
        endpoint.errors += _check_of_family(
            address, family, endpoint.at("addresses"), endpoint.at(f"addresses[{index}]")
        )
    if endpoint["nodeName"] is not None:
        endpoint.complain("nodeName", check_subdomain(endpoint["nodeName"]))
    if endpoint["hostname"] is not None:
        endpoint.complain("hostname", check_label(endpoint["hostname"]))
    hints = endpoint.part("hints")
    for field, check in (("forZones", check_label_value), ("forNodes", check_subdomain)):
        if not hints.limit(field, MOST_HINTS):
            return
        seen: set[str] = set()
        for hint in hints.parts(field):
            name = hint["name"] or ""
            hint.once("name", name, seen)
            hint.complain("name", check(name), name)


def _check_full_name(place: str, text: str) -> list[FieldError]:
    """A name in DNS of two labels at least, with or without the dot at its end."""
    if not text:
        return [required(place)]
    name = text.removesuffix(".")
    if complaints := check_subdomain(name):
        return [invalid(place, name, ",".join(complaints))]
    if "." not in name:
        return [invalid(place, name, "should be a domain with at least two segments separated by dots")]
    for label in name.split("."):
        if complaints := check_label(label):
            return [invalid(place, label, ",".join(complaints))]
    return []


def _check_of_family(text: str, family: str, path: str, place: str) -> list[FieldError]:
    if family not in ("IPv4", "IPv6"):
        return _check_full_name(place, text) if family == "FQDN" else []
    address = read_address(text)
    if address is None:
        return check_address(place, text)
    word = "an IPv4" if family == "IPv4" else "an IPv6"
    # The API server does not say which of the addresses.
    wrong = [] if f"IPv{address.version}" == family else [invalid(path, text, f"must be {word} address")]
    return wrong + check_endpoint(place, text)


@gathers("")
def validate_endpoints(data: Part) -> None:
    """The older form: addresses and ports by subset."""
    for subset in data.parts("subsets"):
        if not subset["addresses"] and not subset["notReadyAddresses"]:
            subset.require("", "must specify `addresses` or `notReadyAddresses`")
        for field in ("addresses", "notReadyAddresses"):
            for address in subset.parts(field):
                _validate_address(address)
        ports = subset.parts("ports")
        for port in ports:
            check_port_entry(port, len(ports))


def _validate_address(address: Part) -> None:
    """An address of the older form: whether it is one, and then whether traffic can be sent to it."""
    text = address["ip"] or ""
    if read_address(text) is None:
        address.errors += check_address(address.at("ip"), text)
    if address["hostname"]:
        address.complain("hostname", check_label(address["hostname"]))
    if address["nodeName"] is not None:
        address.complain("nodeName", check_subdomain(address["nodeName"]))
    if read_address(text) is None:
        address.refuse("ip", "must be a valid IP address", text)
    else:
        address.errors += check_endpoint(address.at("ip"), text)
