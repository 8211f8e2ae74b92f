"""What leads through the API server to programs: the proxies of pods, Services and nodes.

They say what the API server says of whom it cannot reach, and what a program answers as a check sees it. What
a program serves goes out as plain text whatever it is: a page of it would be one of ours to a browser.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from lifecycle.access import Verb, may
from lifecycle.engine.objects.endpoint_slice import ENDPOINT_SLICE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.network.service_routing import Place, list_backends
from lifecycle.engine.rules.network.services import SERVICE_NAME_LABEL
from lifecycle.kube_api.asking.asked import Asked, Text
from lifecycle.kube_api.containers import choice
from lifecycle.kube_api.containers.forwarding import connect
from lifecycle.kube_api.containers.http import NOT_KNOWN
from lifecycle.kube_api.reading import reads
from lifecycle.kube_api.status import Refusal, bad_request, forbidden, not_found
from lifecycle.models import StoredObject
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
_SCHEMES = ("", "http", "https")
_PORTS = {"": 80, "http": 80, "https": 443}
_KUBELET_PORT = "10250"
_NO_PAGE = b"404 page not found\n"
_NOT_MODELLED = frozenset(
    "metrics stats logs spec configz exec attach portForward run debug containerLogs checkpoint flagz"
    " statusz".split()
)


def answer(asked: Asked) -> Text:
    """What is found at the end of a proxy. Raises Refusal, in the API server's words."""
    if not may(asked.user, asked.cluster, Verb.CHANGE):
        # Who may only look may not reach programs either: the role `view` of a cluster has no proxies.
        name, resource = asked.user.get_username(), asked.resource.name
        raise forbidden(
            f'{resource} "{asked.address.name}" is forbidden: User "{name}" cannot {asked.verb} resource'
            f' "{resource}/proxy"'
        )
    kind = asked.resource.name
    words = asked.address.name.split(":")
    scheme, name, port = {1: ("", *words, ""), 2: ("", *words), 3: tuple(words)}.get(len(words), ("", "", ""))
    if not name or scheme not in _SCHEMES:
        raise bad_request(f'invalid {kind.removesuffix("s")} request "{asked.address.name}"')
    if kind == "nodes":
        return _answer_for_node(asked, name, port)
    pod, number = (
        _find_of_service(asked, name, port) if kind == "services" else _find_of_pod(asked, name, port)
    )
    if not asked.address.path:
        # As the API server sends who asks for a page of no name to the one of the name `/`.
        return _redirect(asked)
    return _connect(asked, pod, number or _PORTS[scheme])


def _redirect(asked: Asked) -> Text:
    query = asked.request.META.get("QUERY_STRING", "")
    place = f"{asked.request.path}/{'?' if query else ''}{query}"
    return Text(b"", code=301, headers={"Location": place})


def _connect(asked: Asked, pod: StoredObject, port: int) -> Text:
    query = asked.request.META.get("QUERY_STRING", "")
    path = f"{asked.address.path}{'?' if query else ''}{query}"
    met = connect(asked.cluster, pod, port, path, asked.user)
    if not met["isConnected"]:
        raise _unreachable(f"dial tcp {pod.data['status']['podIP']}:{port}: connect: connection refused")
    text: str | None = met["text"]
    headers = dict([NOT_KNOWN]) if text is None else {}
    return Text((text or "").encode("utf-8", "replace"), code=met["status"], headers=headers)


def _find_of_pod(asked: Asked, name: str, port: str) -> tuple[StoredObject, int]:
    """The pod, and the port: its first one unless one is named; 0 where it has none."""
    pod = choice.find_pod(asked.cluster, asked.address.namespace, name)
    if not (pod.data.get("status") or {}).get("podIP"):
        raise bad_request("address not allowed")
    choice.require_node(asked.cluster, pod, "")
    if not port:
        given = (one for part in pod.data["spec"]["containers"] for one in part.get("ports") or ())
        return pod, next((one["containerPort"] for one in given), 0)
    return pod, _read_port(port)


def _read_port(port: str) -> int:
    if port in _PORTS:
        return _PORTS[port]
    if not _is_number(port):
        raise _unreachable(f"dial tcp: lookup tcp/{port}: unknown port")
    if len(port) > 5 or not 0 < int(port) < 1 << 16:
        raise _unreachable(f"dial tcp: address {port}: invalid port")
    return int(port)


def _is_number(port: str) -> bool:
    return port.isascii() and port.isdigit()


def _find_of_service(asked: Asked, name: str, port: str) -> tuple[StoredObject, int]:
    """A pod behind a Service, and its port. `port`: a name, or a number of the Service's own."""
    service = reads.find(asked.cluster, asked.resource, asked.address.namespace, name)
    if service is None:
        if _is_number(port):
            raise not_found(asked.resource, name)
        raise Refusal(404, f'endpoints "{name}" not found', "NotFound", {"name": name, "kind": "endpoints"})
    wanted = port
    if _is_number(port):
        ports = service.get("spec", {}).get("ports") or ()
        # As the API server reads it; of more digits than Python reads it is no port either.
        asked_port = port.lstrip("0") or "0"
        entry = next((one for one in ports if str(one.get("port")) == asked_port), None)
        if entry is None:
            message = f'no service port {asked_port} found for service "{name}"'
            raise Refusal(503, message, "ServiceUnavailable")
        wanted = entry.get("name") or ""
    for address, number in _list_endpoints(asked, name, wanted):
        pod = _find_by_address(asked, address)
        if pod is not None:
            return pod, number
    message = f'no endpoints available for service "{asked.address.name}"'
    raise Refusal(503, message, "ServiceUnavailable")


def _list_endpoints(asked: Asked, service: str, port_name: str) -> Iterator[tuple[str, int]]:
    rows = StoredObject.objects.filter(
        of_kind(ENDPOINT_SLICE_KIND.id),
        cluster=asked.cluster,
        namespace=asked.address.namespace,
        deleted_ms=None,
    )
    slices = [
        one
        for one in rows.order_by("name").values_list("data", flat=True)
        if (one["metadata"].get("labels") or {}).get(SERVICE_NAME_LABEL) == service
    ]
    for backend in list_backends(slices, port_name, Place("", ""), False):
        yield backend.address, backend.port


def _find_by_address(asked: Asked, address: str) -> StoredObject | None:
    """The pod that has an address: the API server goes to nobody else."""
    rows = StoredObject.objects.filter(
        of_kind(POD_KIND.id),
        cluster=asked.cluster,
        namespace=asked.address.namespace,
        deleted_ms=None,
        data__status__podIP=address,
    )
    return rows.order_by("name").first()


def _answer_for_node(asked: Asked, name: str, port: str) -> Text:
    """What a kubelet answers of the little that is modelled."""
    if reads.find(asked.cluster, asked.resource, None, name) is None:
        raise not_found(asked.resource, name)
    address = choice.require_reachable(asked.cluster, name, asked.address.path.lstrip("/"))
    if port not in ("", _KUBELET_PORT):
        raise _unreachable(f"dial tcp {address}:{port}: connect: connection refused")
    words = asked.address.path.strip("/").split("/")
    if words == ["healthz"]:
        return Text(b"ok")
    if words == ["pods"]:
        return Text(_list_pods(asked, name), "application/json")
    if words[0] in _NOT_MODELLED:
        raise _unreachable(
            f"the kubelet is simulated: of it /healthz and /pods are there, and /{words[0]} is not"
        )
    return Text(_NO_PAGE, code=404)


def _list_pods(asked: Asked, node: str) -> bytes:
    rows = StoredObject.objects.filter(
        of_kind(POD_KIND.id), cluster=asked.cluster, node=node, deleted_ms=None
    )
    items = list(rows.order_by("namespace", "name").values_list("data", flat=True))
    return orjson.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items})


def _unreachable(why: str) -> Refusal:
    return Refusal(503, f"error trying to reach service: {why}", "ServiceUnavailable")
