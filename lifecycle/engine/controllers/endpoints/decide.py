"""What an endpoint says of its pod: addresses, conditions and ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ...objects.meta import StoredObject
from ...objects.names import ZONE
from ...objects.pods.pod import Pod
from ...objects.selector import Selector
from ...rules.network.services import EXTERNAL_NAME

READY, SERVING, TERMINATING = "ready", "serving", "terminating"

Endpoint = dict[str, Any]
Port = dict[str, Any]
Json = Mapping[str, Any]


class Wanted(NamedTuple):
    """A pod's endpoint, and the ports of the slice that it stands in."""

    endpoint: Endpoint
    ports: list[Port]


def make_wanted(service: StoredObject, pod: Pod, node: StoredObject | None) -> Wanted | None:
    """What a Service has for a pod that it selects; None where it has nothing.

    Left out: that a pod whose node is gone has nothing, for the moment that it is still there.
    """
    spec = service.spec or {}
    zone = node.meta.labels.get(ZONE) if node is not None else None
    endpoint = make_endpoint(pod, bool(spec.get("publishNotReadyAddresses")), service.meta.name, zone)
    if endpoint is None:
        return None
    hints = _make_hints(endpoint, spec.get("trafficDistribution"))
    return Wanted({**endpoint, **hints}, make_ports(spec, pod))


def make_endpoint(
    pod: Pod, publish_not_ready: bool, service: str = "", zone: str | None = None
) -> Endpoint | None:
    """The endpoint of a pod the Service selects; None without an address or after its end.

    A terminating pod is never ready, but goes on serving while its readiness holds. A pod that names the
    Service as its subdomain is known by its host name below it.
    """
    if not pod.status.pod_ip or pod.is_finished:
        return None
    is_serving, is_terminating = pod.is_ready, pod.meta.deletion_ms is not None
    endpoint: Endpoint = {
        "addresses": [pod.status.pod_ip],
        "conditions": {
            "ready": publish_not_ready or (is_serving and not is_terminating),
            "serving": is_serving,
            "terminating": is_terminating,
        },
        "targetRef": {
            "kind": "Pod",
            "namespace": pod.meta.namespace,
            "name": pod.meta.name,
            "uid": pod.meta.uid,
        },
    }
    if pod.node_name:
        endpoint["nodeName"] = pod.node_name
    if zone:
        endpoint["zone"] = zone
    if pod.spec.hostname and service and pod.spec.subdomain == service:
        endpoint["hostname"] = pod.spec.hostname
    return endpoint


def _make_hints(endpoint: Endpoint, distribution: str | None) -> dict[str, Any]:
    """For whom a ready endpoint is kept, where the Service prefers those that are near."""
    if not distribution or not endpoint["conditions"]["ready"]:
        return {}
    hints: dict[str, Any] = {}
    if endpoint.get("zone"):
        hints["forZones"] = [{"name": endpoint["zone"]}]
    if distribution == "PreferSameNode" and endpoint.get("nodeName"):
        hints["forNodes"] = [{"name": endpoint["nodeName"]}]
    return {"hints": hints} if hints else {}


def endpoint_state(endpoint: Endpoint | None) -> str | None:
    """How people see it: ready, serving or terminating; None where no traffic goes."""
    if endpoint is None:
        return None
    conditions = endpoint.get("conditions") or {}
    if conditions.get("ready"):
        return READY
    if not conditions.get("terminating"):
        return None
    return SERVING if conditions.get("serving") else TERMINATING


def make_ports(service_spec: Json, pod: Pod | None) -> list[Port]:
    """The ports of a slice: the Service's target ports, names of container ports looked up in a pod."""
    ports = []
    for entry in service_spec.get("ports") or ():
        target, protocol = entry.get("targetPort", entry.get("port")), entry.get("protocol") or "TCP"
        number = _port_number(target, protocol, pod) if isinstance(target, str) else target
        if number is not None:
            port = {"name": entry.get("name") or "", "protocol": protocol, "port": number}
            ports.append(port | {name: entry[name] for name in ("appProtocol",) if entry.get(name)})
    return ports


def _port_number(name: str, protocol: str, pod: Pod | None) -> int | None:
    if pod is None:
        return None
    # Init containers have no say, but for those that go on beside the app (INIT-13).
    sidecars = [one for one in pod.spec.init_containers if one.is_sidecar]
    for container in (*pod.spec.containers, *sidecars):
        for port in container.ports:
            if port.get("name") == name and (port.get("protocol") or "TCP") == protocol:
                number = port.get("containerPort")
                return number if isinstance(number, int) else None
    return None


def decide_endpoints(
    wanted: Mapping[str, Wanted | None], known: Mapping[str, Wanted]
) -> dict[str, Wanted | None]:
    """What is not as it stands, by pod uid. `wanted`: None for pods that are not selected, or gone."""
    return {uid: one for uid, one in wanted.items() if one != known.get(uid)}


def pod_uid_of(endpoint: Endpoint) -> str:
    """The uid of the pod behind an endpoint; "" when somebody wrote one that names none."""
    return str((endpoint.get("targetRef") or {}).get("uid") or "")


def selector_of(service: StoredObject) -> Selector | None:
    """The labels a Service selects by; None when it has none or only names another host."""
    spec = service.spec or {}
    if spec.get("type") == EXTERNAL_NAME or not spec.get("selector"):
        return None
    return Selector.of_labels(spec["selector"])
