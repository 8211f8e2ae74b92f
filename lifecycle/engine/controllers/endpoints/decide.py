"""What an endpoint says of its pod, and in which slice it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...objects.endpoint_slice import ENDPOINT_SLICE_KIND
from ...objects.meta import ObjectMeta, PlainObject, StoredObject, controller_reference
from ...objects.pod import Pod
from ...objects.selector import Selector
from ...rules.actions import Action, Create, Update

ENDPOINTS_PER_SLICE = 100
SERVICE_NAME_LABEL = "kubernetes.io/service-name"
MANAGED_BY = {"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}
READY, SERVING, TERMINATING = "ready", "serving", "terminating"

Endpoint = dict[str, Any]
Port = dict[str, Any]


def make_endpoint(pod: Pod, publish_not_ready: bool) -> Endpoint | None:
    """The endpoint of a pod the Service selects; None without an address or after its end.

    A terminating pod is never ready, but goes on serving while its readiness holds.
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
    return endpoint


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


def make_ports(service_spec: Mapping[str, Any], pod: Pod | None) -> list[Port]:
    """The ports of a slice: the Service's target ports, names of container ports looked up in a pod."""
    ports = []
    for entry in service_spec.get("ports") or ():
        target = entry.get("targetPort", entry.get("port"))
        number = _port_number(target, pod) if isinstance(target, str) else target
        if number is not None:
            ports.append(
                {
                    "name": entry.get("name") or "",
                    "protocol": entry.get("protocol") or "TCP",
                    "port": number,
                }
            )
    return ports


def _port_number(name: str, pod: Pod | None) -> int | None:
    if pod is None:
        return None
    # Init containers have no say, but for those that go on beside the app (INIT-13).
    sidecars = [one for one in pod.spec.init_containers if one.is_sidecar]
    for container in (*pod.spec.containers, *sidecars):
        for port in container.ports:
            if port.get("name") == name:
                number = port.get("containerPort")
                return number if isinstance(number, int) else None
    return None


def place(slices: list[list[Endpoint]], wanted: Mapping[str, Endpoint | None]) -> list[list[Endpoint]]:
    """The slices with some pods' endpoints changed (None: taken out), by pod uid.

    A known endpoint keeps its place, a new one goes to the first slice with room.
    """
    left = dict(wanted)
    result = []
    for endpoints in slices:
        kept = []
        for endpoint in endpoints:
            new = left.pop(pod_uid_of(endpoint), endpoint)
            if new is not None:
                kept.append(endpoint if new == endpoint else new)
        result.append(kept)
    for added in left.values():
        if added is None:
            continue
        roomy = next((entry for entry in result if len(entry) < ENDPOINTS_PER_SLICE), None)
        if roomy is None:
            result.append([added])
        else:
            roomy.append(added)
    return result


def decide_endpoints(
    pods: Mapping[str, Pod | None], known: Mapping[str, Endpoint], publish_not_ready: bool
) -> dict[str, Endpoint | None]:
    """The endpoints that are not as they stand, by pod uid. `pods`: None for those not selected, or gone."""
    changed: dict[str, Endpoint | None] = {}
    for uid, pod in pods.items():
        endpoint = make_endpoint(pod, publish_not_ready) if pod is not None else None
        if endpoint != known.get(uid):
            changed[uid] = endpoint
    return changed


def decide_slices(
    service: StoredObject,
    slices: Sequence[StoredObject],
    changed: Mapping[str, Endpoint | None],
    ports: list[Port],
) -> list[Action]:
    """Write the slices that changed endpoints or ports concern, and make those that are missing."""
    before = [list_endpoints(entry) for entry in slices]
    after = place(before, changed) if changed else before
    actions: list[Action] = []
    for entry, was, is_now in zip(slices, before, after, strict=False):
        extra = entry.extra or {}
        if was != is_now or extra.get("ports") != ports:
            actions.append(Update(entry.replace(extra={**extra, "endpoints": is_now, "ports": ports})))
    for endpoints in after[len(slices) :] or ([] if slices else [[]]):
        actions.append(Create(_make_slice(service, endpoints, ports)))
    return actions


def _make_slice(service: StoredObject, endpoints: list[Endpoint], ports: list[Port]) -> PlainObject:
    meta = service.meta
    return PlainObject(
        ENDPOINT_SLICE_KIND,
        ObjectMeta(
            "",
            meta.namespace,
            labels={**MANAGED_BY, SERVICE_NAME_LABEL: meta.name},
            owner_references=(controller_reference(service),),
            generate_name=f"{meta.name}-",
        ),
        extra={"addressType": "IPv4", "endpoints": endpoints, "ports": ports},
    )


def pod_uid_of(endpoint: Endpoint) -> str:
    """The uid of the pod behind an endpoint; "" when somebody wrote one that names none."""
    return str((endpoint.get("targetRef") or {}).get("uid") or "")


def is_managed(endpoint_slice: StoredObject) -> bool:
    """Whether a slice is this controller's to write: its label says so."""
    return all(endpoint_slice.meta.labels.get(name) == value for name, value in MANAGED_BY.items())


def list_endpoints(endpoint_slice: StoredObject) -> list[Endpoint]:
    """The endpoints of a slice as they stand."""
    return list((endpoint_slice.extra or {}).get("endpoints") or ())


def selector_of(service: StoredObject) -> Selector | None:
    """The labels a Service selects by; None when it has none or only names another host."""
    spec = service.spec or {}
    if spec.get("type") == "ExternalName" or not spec.get("selector"):
        return None
    return Selector.of_labels(spec["selector"])
