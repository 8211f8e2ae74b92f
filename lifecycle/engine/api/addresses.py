"""The addresses of Services: given from 10.96.0.0/12 in order, kept for life, and no two alike."""

from __future__ import annotations

from typing import Any

from ..objects.meta import StoredObject
from ..rules.validation.field_error import invalid
from ..rules.validation.refusal import raise_invalid
from .context import Context
from .identity import count_up

Json = dict[str, Any]
_COUNTER = "clusterIP"
_FIRST = 10
"""The addresses before it are kept for the API server and DNS."""


def with_cluster_ip(context: Context, data: Json) -> Json:
    """A Service's address: the next free one, unless it asks for one or for none.

    Raises Invalid for one that another Service has.
    """
    spec = data.get("spec") or {}
    address = spec.get("clusterIP")
    if address == "None" or spec.get("type") == "ExternalName":
        return data
    taken = {(service.spec or {}).get("clusterIP") for service in context.store.list("Service")}
    if address and address in taken:
        detail = f"failed to allocate IP {address}: provided IP is already allocated"
        raise_invalid(data, [invalid("spec.clusterIPs", [address], detail)])
    while not address or address in taken:
        number = count_up(context.store, _COUNTER) + _FIRST
        address = f"10.{96 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"
    return {**data, "spec": {**spec, "clusterIP": address, "clusterIPs": [address]}}


def with_later_cluster_ip(context: Context, old: StoredObject, wanted: Json) -> Json:
    """An address for a changed Service that has none: it was an alias, and is one no more."""
    return wanted if (old.spec or {}).get("clusterIP") else with_cluster_ip(context, wanted)
