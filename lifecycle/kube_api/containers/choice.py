"""Which container of which pod is meant, and whether its node can be asked at all."""

from __future__ import annotations

from typing import Any

from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.kube_api.status import Refusal, bad_request
from lifecycle.models import Cluster, StoredObject
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
_LISTS = ("initContainers", "containers", "ephemeralContainers")
_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


def find_pod(cluster: Cluster, namespace: str | None, name: str) -> StoredObject:
    """The pod of that name that is there. Raises Refusal (404)."""
    rows = StoredObject.objects.filter(
        of_kind(POD_KIND.id), cluster=cluster, namespace=namespace, name=name, deleted_ms=None
    )
    found = rows.first()
    if found is None:
        raise Refusal(404, f'pods "{name}" not found', "NotFound", {"name": name, "kind": "pods"})
    return found


def choose_container(pod: StoredObject, wanted: str) -> str:
    """The named container, or the only one. Raises Refusal (400)."""
    spec = pod.data["spec"]
    names = [one["name"] for part in _LISTS for one in spec.get(part) or ()]
    if wanted:
        if wanted not in names:
            raise bad_request(f"container {wanted} is not valid for pod {pod.name}")
        return wanted
    if len(spec.get("containers") or ()) == 1:
        return str(spec["containers"][0]["name"])
    raise bad_request(
        f"a container name must be specified for pod {pod.name}, choose one of: [{' '.join(names)}]"
    )


def is_read_once(pod: StoredObject, container: str) -> bool:
    """Whether a container's input ends with the first client that was attached to it."""
    spec = pod.data["spec"]
    found = (one for part in _LISTS for one in spec.get(part) or () if one["name"] == container)
    return any(one.get("stdinOnce") for one in found)


def find_status(pod: StoredObject, container: str) -> Json | None:
    """What the pod's status says of a container; None when the kubelet has not said anything yet."""
    status = pod.data.get("status") or {}
    found = (one for part in _STATUSES for one in status.get(part) or () if one["name"] == container)
    return next(found, None)


def require_node(cluster: Cluster, pod: StoredObject, what: str) -> None:
    """Raise Refusal (500) when the pod's node cannot be reached: the API server says what it tried.

    `what`: the path of the kubelet's that is asked, such as `containerLogs/shop/web-0/app`.
    """
    require_reachable(cluster, pod.data["spec"].get("nodeName"), what)


def require_reachable(cluster: Cluster, name: str, what: str) -> str:
    """The address of a node, as `require_node` says. Raises Refusal (404, 500)."""
    rows = StoredObject.objects.filter(of_kind(NODE_KIND.id), cluster=cluster, name=name, deleted_ms=None)
    node = rows.first()
    if node is None:
        raise Refusal(404, f'nodes "{name}" not found', "NotFound", {"name": name, "kind": "nodes"})
    status = node.data.get("status") or {}
    ready: Json = next((one for one in status.get("conditions") or () if one.get("type") == "Ready"), {})
    addresses = {one.get("type"): one.get("address") for one in status.get("addresses") or ()}
    internal = str(addresses.get("InternalIP") or name)
    if ready.get("status") == "Unknown":
        address = f"{internal}:10250"
        raise Refusal(500, f'Get "https://{address}/{what}": dial tcp {address}: connect: no route to host')
    return internal
