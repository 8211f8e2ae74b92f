"""Parts of objects that have an address of their own: sizes, evictions, bindings, tokens."""

from collections.abc import Callable
from typing import Any

from lifecycle.engine.rules.custom_resources.definition import read_scale_paths
from lifecycle.engine.rules.scaling.scales import UnreadableScaleError, read_custom_scale, read_own_scale
from lifecycle.kube_api import writes
from lifecycle.kube_api.access import token_requests
from lifecycle.kube_api.asking import objects
from lifecycle.kube_api.asking.asked import Answer, Asked
from lifecycle.kube_api.asking.requests import PROXY
from lifecycle.kube_api.asking.write_options import raise_invalid_object, read_delete_options
from lifecycle.kube_api.containers import kubelet_answers, proxies
from lifecycle.kube_api.containers.streams import ACTIONS
from lifecycle.kube_api.reading import reads
from lifecycle.kube_api.status import bad_request, internal_error, not_found, unknown

Json = dict[str, Any]
SCALE = {"apiVersion": "autoscaling/v1", "kind": "Scale"}


def done() -> Answer:
    """What is answered where there is no object to show."""
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    return Answer(status, 201)


# --- scale ------------------------------------------------------------------------------------------------


def get_scale(asked: Asked) -> Answer:
    """GET of an object's size."""
    return Answer(make_scale(asked, _find(asked)))


def update_scale(asked: Asked) -> Answer:
    """PUT of an object's size."""
    address, resource = asked.address, asked.resource
    scale, problems = objects.read_object(asked.request, SCALE["kind"], SCALE["apiVersion"])
    scale = objects.place(scale, address, resource)
    objects.require_name(scale, address.name)
    _find(asked)
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    if replicas < 0 and not resource.custom:
        error = "must be greater than or equal to 0"
        raise_invalid_object(resource, address.name, "spec.replicas", replicas, error, "Scale.autoscaling")
    sized = {
        "apiVersion": resource.stored_version,
        "kind": resource.kind,
        "metadata": scale["metadata"],
        "spec": {"replicas": replicas},
    }
    payload = {"object": sized, "subresource": "scale", "request": asked.told(problems)}
    return Answer(make_scale(asked, writes.carry_out(asked, "replace", payload).data))


def patch_scale(asked: Asked) -> Answer:
    """PATCH of an object's size."""
    shown = writes.patch(asked)
    shown.value = make_scale(asked, shown.value)
    return shown


def make_scale(asked: Asked, data: Json) -> Json:
    """The size of an object as autoscaling/v1 shows it. Raises Refusal (500) of one that says none."""
    paths = asked.resource.scale_paths
    try:
        scale = (
            read_custom_scale(data, read_scale_paths(paths))
            if paths
            else read_own_scale(data.get("spec") or {}, data.get("status") or {})
        )
    except UnreadableScaleError as problem:
        raise internal_error(str(problem)) from problem
    meta = data["metadata"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    return {
        **SCALE,
        "metadata": {name: meta[name] for name in kept if name in meta},
        "spec": {"replicas": scale.replicas} if scale.replicas else {},
        "status": {"replicas": scale.status_replicas}
        | ({"selector": scale.selector} if scale.selector else {}),
    }


# --- pods -------------------------------------------------------------------------------------------------


def evict(asked: Asked) -> Answer:
    """POST of an eviction."""
    address = asked.address
    data, _ = objects.read_object(asked.request, "Eviction", "policy/v1", lenient_version=True)
    data = objects.place(data, address, asked.resource)
    if (data["metadata"].get("name") or address.name) != address.name:
        raise bad_request("name in URL does not match name in Eviction object")
    _find(asked)
    given = data.get("deleteOptions")
    options = read_delete_options(asked.options, {**given, "kind": "DeleteOptions"} if given else None)
    is_dry_run = options.is_dry_run or "All" in asked.options.every("dryRun")
    payload: Json = {
        "namespace": address.namespace or "",
        "name": address.name,
        "request": {"dryRun": ["All"]} if is_dry_run else {},
    }
    if options.grace_seconds is not None:
        # Without `force` a command means by 0 what kubectl means by it: a second.
        payload |= {"gracePeriodSeconds": max(options.grace_seconds, 0), "force": options.grace_seconds == 0}
    if options.preconditions:
        payload["preconditions"] = options.preconditions
    writes.carry_out(asked, "evict", payload)
    return done()


def bind(asked: Asked) -> Answer:
    """POST of a binding, to a pod's own address or to that of all bindings."""
    address = asked.address
    data, _ = objects.read_object(asked.request, "Binding", "v1")
    data = objects.place(data, address, asked.resource)
    name, target = data["metadata"].get("name") or "", data.get("target") or {}
    if address.name and name and name != address.name:
        raise bad_request("name in URL does not match name in Binding object")
    name = address.name or name
    errors = _find_binding_errors(target)
    if errors:
        # As it is: the API server gives no reason with it.
        raise unknown(errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]")
    payload = {
        "namespace": address.namespace or "",
        "name": name,
        "node": target["name"],
        "request": asked.told(),
    }
    writes.carry_out(asked, "bind", payload)
    return done()


def _find_binding_errors(target: Json) -> list[str]:
    errors = []
    kind = target.get("kind") or ""
    if kind not in ("", "Node"):
        errors.append(f'target.kind: Unsupported value: "{kind}": supported values: "Node", "<empty>"')
    if not target.get("name"):
        errors.append("target.name: Required value")
    return errors


# --- others -----------------------------------------------------------------------------------------------


def make_token(asked: Asked) -> Answer:
    """POST to a service account's /token."""
    return token_requests.answer(asked, _find(asked))


def _find(asked: Asked) -> Json:
    """The object that the part is one of. Raises Refusal (404)."""
    address = asked.address
    found = reads.find(asked.cluster, asked.resource, address.namespace, address.name)
    if found is None:
        raise not_found(asked.resource, address.name)
    return found


Handler = Callable[[Asked], Any]
HANDLERS: dict[tuple[str, str], Handler] = {
    ("scale", "get"): get_scale,
    ("scale", "update"): update_scale,
    ("scale", "patch"): patch_scale,
    ("eviction", "create"): evict,
    ("binding", "create"): bind,
    ("token", "create"): make_token,
    ("log", "get"): kubelet_answers.read_log,
    **{(PROXY, verb): proxies.answer for verb in ("get", "create", "update", "patch", "delete")},
    **{(action, verb): kubelet_answers.refuse_stream for action in ACTIONS for verb in ("create", "get")},
}
"""What is done with a part, by its name and the verb. Parts that are not here are read and written as their
object is."""
