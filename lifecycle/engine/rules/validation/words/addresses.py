"""IP addresses and ranges as the API server's older fields take them: leading zeros are forgiven."""

from __future__ import annotations

import ipaddress

from .field_error import FieldError, invalid

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_NO_RANGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def read_address(text: str) -> Address | None:
    """The address a text means, None for one that means none."""
    octets = text.split(".")
    if all(octet.isascii() and octet.isdigit() for octet in octets):
        text = ".".join(octet.lstrip("0") or "0" for octet in octets)
    if "%" in text:
        return None
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def read_network(text: str) -> Network | None:
    """The range a text means, None for one that means none. Bits beyond its prefix are forgiven."""
    start, _, length = text.partition("/")
    address = read_address(start)
    if address is None or not (length.isascii() and length.isdigit() and len(length) < 9):
        return None
    if int(length) > address.max_prefixlen:
        return None
    return ipaddress.ip_network((address, int(length)), strict=False)


def check_address(path: str, text: str) -> list[FieldError]:
    """An address of either family."""
    return [] if read_address(text) is not None else [invalid(path, text, _NO_ADDRESS)]


def check_network(path: str, text: str) -> list[FieldError]:
    """A range of addresses of either family."""
    return [] if read_network(text) is not None else [invalid(path, text, _NO_RANGE)]


def check_endpoint(path: str, text: str) -> list[FieldError]:
    """An address that traffic can be sent to: none that means a machine itself, or its link."""
    address = read_address(text)
    if address is None:
        return [invalid(path, text, _NO_ADDRESS)]
    details = []
    if address.is_unspecified:
        details.append(f"may not be unspecified ({text})")
    if address.is_loopback:
        details.append("may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if address.is_link_local:
        details.append("may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if address.is_multicast and _is_of_a_link(address):
        details.append("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
    return [invalid(path, text, detail) for detail in details]


def _is_of_a_link(address: Address) -> bool:
    packed = address.packed
    return packed[:3] == b"\xe0\0\0" if address.version == 4 else packed[1] & 0x0F == 2
