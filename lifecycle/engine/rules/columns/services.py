"""What kubectl prints of Services and of where they send to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..network.services import CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, list_ingress
from .ages import Ages
from .workloads import NONE, UNKNOWN, UNSET, Columns, Json, labels_text

_BALANCER_WIDTH = 16
"""More than this of a load balancer's addresses is only shown with `-o wide`."""
_MOST = 3


def decide_service_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """TYPE, CLUSTER-IP, EXTERNAL-IP and PORT(S)."""
    return _columns(spec, status, is_wide=False)


def decide_wide_service_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """SELECTOR, and the whole of a load balancer's addresses."""
    return {**_columns(spec, status, is_wide=True), "SELECTOR": labels_text(spec.get("selector")) or NONE}


def _columns(spec: Json, status: Json, is_wide: bool) -> Columns:
    addresses = spec.get("clusterIPs") or ([spec["clusterIP"]] if spec.get("clusterIP") else [NONE])
    return {
        "TYPE": spec.get("type", ""),
        "CLUSTER-IP": addresses[0],
        "EXTERNAL-IP": _outside_text(spec, status, is_wide),
        "PORT(S)": ",".join(map(_port_text, spec.get("ports") or ())) or NONE,
    }


def _outside_text(spec: Json, status: Json, is_wide: bool) -> str:
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


# --- where they send to -----------------------------------------------------------------------------------


def decide_endpoints_columns(data: Mapping[str, Any]) -> Columns:
    """ENDPOINTS: the first addresses that are ready, with their ports."""
    if not data.get("subsets"):
        return {"ENDPOINTS": NONE}
    found = [
        one["ip"] if port is None else f"{one['ip']}:{port.get('port')}"
        for subset in data["subsets"]
        for port in subset.get("ports") or (None,)
        for one in subset.get("addresses") or ()
    ]
    return {"ENDPOINTS": _first_of(found)}


def decide_slice_columns(data: Mapping[str, Any]) -> Columns:
    """ADDRESSTYPE, PORTS and ENDPOINTS."""
    ports = [_slice_port_text(port) for port in data.get("ports") or ()]
    addresses = [one for endpoint in data.get("endpoints") or () for one in endpoint.get("addresses") or ()]
    return {
        "ADDRESSTYPE": data.get("addressType", ""),
        "PORTS": _first_of(ports) or UNSET,
        "ENDPOINTS": _first_of(addresses) or UNSET,
    }


def _slice_port_text(port: Json) -> str:
    number, name = port.get("port"), port.get("name")
    # A port of any number goes by its name, and the name of most is "".
    return str(number) if number is not None else "*" if name is None else str(name)


def _first_of(texts: Iterable[str]) -> str:
    texts = list(texts)
    more = f" + {len(texts) - _MOST} more..." if len(texts) > _MOST else ""
    return ",".join(texts[:_MOST]) + more
