"""The body of a patch, by its media type."""

from typing import Any

from django.http import HttpRequest

from lifecycle.engine.releases.release import Release
from lifecycle.engine.schema.tables import is_known_kind
from lifecycle.kube_api.asking import bodies
from lifecycle.kube_api.asking.bodies import Unreadable
from lifecycle.kube_api.asking.requests import Address, first_word
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.status import bad_request

Json = dict[str, Any]
JSON, MERGE, STRATEGIC, APPLY = "json", "merge", "strategic", "apply"
_MEDIA_TYPES = {
    "application/json-patch+json": JSON,
    "application/merge-patch+json": MERGE,
    "application/strategic-merge-patch+json": STRATEGIC,
    "application/apply-patch+yaml": APPLY,
}


def list_types(resource: Resource, release: Release) -> dict[str, str]:
    """How patches of a resource may be written, by media type: of what has no table nobody knows the keys."""
    is_known = not resource.custom and is_known_kind(resource.api_version, resource.kind, release)
    return {name: how for name, how in _MEDIA_TYPES.items() if how != STRATEGIC or is_known}


def read_type(request: HttpRequest, resource: Resource, release: Release) -> str:
    """How a patch is to be applied. Raises Refusal (415)."""
    taken = list_types(resource, release)
    how = taken.get(first_word(request.headers.get("Content-Type")))
    if how is None:
        raise bodies.unsupported_media_type(", ".join(taken)) if resource.custom else bodies.no_such_patch()
    return how


def read_patch(request: HttpRequest, how: str) -> tuple[Any, list[str]]:
    """What a patch says, and what a strict reader complains of. Raises Refusal."""
    text = bodies.read_bytes(request)
    try:
        body = bodies.read_yaml(text) if how == APPLY else bodies.read_json(text)
    except Unreadable as problem:
        if how == APPLY:
            raise bad_request(f"error decoding YAML: error converting YAML to JSON: {problem}") from None
        raise bad_request(str(problem) if how == STRATEGIC else f"error decoding patch: {problem}") from None
    return body.value, body.repeated


def check_applied(value: Any, resource: Resource, address: Address) -> Any:
    """A configuration that is applied, of the kind it is sent to. Raises Refusal (400)."""
    value = {} if value is None else value
    if not isinstance(value, dict):
        go_kind = {list: "array", str: "string", bool: "bool"}.get(type(value), "number")
        said = f"json: cannot unmarshal {go_kind} into Go value of type map[string]interface {{}}"
        wrapped = "error unmarshaling JSON: while decoding JSON: "
        raise bad_request(f"error decoding YAML: {wrapped}{said}")
    version, kind = value.get("apiVersion") or "", value.get("kind") or ""
    part = resource.parts.get(address.subresource)
    wanted = (f"{part.group}/{part.version}", part.kind) if part is not None and part.version else None
    if (version, kind) != (wanted or (resource.api_version, resource.kind)):
        group, _, number = str(version).rpartition("/")
        raise bad_request(f"invalid object type: {group}/{number}, Kind={kind}")
    meta = value.get("metadata")
    if isinstance(meta, dict):
        if meta.get("managedFields"):
            raise bad_request("metadata.managedFields must be nil")
        given = meta.get("namespace")
        if given and given != (address.namespace or ""):
            raise bad_request(
                "the namespace of the provided object does not match the namespace sent on the request"
            )
    return value
