"""What kubectl prints of Services and of where they send to."""

from __future__ import annotations

from collections.abc import Iterable

from ..network.services import CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, list_ingress
from .column import AGE, NONE, UNKNOWN, UNSET, Column, Json, Row, wide
from .workloads import labels_text

_BALANCER_WIDTH = 16
"""More than this of a load balancer's addresses is only shown with `-o wide`."""
_MOST = 3


def _own_address(row: Row) -> str:
    first = row.spec.get("clusterIPs") or [row.spec.get("clusterIP")]
    return str(first[0] or NONE)


def _outside_text(row: Row) -> str:
    spec, status, is_wide = row.spec, row.status, row.is_wide
    kind, own = spec.get("type"), list(spec.get("externalIPs") or ())
    if kind == EXTERNAL_NAME:
        return str(spec.get("externalName", ""))
    if kind in (CLUSTER_IP, NODE_PORT):
        return ",".join(own) or NONE
    if kind != LOAD_BALANCER:
        return UNKNOWN
    given = sorted({one.get("ip") or one.get("hostname") or "" for one in list_ingress(status)} - {""})
    text = ",".join(given)
    if not is_wide and len(text) > _BALANCER_WIDTH:
        text = f"{text[: _BALANCER_WIDTH - 3]}..."
    return ",".join([text, *own] if text else own) or "<pending>"


def _port_text(port: Json) -> str:
    node_port = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port')}{node_port}/{port.get('protocol')}"


SERVICE_COLUMNS = (
    Column("Type", lambda row: row.spec.get("type", "")),
    Column("Cluster-IP", _own_address),
    Column("External-IP", _outside_text),
    Column("Port(s)", lambda row: ",".join(map(_port_text, row.spec.get("ports") or ())) or NONE),
    AGE,
    wide("Selector", lambda row: labels_text(row.spec.get("selector")) or NONE),
)

# --- where they send to -------------------------------------------------------------------------------------


def _ready_endpoints(row: Row) -> str:
    """The first addresses that are ready, with their ports."""
    if not row.data.get("subsets"):
        return NONE
    found = [
        one["ip"] if port is None else f"{one['ip']}:{port.get('port')}"
        for subset in row.data["subsets"]
        for port in subset.get("ports") or (None,)
        for one in subset.get("addresses") or ()
    ]
    return _first_of(found)


def _slice_endpoints(row: Row) -> str:
    endpoints = row.data.get("endpoints") or ()
    return _first_of(one for endpoint in endpoints for one in endpoint.get("addresses") or ()) or UNSET


def _slice_port_text(port: Json) -> str:
    number, name = port.get("port"), port.get("name")
    # A port of any number goes by its name, and the name of most is "".
    return str(number) if number is not None else "*" if name is None else str(name)


def _first_of(texts: Iterable[str]) -> str:
    texts = list(texts)
    more = f" + {len(texts) - _MOST} more..." if len(texts) > _MOST else ""
    return ",".join(texts[:_MOST]) + more


ENDPOINTS_COLUMNS = (Column("Endpoints", _ready_endpoints), AGE)
SLICE_COLUMNS = (
    Column("AddressType", lambda row: row.data.get("addressType", "")),
    Column("Ports", lambda row: _first_of(map(_slice_port_text, row.data.get("ports") or ())) or UNSET),
    Column("Endpoints", _slice_endpoints),
    AGE,
)
