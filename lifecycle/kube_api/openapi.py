"""OpenAPI v2 and v3 of a cluster's resources: what explanations, validation and completion go by."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from django.http import HttpRequest

from lifecycle.kube_api import openapi_paths, openapi_schemas
from lifecycle.kube_api.asked import Text
from lifecycle.kube_api.content import JSON, accepts_json
from lifecycle.kube_api.openapi_schemas import DELETE_OPTIONS, LIST_META, OBJECT_META, Refer
from lifecycle.kube_api.resource import Resource
from lifecycle.kube_api.status import NoSuchPath, Refusal
from lifecycle.models import Cluster

Json = dict[str, Any]
_INFO = {"title": "Kubernetes", "version": "v1.35.6"}
_KEPT = 256
_written: dict[tuple[Any, ...], bytes] = {}
"""Documents by what they are made of: cut when there are too many."""


def answer(request: HttpRequest, cluster: Cluster, words: list[str], known: list[Resource]) -> Text:
    """/openapi/v2, /openapi/v3 and what lies below. Raises NoSuchPath, Refusal (406)."""
    if words == ["v2"]:
        if not accepts_json(request.headers.get("Accept", "")):
            raise Refusal(
                406, "only the following media types are accepted: application/json", "NotAcceptable"
            )
        return _send(request, _write("v2", known, lambda: make_v2(known)))
    groups: dict[str, list[Resource]] = {}
    for one in known if words[:1] == ["v3"] else ():
        groups.setdefault(_place(one), []).append(one)
    if words == ["v3"]:
        base = request.path[: request.path.rindex("/openapi/")]
        paths = {
            place: {"serverRelativeURL": f"{base}/openapi/v3/{place}?hash={_hash(_written_v3(place, of))}"}
            for place, of in groups.items()
        }
        # As the API server sends this one page.
        return Text(orjson.dumps({"paths": paths}), "text/plain; charset=utf-8")
    place = "/".join(words[1:])
    if place in groups:
        return _send(request, _written_v3(place, groups[place]))
    raise NoSuchPath


def _written_v3(place: str, known: Sequence[Resource]) -> bytes:
    return _write(place, known, lambda: make_v3(known))


def _write(place: str, known: Sequence[Resource], make: Callable[[], Json]) -> bytes:
    custom = tuple(
        (one.group, one.version, one.name, _hash(orjson.dumps([one.schema, dict(one.scale_paths or {})])))
        for one in known
        if one.custom
    )
    key = (place, custom)
    found = _written.get(key)
    if found is None:
        if len(_written) >= _KEPT:
            _written.clear()
        found = _written[key] = orjson.dumps(make())
    return found


def _send(request: HttpRequest, text: bytes) -> Text:
    etag = f'"{_hash(text)}"'
    headers = {"ETag": etag, "Vary": "Accept"}
    if request.headers.get("If-None-Match") == etag:
        return Text(b"", JSON, 304, headers)
    return Text(text, JSON, 200, headers)


def _hash(text: bytes) -> str:
    return hashlib.sha512(text).hexdigest().upper()


def _place(resource: Resource) -> str:
    return f"apis/{resource.api_version}" if resource.group else f"api/{resource.version}"


# --- documents --------------------------------------------------------------------------------------------


def make_v2(known: Sequence[Resource]) -> Json:
    """The one document of OpenAPI v2."""
    refer: Refer = _refer("#/definitions/")
    schemas = make_schemas(known, refer)
    return {
        "swagger": "2.0",
        "info": _INFO,
        "paths": openapi_paths.make_paths(known, refer, is_v2=True),
        "definitions": schemas,
    }


def make_v3(known: Sequence[Resource]) -> Json:
    """The document of one group version in OpenAPI v3."""
    refer: Refer = _refer("#/components/schemas/")
    return {
        "openapi": "3.0.0",
        "info": _INFO,
        "paths": openapi_paths.make_paths(known, refer, is_v2=False),
        "components": {"schemas": make_schemas(known, refer)},
    }


def _refer(prefix: str) -> Refer:
    return lambda name: {"$ref": prefix + name}


def make_schemas(known: Sequence[Resource], refer: Refer) -> Json:
    """The definitions of resources, of their lists and of what their parts speak."""
    found = openapi_schemas.list_common(refer)
    for one in known:
        spoken = [(one.api_version, one.kind)]
        spoken += [(f"{part.group}/{part.version}", part.kind) for part in one.parts.values() if part.version]
        for version, kind in spoken:
            found |= openapi_schemas.definitions_of(version, kind, refer)
        name = openapi_paths.name_of(one)
        if one.custom:
            found[name] = make_custom(one, refer)
        elif name not in found:
            found[name] = _without_table(one)
        if "list" in one.verbs:
            found[f"{name}List"] = _make_list(one, name, refer)
    found.setdefault(OBJECT_META, {"type": "object"})
    assert DELETE_OPTIONS in found, "every document has it"
    return found


def make_custom(resource: Resource, refer: Refer) -> Json:
    """A custom resource's own schema, with what every object has."""
    given: Json = resource.schema if isinstance(resource.schema, dict) else {}
    text = {"type": "string"}
    properties = {
        **(given.get("properties") or {}),
        "apiVersion": text,
        "kind": text,
        "metadata": refer(OBJECT_META),
    }
    return {**given, "type": "object", "properties": properties, **_marks(resource, resource.kind)}


def _without_table(resource: Resource) -> Json:
    text = {"type": "string"}
    return {
        "type": "object",
        "properties": {"apiVersion": text, "kind": text, "metadata": {"type": "object"}},
        "x-kubernetes-preserve-unknown-fields": True,
        **_marks(resource, resource.kind),
    }


def _make_list(resource: Resource, name: str, refer: Refer) -> Json:
    text = {"type": "string"}
    return {
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": text,
            "kind": text,
            "metadata": refer(LIST_META),
            "items": {"type": "array", "items": refer(name)},
        },
        **_marks(resource, resource.kind_of_list),
    }


def _marks(resource: Resource, kind: str) -> Json:
    one = {"group": resource.group, "kind": kind, "version": resource.version}
    return {"x-kubernetes-group-version-kind": [one]}
