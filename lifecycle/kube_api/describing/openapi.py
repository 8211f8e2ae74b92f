"""OpenAPI v2 and v3 of a cluster's resources: what explanations, validation and completion go by."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

import orjson
from django.http import HttpRequest

from lifecycle.engine.objects.names import PRESERVES
from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.releases.release import Release
from lifecycle.kube_api.asking.asked import Text
from lifecycle.kube_api.content import JSON, choose_type
from lifecycle.kube_api.describing import openapi_paths, openapi_schemas
from lifecycle.kube_api.describing.openapi_custom import make_custom, make_head
from lifecycle.kube_api.describing.openapi_on_demand import FIELDS, make_fields
from lifecycle.kube_api.describing.openapi_schemas import LIST_META, Refer
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.protobuf import swagger
from lifecycle.kube_api.status import NoSuchPath, Refusal
from lifecycle.models import Cluster
from lifecycle.reads import read_release

Json = dict[str, Any]
KEPT_BYTES = 32 * 1024 * 1024
"""What is kept of documents, together: those of one release without definitions are some 3 MiB."""
_written: dict[tuple[Any, ...], bytes] = {}
"""Documents by what they are made of, the latest made last."""


def answer(request: HttpRequest, cluster: Cluster, words: list[str], known: list[Resource]) -> Text:
    """/openapi/v2, /openapi/v3 and what lies below. Raises NoSuchPath, Refusal (406)."""
    release = read_release(cluster)
    if words == ["v2"]:
        return _send_v2(request, known, release)
    groups: dict[str, list[Resource]] = {}
    for one in known if words[:1] == ["v3"] else ():
        groups.setdefault(_place(one), []).append(one)
    if words == ["v3"]:
        base = quote(request.path[: request.path.rindex("/openapi/")], safe="/@")
        paths = {
            place: {"serverRelativeURL": f"{base}/openapi/v3/{place}?hash={_hash(text)}"}
            for place, text in ((one, _written_v3(one, of, release)) for one, of in groups.items())
        }
        # As the API server sends this one page.
        return Text(orjson.dumps({"paths": paths}), "text/plain; charset=utf-8")
    place = "/".join(words[1:])
    if place in groups:
        return _send(request, _written_v3(place, groups[place], release))
    raise NoSuchPath


def _send_v2(request: HttpRequest, known: list[Resource], release: Release) -> Text:
    served = (JSON, *swagger.MEDIA_TYPES)
    wanted = choose_type(request.headers.get("Accept", ""), served)
    if wanted is None:
        said = f"only the following media types are accepted: {', '.join(served)}"
        raise Refusal(406, said, "NotAcceptable")
    text = _write("v2", known, release, lambda: orjson.dumps(make_v2(known, release)))
    if wanted == JSON:
        return _send(request, text)
    encoded = _write("v2 as protobuf", known, release, lambda: swagger.encode(orjson.loads(text)))
    return _send(request, encoded, swagger.MEDIA_TYPE)


def _written_v3(place: str, known: Sequence[Resource], release: Release) -> bytes:
    return _write(place, known, release, lambda: orjson.dumps(make_v3(known, release)))


def _write(place: str, known: Sequence[Resource], release: Release, make: Callable[[], bytes]) -> bytes:
    # All that is known of them: those of two clusters may have a name in common and nothing else.
    key = (place, release.name, *(_hash(repr(one).encode()) for one in known if one.custom))
    found = _written.get(key)
    if found is None:
        found = make()
        _keep(key, found)
    return found


def _keep(key: tuple[Any, ...], text: bytes) -> None:
    """Keep a document, and let go of those made first until all have room. Threads may be here together."""
    if len(text) > KEPT_BYTES:
        return
    _written[key] = text
    while sum(map(len, list(_written.values()))) > KEPT_BYTES:
        _written.pop(next(iter(list(_written)), key), None)


def _send(request: HttpRequest, text: bytes, content_type: str = JSON) -> Text:
    etag = f'"{_hash(text)}"'
    headers = {"ETag": etag, "Vary": "Accept"}
    if request.headers.get("If-None-Match") == etag:
        return Text(b"", content_type, 304, headers)
    return Text(text, content_type, 200, headers)


def _hash(text: bytes) -> str:
    return hashlib.sha512(text).hexdigest().upper()


def _place(resource: Resource) -> str:
    return f"apis/{resource.api_version}" if resource.group else f"api/{resource.version}"


# --- documents --------------------------------------------------------------------------------------------


def _tell_info(release: Release) -> Json:
    return {"title": "Kubernetes", "version": release.version}


def make_v2(known: Sequence[Resource], release: Release = DEFAULT_RELEASE) -> Json:
    """The one document of OpenAPI v2."""
    refer = Refer("#/definitions/", is_v2=True, release=release)
    schemas = make_schemas(known, refer)
    return {
        "swagger": "2.0",
        "info": _tell_info(release),
        "paths": openapi_paths.make_paths(known, refer),
        "definitions": schemas,
    }


def make_v3(known: Sequence[Resource], release: Release = DEFAULT_RELEASE) -> Json:
    """The document of one group version in OpenAPI v3."""
    refer = Refer("#/components/schemas/", is_v2=False, release=release)
    return {
        "openapi": "3.0.0",
        "info": _tell_info(release),
        "paths": openapi_paths.make_paths(known, refer),
        "components": {"schemas": make_schemas(known, refer)},
    }


def make_schemas(known: Sequence[Resource], refer: Refer) -> Json:
    """The definitions of resources, of their lists and of what their parts speak."""
    found: Json = {}
    for one in known:
        spoken = [(one.api_version, one.kind)]
        spoken += [(f"{part.group}/{part.version}", part.kind) for part in one.parts.values() if part.version]
        for version, kind in spoken:
            found |= openapi_schemas.definitions_of(version, kind, refer)
        name = openapi_paths.name_of(one, refer.release)
        if one.custom:
            found[name] = {**make_custom(one, refer), **_marks(one, one.kind)}
        elif name not in found:
            found[name] = _without_table(one, refer)
        if "list" in one.verbs:
            found[f"{name}List"] = _make_list(one, name, refer)
    return found | openapi_schemas.list_common(refer)


def _without_table(resource: Resource, refer: Refer) -> Json:
    marks, known = _marks(resource, resource.kind), FIELDS.get(resource.kind)
    head = make_head(refer)
    if known is not None:
        return {"type": "object", "properties": {**head, **make_fields(known)["properties"]}, **marks}
    # Readers of v2 would refuse all fields beside those that are named.
    if refer.is_v2:
        return {"type": "object", **marks}
    return {"type": "object", "properties": head, PRESERVES: True, **marks}


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
