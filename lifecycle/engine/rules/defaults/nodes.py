"""What a Node's manifest leaves open: its kubelet says it when it registers the machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.names import HOSTNAME
from ..nodes.status import READY, first_conditions
from .pods import Json, fill

INTERNAL_IP = "InternalIP"
_DISK = "100Gi"
_SYSTEMS = {
    "linux": {"osImage": "Debian GNU/Linux 13 (trixie)", "kernelVersion": "6.12.48+deb13-amd64"},
    "windows": {"osImage": "Windows Server 2022 Datacenter", "kernelVersion": "10.0.20348.4405"},
}
"""A machine as good as any: one that is up to date."""
_EVERYWHERE = {
    "containerRuntimeVersion": "containerd://2.1.5",
    # Kubelets empty what is deprecated (kubelet/nodestatus/setters.go VersionInfo).
    "kubeProxyVersion": "",
}
OWN_NUMBERS = ("machineID", "systemUUID", "bootID")
"""What of a machine no other has: a number of 32 hexadecimal digits, and two UUIDs."""


def register_node(
    data: Mapping[str, Any], size: Mapping[str, Any], now: str, address: str, machine: Mapping[str, str]
) -> Json:
    """The Node with labels, amounts, system, conditions and addresses.

    `size`: cpu, memory and pods by default. An amount that is given as capacity or allocatable alone is taken
    for the other too. `address`: of its machine. `machine`: its kubelet's version, and OWN_NUMBERS.
    """
    meta, status = dict(data["metadata"]), dict(data.get("status") or {})
    labels, info = dict(meta.get("labels") or {}), dict(status.get("nodeInfo") or {})
    system = labels.get("kubernetes.io/os") or info.get("operatingSystem") or "linux"
    fill(labels, **{HOSTNAME: meta["name"], "kubernetes.io/os": system})
    fill(labels, **{"kubernetes.io/arch": "amd64"})
    # The node lifecycle controller keeps the labels of old up to date beside today's.
    labels |= {f"beta.{name}": labels[name] for name in ("kubernetes.io/os", "kubernetes.io/arch")}
    fill(info, operatingSystem=system, architecture=labels["kubernetes.io/arch"])
    fill(info, **_EVERYWHERE, **_SYSTEMS.get(system, _SYSTEMS["linux"]), **machine)
    own = {"cpu": str(size["cpu"]), "memory": str(size["memory"]), "pods": str(size["pods"])}
    own["ephemeral-storage"] = _DISK
    capacity, allocatable = status.get("capacity") or {}, status.get("allocatable") or {}
    conditions = list(status.get("conditions") or ())
    if not conditions:
        conditions = first_conditions(now)
    elif all(one.get("type") != READY for one in conditions):
        conditions.append(first_conditions(now)[-1])
    registered = {
        "addresses": status.get("addresses") or _list_addresses(address, labels[HOSTNAME]),
        "capacity": {**own, **allocatable, **capacity},
        "allocatable": {**own, **capacity, **allocatable},
        "conditions": conditions,
        "nodeInfo": info,
    }
    spec = data.get("spec") or {}
    return {**data, "metadata": {**meta, "labels": labels}, "spec": spec, "status": {**status, **registered}}


def _list_addresses(address: str, host_name: str) -> list[dict[str, str]]:
    return [{"type": INTERNAL_IP, "address": address}, {"type": "Hostname", "address": host_name}]


def find_internal_address(status: Mapping[str, Any]) -> str:
    """By which address a node is known in its cluster; "" if its status does not say."""
    told = status.get("addresses") or ()
    return next((one.get("address") or "" for one in told if one.get("type") == INTERNAL_IP), "")
