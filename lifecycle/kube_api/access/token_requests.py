"""TokenRequests: a service account is given a token that this cluster's API server takes.

Models the storage of `serviceaccounts/token`.
"""

from typing import Any

from lifecycle.engine.objects.times import format_time
from lifecycle.engine.rules.validation.words.field_error import FieldError, invalid
from lifecycle.kube_api.access.review_fields import read_spec
from lifecycle.kube_api.access.service_tokens import AUDIENCE, BOUND_KINDS, make_token
from lifecycle.kube_api.asking import objects
from lifecycle.kube_api.asking.asked import Answer, Asked
from lifecycle.kube_api.asking.write_options import raise_invalid
from lifecycle.kube_api.status import Refusal, bad_request
from lifecycle.models import StoredObject
from lifecycle.reads import virtual_now_ms

Json = dict[str, Any]
GROUP, KIND = "authentication.k8s.io", "TokenRequest"
_LEAST_SECONDS, _MOST_SECONDS = 600, 1 << 32
_USUAL_SECONDS = 3600


def answer(asked: Asked, account: Json) -> Answer:
    """A TokenRequest with its token. Raises Refusal (400, 404, 409, 422)."""
    data, _ = objects.read_object(asked.request, KIND, f"{GROUP}/v1")
    data = objects.place(data, asked.address, asked.resource)
    given, meta, cluster = read_spec(data), account["metadata"], asked.cluster
    _require_uid(data["metadata"].get("uid"), meta)
    seconds = given.get("expirationSeconds")
    spec: Json = {
        "audiences": given.get("audiences") or [AUDIENCE],
        "expirationSeconds": _USUAL_SECONDS if seconds is None else seconds,
        "boundObjectRef": given.get("boundObjectRef"),
    }
    _check(spec["expirationSeconds"])
    bound = _find_bound(asked, meta["name"], spec["boundObjectRef"] or {})
    now_ms, epoch_ms = virtual_now_ms(cluster), cluster.epoch_ms
    end_ms = now_ms + spec["expirationSeconds"] * 1000
    told = {name: meta[name] for name in ("name", "namespace", "uid")}
    shown = {
        "kind": KIND,
        "apiVersion": f"{GROUP}/v1",
        "metadata": {**told, "creationTimestamp": format_time(now_ms, epoch_ms)},
        "spec": spec,
        "status": {
            "token": make_token(cluster, asked.user, account, spec, bound),
            "expirationTimestamp": format_time(end_ms, epoch_ms),
        },
    }
    return Answer(shown, 201)


def _check(seconds: int) -> None:
    errors: list[FieldError] = []
    if seconds < _LEAST_SECONDS:
        errors.append(
            invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
        )
    if seconds > _MOST_SECONDS:
        text = "may not specify a duration larger than 2^32 seconds"
        errors.append(invalid("spec.expirationSeconds", seconds, text))
    raise_invalid(KIND, errors, GROUP)


def _require_uid(given: Any, meta: Json) -> None:
    if given and given != meta["uid"]:
        said = f"the UID in the token request ({given}) does not match the UID of the service account"
        raise _conflict(f"{KIND}.{GROUP}", meta["name"], f"{said} ({meta['uid']})")


def _find_bound(asked: Asked, account: str, reference: Json) -> Json:
    """What a token is to end with, as it says it. Raises Refusal (400, 404, 409)."""
    if not reference:
        return {}
    api_version, kind = str(reference.get("apiVersion") or ""), str(reference.get("kind") or "")
    group, _, version = api_version.rpartition("/")
    if group or kind not in BOUND_KINDS:
        raise bad_request(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
    name, word = str(reference.get("name") or ""), BOUND_KINDS[kind]
    found = _find(asked, kind, name)
    if found is None:
        resource = f"{word}s"
        raise Refusal(404, f'{resource} "{name}" not found', "NotFound", {"name": name, "kind": resource})
    if kind == "Pod" and found.data["spec"].get("serviceAccountName") != account:
        said = f'cannot bind token for serviceaccount "{account}" to pod'
        raise bad_request(f"{said} running with different serviceaccount name.")
    if reference.get("uid") and reference["uid"] != found.uid:
        said = f"the UID in the bound object reference ({reference['uid']}) does not match the UID in record"
        raise _conflict(kind, name, f"{said}. The object might have been deleted and then recreated")
    return {word: {"name": name, "uid": found.uid}} | _find_node(asked, found)


def _find_node(asked: Asked, pod: StoredObject) -> Json:
    """The node that a pod is on: its token tells of it."""
    name = pod.data["spec"].get("nodeName") if pod.kind == "Pod" else None
    node = _find(asked, "Node", name) if name else None
    return {"node": {"name": name, "uid": node.uid}} if node is not None else {}


def _find(asked: Asked, kind: str, name: str) -> StoredObject | None:
    namespace = None if kind == "Node" else asked.address.namespace
    return StoredObject.objects.filter(
        cluster=asked.cluster, kind=kind, group="", namespace=namespace, name=name, deleted_ms=None
    ).first()


def _conflict(resource: str, name: str, said: str) -> Refusal:
    message = f'Operation cannot be fulfilled on {resource} "{name}": {said}'
    kind, _, group = resource.partition(".")
    details = {"name": name} | ({"group": group} if group else {}) | {"kind": kind}
    return Refusal(409, message, "Conflict", details)
