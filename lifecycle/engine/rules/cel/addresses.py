"""Addresses and ranges of them (pkg/cel/library/ip.go, cidr.go)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface
from typing import Any

from . import values

IP, CIDR = "net.IP", "net.CIDR"
_Address = IPv4Address | IPv6Address


def ip(text: str) -> dict[str, str]:
    """An address. Raises ValueError for what is none, has a zone, or is an IPv4 address written as IPv6."""
    return values.make(IP, str(_parse(text)))


def is_ip(text: str) -> bool:
    """Whether a text is an address."""
    try:
        _parse(text)
    except ValueError:
        return False
    return True


def is_canonical(text: str) -> bool:
    """Whether an address is written as it is shown. Raises ValueError for what is none."""
    return str(_parse(text)) == text


def family(value: Any) -> int:
    """4 or 6."""
    return _address(value).version


def is_unspecified(value: Any) -> bool:
    """Whether it is 0.0.0.0 or ::."""
    return _address(value).is_unspecified


def is_loopback(value: Any) -> bool:
    """Whether it stands for the machine itself."""
    return _address(value).is_loopback


def is_link_local_multicast(value: Any) -> bool:
    """Whether it is one of 224.0.0.0/24 or ff02::/16, whatever its flags."""
    address = _address(value)
    if address.version == 4:
        return address.packed[:3] == bytes((224, 0, 0))
    return address.packed[0] == 0xFF and address.packed[1] & 0x0F == 2


def is_link_local_unicast(value: Any) -> bool:
    """Whether it is one of 169.254.0.0/16 or fe80::/10."""
    return _address(value).is_link_local


def is_global_unicast(value: Any) -> bool:
    """Whether it is none of the others; private ones are global here."""
    address = _address(value)
    is_broadcast = address.version == 4 and address.packed == b"\xff" * 4
    special = address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    return not (special or is_broadcast)


def cidr(text: str) -> dict[str, str]:
    """A range, with the address that it was given by. Raises ValueError for what is none."""
    return values.make(CIDR, _parse_range(text))


def is_cidr(text: str) -> bool:
    """Whether a text is a range."""
    try:
        _parse_range(text)
    except ValueError:
        return False
    return True


def contains_ip(value: Any, other: Any) -> bool:
    """Whether an address is in a range."""
    address = _parse(other) if isinstance(other, str) else _address(other)
    network = ip_interface(values.read(value, CIDR)).network
    return address.version == network.version and address in network


def contains_cidr(value: Any, other: Any) -> bool:
    """Whether all of a range is in another."""
    text = _parse_range(other) if isinstance(other, str) else values.read(other, CIDR)
    inner, outer = ip_interface(text).network, ip_interface(values.read(value, CIDR)).network
    if inner.version != outer.version or inner.prefixlen < outer.prefixlen:
        return False
    return inner.network_address in outer


def ip_of(value: Any) -> dict[str, str]:
    """The address that a range was given by."""
    return values.make(IP, str(ip_interface(values.read(value, CIDR)).ip))


def prefix_length(value: Any) -> int:
    """How many bits of a range are fixed."""
    return ip_interface(values.read(value, CIDR)).network.prefixlen


def masked(value: Any) -> dict[str, str]:
    """A range by its first address."""
    return values.make(CIDR, str(ip_interface(values.read(value, CIDR)).network))


def _address(value: Any) -> _Address:
    return ip_address(values.read(value, IP))


def _parse(text: str) -> _Address:
    if "%" in text:
        raise ValueError(f'IP address "{text[:60]}" with zone value is not allowed')
    try:
        address = ip_address(text)
    except ValueError:
        raise ValueError(f'IP Address "{text[:60]}" parse error during conversion from string') from None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        raise ValueError(f'IPv4-mapped IPv6 address "{text[:60]}" is not allowed')
    return address


def _parse_range(text: str) -> str:
    address, slash, bits = text.partition("/")
    is_number = bits.isascii() and bits.isdigit() and (bits == "0" or not bits.startswith("0"))
    if not slash or not is_number or len(bits) > 3:
        raise ValueError("network address parse error during conversion from string")
    return str(ip_interface(f"{_parse(address)}/{bits}"))
