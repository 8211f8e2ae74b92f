"""The paths of OpenAPI: which verbs each resource has, and what they take and give."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lifecycle.engine.kinds.served import Subresource
from lifecycle.engine.releases.release import Release
from lifecycle.kube_api.asking.patch_bodies import list_types
from lifecycle.kube_api.describing import openapi_schemas
from lifecycle.kube_api.describing.openapi_schemas import DELETE_OPTIONS, PATCH, STATUS, Refer
from lifecycle.kube_api.describing.resource import Resource

Json = dict[str, Any]
_METHODS = {
    "get": ("get", "get"),
    "update": ("put", "replace"),
    "patch": ("patch", "patch"),
    "delete": ("delete", "delete"),
    "list": ("get", "list"),
    "create": ("post", "create"),
    "deletecollection": ("delete", "deletecollection"),
}
JSON, YAML = "application/json", "application/yaml"
_ON_ONE = ("get", "update", "patch", "delete")
_ON_ALL = ("list", "create", "deletecollection")
_TEXT, _WHOLE, _SWITCH = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_OF_LISTS = {
    "allowWatchBookmarks": _SWITCH,
    "continue": _TEXT,
    "fieldSelector": _TEXT,
    "labelSelector": _TEXT,
    "limit": _WHOLE,
    "resourceVersion": _TEXT,
    "resourceVersionMatch": _TEXT,
    "sendInitialEvents": _SWITCH,
    "timeoutSeconds": _WHOLE,
    "watch": _SWITCH,
}
_OF_WRITES = {"dryRun": _TEXT, "fieldManager": _TEXT, "fieldValidation": _TEXT}
_OF_DELETIONS = {
    "dryRun": _TEXT,
    "gracePeriodSeconds": _WHOLE,
    "orphanDependents": _SWITCH,
    "propagationPolicy": _TEXT,
}
_QUERIES: dict[str, Json] = {
    "list": _OF_LISTS,
    "deletecollection": {**_OF_LISTS, **_OF_DELETIONS},
    "create": _OF_WRITES,
    "update": _OF_WRITES,
    "patch": {**_OF_WRITES, "force": _SWITCH},
    "delete": _OF_DELETIONS,
    "get": {},
}


def name_of(resource: Resource, release: Release) -> str:
    """The definition's name of a resource's objects."""
    known = "" if resource.custom else openapi_schemas.name_of(resource.api_version, resource.kind, release)
    if known:
        return known
    group = ".".join(reversed(resource.group.split("."))) if resource.custom else ""
    place = group or f"io.k8s.api.{resource.group.partition('.')[0] or 'core'}"
    return f"{place}.{resource.version}.{resource.kind}"


def make_paths(known: Sequence[Resource], refer: Refer) -> Json:
    """All paths of these resources."""
    paths: Json = {}
    for one in known:
        for path, operations in _paths_of(one, refer):
            paths[path] = operations
    return dict(sorted(paths.items()))


def _paths_of(resource: Resource, refer: Refer) -> Iterator[tuple[str, Json]]:
    root = f"/apis/{resource.api_version}" if resource.group else f"/api/{resource.version}"
    inside = f"{root}/namespaces/{{namespace}}" if resource.namespaced else root
    maker = _Maker(resource, refer)
    if resource.namespaced and "list" in resource.verbs:
        yield f"{root}/{resource.name}", maker.make(("list",), resource.verbs, ())
    places = ("namespace",) if resource.namespaced else ()
    yield f"{inside}/{resource.name}", maker.make(_ON_ALL, resource.verbs, places)
    if "get" in resource.verbs:
        yield f"{inside}/{resource.name}/{{name}}", maker.make(_ON_ONE, resource.verbs, (*places, "name"))
    for name, part in resource.parts.items():
        path = f"{inside}/{resource.name}/{{name}}/{name}"
        yield path, maker.make((*_ON_ONE, "create"), part.verbs, (*places, "name"), name, part)


class _Maker:
    """Makes the operations of one resource."""

    def __init__(self, resource: Resource, refer: Refer) -> None:
        self.resource, self.refer, self.is_v2 = resource, refer, refer.is_v2

    def make(
        self,
        wanted: Iterable[str],
        verbs: Iterable[str],
        places: tuple[str, ...],
        subresource: str = "",
        part: Subresource | None = None,
    ) -> Json:
        """The operations of one path, and its parameters."""
        found: Json = {
            _METHODS[verb][0]: self._operation(verb, places, subresource, part)
            for verb in wanted
            if verb in verbs
        }
        found["parameters"] = [self._parameter(place, "path", _TEXT) for place in places]
        return found

    def _operation(
        self, verb: str, places: tuple[str, ...], subresource: str, part: Subresource | None
    ) -> Json:
        resource = self.resource
        group, version, kind = resource.group, resource.version, resource.kind
        if part is not None and part.version:
            group, version, kind = part.group, part.version, part.kind
        elif part is not None and part.kind:
            kind = part.kind
        action = {"create": "post", "update": "put", "deletecollection": "deletecollection"}.get(verb, verb)
        scope = "Namespaced" if "namespace" in places else ""
        words = "".join(word.capitalize() for word in resource.group.partition(".")[0].split("-")) or "Core"
        suffix = "ForAllNamespaces" if resource.namespaced and verb == "list" and not places else ""
        operation: Json = {
            "operationId": f"{_METHODS[verb][1]}{words}{resource.version.capitalize()}{scope}{resource.kind}"
            f"{subresource.capitalize()}{suffix}",
            "responses": self._responses(verb, part),
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": {"group": group, "kind": kind, "version": version},
        }
        parameters = [self._parameter(name, "query", kind) for name, kind in _QUERIES[verb].items()]
        types = list(list_types(resource, self.refer.release)) if verb == "patch" else [JSON, YAML]
        body = self._body(verb, part)
        if self.is_v2:
            operation |= {"consumes": types if verb == "patch" else ["*/*"]}
            operation |= {"produces": [JSON, YAML]}
            if body is not None:
                parameters.append(
                    {"name": "body", "in": "body", "required": verb != "delete", "schema": body}
                )
        elif body is not None:
            operation["requestBody"] = {"content": {one: {"schema": body} for one in types}}
        return operation | ({"parameters": parameters} if parameters else {})

    def _parameter(self, name: str, place: str, kind: Json) -> Json:
        head: Json = {"name": name, "in": place} | ({"required": True} if place == "path" else {})
        return {**head, **kind} if self.is_v2 else {**head, "schema": kind}

    def _schema(self, part: Subresource | None) -> Json:
        if part is None or not part.kind:
            return self.refer(name_of(self.resource, self.refer.release))
        version, release = f"{part.group}/{part.version}", self.refer.release
        name = openapi_schemas.name_of(version, part.kind, release) if part.version else ""
        return self.refer(name) if name else {"type": "object"}

    def _body(self, verb: str, part: Subresource | None) -> Json | None:
        if verb in ("delete", "deletecollection"):
            return self.refer(DELETE_OPTIONS)
        if verb == "patch":
            return self.refer(PATCH)
        return self._schema(part) if verb in ("create", "update") else None

    def _responses(self, verb: str, part: Subresource | None) -> Json:
        shown = self._schema(part)
        if verb == "list":
            shown = self.refer(f"{name_of(self.resource, self.refer.release)}List")
        elif verb in ("delete", "deletecollection"):
            shown = self.refer(STATUS)
        answer: Json = {"description": "OK"}
        answer |= {"schema": shown} if self.is_v2 else {"content": {"application/json": {"schema": shown}}}
        codes = ("200", "201") if verb in ("create", "update", "patch") else ("200",)
        return {**dict.fromkeys(codes, answer), "401": {"description": "Unauthorized"}}
