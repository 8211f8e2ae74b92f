"""Where a connection to a Service goes. Models kube-proxy: which endpoints may be chosen, not how.

Pods that end get no new connections (POD-TERM-13), unless there is nobody else: then those that still serve
do (pkg/proxy/topology.go, CategorizeEndpoints), and whom they are kept near to is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lifecycle.lean_tuples import NamedTuple

Json = Mapping[str, Any]


class Backend(NamedTuple):
    """An address and port that a Service sends to."""

    address: str
    port: int


class Place(NamedTuple):
    """Where a connection comes from."""

    node: str
    zone: str


class _Endpoint(NamedTuple):
    data: Json
    port: int


def is_ready(endpoint: Json) -> bool:
    """Whether an endpoint takes new connections; one that does not say so does."""
    return (endpoint.get("conditions") or {}).get("ready") is not False


def is_last_resort(endpoint: Json) -> bool:
    """Whether an endpoint ends, and serves until it has; one that does not say whether it serves does."""
    conditions = endpoint.get("conditions") or {}
    return conditions.get("serving") is not False and bool(conditions.get("terminating"))


def list_backends(slices: Iterable[Json], port_name: str, place: Place, is_local: bool) -> Sequence[Backend]:
    """The endpoints that a connection may go to, by the contents of the slices.

    `is_local`: those of the node alone. Of endpoints kept for those near them, those that are kept for the
    place, unless there are none. Without any that is ready, those that end and still serve.
    """
    found = [_Endpoint(one, port) for one, port in _list_endpoints(slices, port_name)]
    if is_local:
        found = [one for one in found if one.data.get("nodeName") == place.node]
    ready = [one for one in found if is_ready(one.data)]
    usable = _prefer_near(ready, place) if ready else [one for one in found if is_last_resort(one.data)]
    return [Backend(address, one.port) for one in usable for address in one.data.get("addresses") or ()]


def has_endpoints(slices: Iterable[Json], port_name: str) -> bool:
    """Whether anybody at all could take a connection."""
    return any(is_ready(one) or is_last_resort(one) for one, _port in _list_endpoints(slices, port_name))


def _list_endpoints(slices: Iterable[Json], port_name: str) -> Iterable[tuple[Json, int]]:
    for entry in slices:
        port = next(
            (
                one
                for one in entry.get("ports") or ()
                if (one.get("name") or "") == port_name and one.get("port")
            ),
            None,
        )
        if port is not None:
            yield from ((endpoint, port["port"]) for endpoint in entry.get("endpoints") or ())


def _prefer_near(endpoints: list[_Endpoint], place: Place) -> list[_Endpoint]:
    for field, name in (("forNodes", place.node), ("forZones", place.zone)):
        hints = [(one, (one.data.get("hints") or {}).get(field)) for one in endpoints]
        if all(hint for _, hint in hints):
            near = [one for one, hint in hints if any(each.get("name") == name for each in hint or ())]
            if near:
                return near
    return endpoints
