"""IP addresses and ranges that can be misread: warned of, and refused where StrictIPCIDRValidation is on.

It is on since v1.36. Models apimachinery/pkg/util/validation/ip.go: GetWarningsForIP, parseIP and parseCIDR,
and who calls these by IsValidIPForLegacyField and IsValidCIDRForLegacyField: what an object has already
stays allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any

from lifecycle.late_patterns import late_pattern

from ....releases.gates import is_enabled
from .addresses import Address, read_address, read_network
from .field_error import FieldError, invalid

Json = Mapping[str, Any]
GATE = "StrictIPCIDRValidation"
_SPEC = ("spec.clusterIPs[]", "spec.externalIPs[]")
_SUBSETS = ("subsets[].addresses[].ip", "subsets[].notReadyAddresses[].ip")
_BALANCER = ("status.loadBalancer.ingress[].ip",)
_OF_PODS = ("dnsConfig.nameservers[]", "hostAliases[].ip")
ADDRESSES: Mapping[str, tuple[str, ...]] = {
    "Service": (*_SPEC, *_BALANCER),
    "Endpoints": _SUBSETS,
    "EndpointSlice": ("endpoints[].addresses[]",),
    "Ingress": _BALANCER,
}
RANGES: Mapping[str, tuple[str, ...]] = {
    "Service": ("spec.loadBalancerSourceRanges[]",),
    "NetworkPolicy": tuple(
        f"spec.{way}[].ipBlock.{field}"
        for way in ("ingress[].from", "egress[].to")
        for field in ("cidr", "except[]")
    ),
}
_WRITTEN = {"spec.loadBalancerSourceRanges": "spec.LoadBalancerSourceRanges"}
"""Paths that the API server writes otherwise."""
_DOTTED = late_pattern(r"[0-9]{1,3}(\.[0-9]{1,3}){3}")


def list_address_warnings(path: str, text: str) -> list[str]:
    """Warnings of one address: zeros before its numbers, or an unusual way to write it."""
    if _DOTTED.fullmatch(text):
        plain = ".".join(str(int(part)) for part in text.split("."))
        if plain == text or any(int(part) > 255 for part in plain.split(".")):
            return []
        return [_say(path, text, plain)]
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return []
    if address.ipv4_mapped is not None:
        return [_say(path, text, str(IPv4Address(address.ipv4_mapped)))]
    if str(address) == text:
        return []
    return [f'{path}: IPv6 address "{text}" should be in RFC 5952 canonical format ("{address}")']


def _say(path: str, text: str, better: str) -> str:
    future = "will be considered invalid in a future Kubernetes release"
    return f'{path}: non-standard IP address "{text}" {future}: use "{better}"'


# --- refused ------------------------------------------------------------------------------------------------


def list_strict_errors(
    data: Json, old: Json | None, pod_spec: tuple[str, ...], gates: Mapping[str, bool]
) -> list[FieldError]:
    """What is wrong with those of an object. `old`: as it was before; `pod_spec`: where it has pods' spec."""
    kind = data.get("kind") or ""
    own = [f"{'.'.join(pod_spec)}.{path}" for path in _OF_PODS] if pod_spec else []
    if not is_enabled(gates, GATE) or not (own or kind in ADDRESSES or kind in RANGES):
        return []
    kept = old or {}
    return [
        *_check(data, {}, own, _check_address),
        *_check(data, kept, ADDRESSES.get(kind, ()), _check_address),
        *_check(data, kept, RANGES.get(kind, ()), _check_range),
    ]


def _check(
    data: Json, old: Json, paths: Collection[str], check: Callable[[str], str]
) -> Iterator[FieldError]:
    for path in paths:
        known = {text for _, text in _walk(old, path.split("."), "")}
        for place, text in _walk(data, path.split("."), ""):
            if isinstance(text, str) and text not in known and (detail := check(text.strip())):
                yield invalid(place, text.strip(), detail)


def _walk(value: Any, steps: list[str], place: str) -> Iterator[tuple[str, Any]]:
    """What stands at a path, `[]` for each of a list: (where, what)."""
    if not steps:
        yield place, value
        return
    step, *later = steps
    name = step.removesuffix("[]")
    found = value.get(name) if isinstance(value, Mapping) else None
    place = f"{place}.{name}" if place else name
    if not step.endswith("[]"):
        if found is not None:
            yield from _walk(found, later, place)
        return
    place = _WRITTEN.get(place, place)
    for index, one in enumerate(found or ()):
        yield from _walk(one, later, f"{place}[{index}]")


def _check_address(text: str) -> str:
    address = read_address(text)
    if address is None:
        return ""
    if _has_zeros(text):
        return "must not have leading 0s"
    return "must not be an IPv4-mapped IPv6 address" if _is_mapped(address) else ""


def _check_range(text: str) -> str:
    network, (start, _, length) = read_network(text), text.partition("/")
    address = read_address(start)
    if network is None or address is None:
        return ""
    if _has_zeros(start) or (len(length) > 1 and length.startswith("0")):
        return "must not have leading 0s in IP or prefix length"
    if _is_mapped(address):
        return "must not have an IPv4-mapped IPv6 address"
    return "" if address == network.network_address else "must not have bits set beyond the prefix length"


def _is_mapped(address: Address) -> bool:
    return isinstance(address, IPv6Address) and address.ipv4_mapped is not None


def _has_zeros(text: str) -> bool:
    """Of IPv4 alone: in IPv6 they say nothing else."""
    octets = text.split(".") if ":" not in text else []
    return any(len(one) > 1 and one.startswith("0") for one in octets)
