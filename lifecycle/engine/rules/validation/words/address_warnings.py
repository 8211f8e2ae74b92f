"""IP addresses that are accepted as they are written, but will not be for ever."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, IPv6Address

from lifecycle.late_patterns import late_pattern

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
