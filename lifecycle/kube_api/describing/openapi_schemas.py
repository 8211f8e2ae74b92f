"""Schemas of all kinds, made of the engine's field tables: what OpenAPI says of objects."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lifecycle.engine.objects.names import LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVES
from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.releases.release import Release
from lifecycle.engine.schema.fields import ANY_TYPE, LIST, MAP, Field
from lifecycle.engine.schema.tables import ANY_FIELD, Tables, load_tables
from lifecycle.kube_api.describing.descriptions import describe_field, describe_kind
from lifecycle.lean_dataclasses import replace

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refer:
    """How a document of one version of OpenAPI refers to a definition by its name. It is of one release."""

    prefix: str
    is_v2: bool
    release: Release = DEFAULT_RELEASE

    def __call__(self, name: str) -> Json:
        return {"$ref": self.prefix + name}

    def mark(self, schema: Json, marks: Json) -> Json:
        """A schema, and what is said of this use of it. In v3 nothing stands beside a reference."""
        if not marks or self.is_v2 or "$ref" not in schema:
            return {**schema, **marks}
        return {"allOf": [schema], **marks}

    def either(self, format: Json, *types: str) -> Json:
        """What is of one of several types: a text, as far as v2 can say."""
        kinds: Json = {"type": "string"} if self.is_v2 else {"oneOf": [{"type": one} for one in types]}
        return {**kinds, **format}


_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_OF_META = frozenset(
    "ObjectMeta ListMeta LabelSelector LabelSelectorRequirement OwnerReference ManagedFieldsEntry FieldsV1"
    " Condition FieldSelectorRequirement DeleteOptions Preconditions".split()
)
_OF_CORE = frozenset({"TopologySelectorTerm", "TopologySelectorLabelRequirement"})
"""What another group's kind is reached by first, and is the core group's."""
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
_SCALARS: dict[str, Json] = {
    "string": {"type": "string"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "boolean": {"type": "boolean"},
    "number": {"type": "number", "format": "double"},
    "bytes": {"type": "string", "format": "byte"},
    ANY_TYPE: {"type": "object", PRESERVES: True},
}
_NAMED_SCALARS = {
    "time": f"{_META}.Time",
    "microTime": f"{_META}.MicroTime",
    "quantity": QUANTITY,
    "intOrString": INT_OR_STRING,
}
_DEFINITIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
_OPAQUE: dict[tuple[str, str], str] = {
    ("ControllerRevision", "data"): "io.k8s.apimachinery.pkg.runtime.RawExtension",
    ("ManagedFieldsEntry", "fieldsV1"): f"{_META}.FieldsV1",
    ("CustomResourceSubresources", "status"): f"{_DEFINITIONS}.CustomResourceSubresourceStatus",
    ("AllocatedDeviceStatus", "data"): "io.k8s.apimachinery.pkg.runtime.RawExtension",
    ("OpaqueDeviceConfiguration", "parameters"): "io.k8s.apimachinery.pkg.runtime.RawExtension",
    **{("JSONSchemaProps", name): f"{_DEFINITIONS}.JSON" for name in ("default", "example", "enum")},
    ("JSONSchemaProps", "additionalItems"): f"{_DEFINITIONS}.JSONSchemaPropsOrBool",
    ("JSONSchemaProps", "additionalProperties"): f"{_DEFINITIONS}.JSONSchemaPropsOrBool",
    ("JSONSchemaProps", "items"): f"{_DEFINITIONS}.JSONSchemaPropsOrArray",
    ("JSONSchemaProps", "dependencies"): f"{_DEFINITIONS}.JSONSchemaPropsOrStringArray",
}
"""By type and field: what has a name, and nothing that could be said of it."""
_COMMON: dict[str, Json] = {
    **{
        name: {"type": "object"} if "JSON" not in name.rpartition(".")[2] else {}
        for name in sorted(set(_OPAQUE.values()))
    },
    f"{_META}.Time": {"type": "string", "format": "date-time"},
    f"{_META}.MicroTime": {"type": "string", "format": "date-time"},
    f"{_META}.Patch": {"type": "object"},
}
_OF_LISTS: Json = {
    "continue": {"type": "string"},
    "remainingItemCount": {"type": "integer", "format": "int64"},
    "resourceVersion": {"type": "string"},
    "selfLink": {"type": "string"},
}
_SHARD: Json = {"type": "object", "required": ["selector"], "properties": {"selector": {"type": "string"}}}
_SHARDS_SINCE = 36
_CAUSE = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("field", "message", "reason")},
}
LIST_META, STATUS, DELETE_OPTIONS = f"{_META}.ListMeta", f"{_META}.Status", f"{_META}.DeleteOptions"
OBJECT_META = f"{_META}.ObjectMeta"
PATCH = f"{_META}.Patch"


def list_common(refer: Refer) -> Json:
    """Definitions that every document has: metadata, lists, statuses, options of deletions."""
    text = {"type": "string"}
    head = {"apiVersion": text, "kind": text}
    named, reached = names(refer.release), _reach("ObjectMeta", load_tables(refer.release))
    return {
        **_COMMON,
        **_describe_lists(refer),
        **{named[one]: make_schema(one, refer) for one in reached},
        QUANTITY: refer.either({}, "string", "number"),
        INT_OR_STRING: refer.either({"format": "int-or-string"}, "integer", "string"),
        f"{_META}.StatusCause": _CAUSE,
        f"{_META}.StatusDetails": {
            "type": "object",
            "properties": {
                **dict.fromkeys(("group", "kind", "name", "uid"), text),
                "causes": {
                    "type": "array",
                    "items": refer(f"{_META}.StatusCause"),
                    LIST_TYPE: "atomic",
                },
                "retryAfterSeconds": _SCALARS["int32"],
            },
        },
        STATUS: {
            "type": "object",
            "properties": {
                **head,
                "metadata": refer(LIST_META),
                **dict.fromkeys(("message", "reason", "status"), text),
                "code": _SCALARS["int32"],
                "details": refer(f"{_META}.StatusDetails"),
            },
            "x-kubernetes-group-version-kind": [{"group": "", "kind": "Status", "version": "v1"}],
        },
        f"{_META}.Preconditions": make_schema("Preconditions", refer),
        DELETE_OPTIONS: {
            **make_schema("DeleteOptions", refer),
            "x-kubernetes-group-version-kind": [{"group": "", "kind": "DeleteOptions", "version": "v1"}],
        },
    }


def _describe_lists(refer: Refer) -> Json:
    """What is said of a list as a whole: since v1.36 also of which part of the objects it is."""
    if refer.release.served_minor < _SHARDS_SINCE:
        return {LIST_META: {"type": "object", "properties": _OF_LISTS}}
    shard = f"{_META}.ShardInfo"
    return {
        LIST_META: {"type": "object", "properties": {**_OF_LISTS, "shardInfo": refer(shard)}},
        shard: _SHARD,
    }


@cache
def names(release: Release) -> Mapping[str, str]:
    """The definition's name of each type of a release's tables: `io.k8s.api.core.v1.PodSpec`."""
    tables = load_tables(release)
    found: dict[str, str] = {}
    # What a Pod is made of is the core group's, whoever else has a template of one.
    for (version, _), type_name in sorted(tables.kinds.items(), key=lambda one: ("/" in one[0][0], one[0])):
        for one in _reach(type_name, tables):
            found.setdefault(one, _name(one, version))
    return found


def _name(type_name: str, api_version: str) -> str:
    short = type_name.rpartition(".")[2]
    if short in _OF_META:
        return f"{_META}.{short}"
    if short in _OF_CORE:
        return f"io.k8s.api.core.v1.{short}"
    group, _, version = api_version.rpartition("/")
    if group in ("apiextensions.k8s.io", "apiregistration.k8s.io"):
        place = {
            "apiextensions.k8s.io": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
            "apiregistration.k8s.io": "io.k8s.kube-aggregator.pkg.apis.apiregistration",
        }[group]
        return f"{place}.{version}.{short}"
    if "." in group and not group.endswith(".k8s.io"):
        return f"{'.'.join(reversed(group.split('.')))}.{version}.{short}"
    return f"io.k8s.api.{group.partition('.')[0] or 'core'}.{version}.{short}"


def _reach(type_name: str, tables: Tables) -> Iterator[str]:
    """A type and all that its fields lead to, once each."""
    types, seen, left = tables.types, set(), [type_name]
    while left:
        one = left.pop()
        if one in seen or one not in types:
            continue
        seen.add(one)
        yield one
        left += [_innermost(field).type_name for field in types[one].values()]


def _innermost(field: Field) -> Field:
    while field.inner is not None:
        field = field.inner
    return field


def definitions_of(api_version: str, kind: str, refer: Refer) -> Json:
    """The definitions that a kind is made of, by name; none of a kind without a table."""
    tables, named = load_tables(refer.release), names(refer.release)
    type_name = tables.kinds.get((api_version, kind))
    if type_name is None:
        return {}
    found = {named[one]: make_schema(one, refer) for one in _reach(type_name, tables)}
    group, _, version = api_version.rpartition("/")
    name = named[type_name]
    described = describe_kind(kind, api_version)
    found[name] = {
        **({"description": described} if described else {}),
        **found[name],
        "x-kubernetes-group-version-kind": [{"group": group, "kind": kind, "version": version}],
    }
    return found


def name_of(api_version: str, kind: str, release: Release) -> str:
    """The definition's name of a kind, "" of one without a table."""
    type_name = load_tables(release).kinds.get((api_version, kind))
    return names(release)[type_name] if type_name is not None else ""


def make_schema(type_name: str, refer: Refer) -> Json:
    """The schema of a type, whose fields refer to others."""
    fields = load_tables(refer.release).types[type_name]
    properties = {
        name: refer.mark(
            make_field(_named(type_name, name, field), refer),
            {"description": describe_field(type_name, name, field, refer.release)},
        )
        for name, field in sorted(fields.items())
        if name != ANY_FIELD
    }
    schema: Json = {"type": "object"}
    if properties:
        schema["properties"] = properties
    if ANY_FIELD in fields:
        schema[PRESERVES] = True
    if type_name in _owned_whole(refer.release):
        schema[MAP_TYPE] = "atomic"
    needed = sorted(name for name, field in fields.items() if field.is_required)
    return schema | ({"required": needed} if needed else {})


def _named(type_name: str, name: str, field: Field) -> Field:
    """A field, its type named where the tables know none."""
    opaque = _OPAQUE.get((type_name, name))
    if opaque is None:
        return field
    if field.inner is not None:
        return replace(field, inner=replace(field.inner, type_name=opaque))
    return replace(field, type_name=opaque)


@cache
def _owned_whole(release: Release) -> frozenset[str]:
    """The types whose objects server-side apply owns whole, wherever they stand."""
    fields = (field for type in load_tables(release).types.values() for field in type.values())
    return frozenset(field.type_name for field in fields if not field.shape and field.ownership == "atomic")


def make_field(field: Field, refer: Refer) -> Json:
    """The schema of a field, and how it is merged."""
    schema = _make_value(field, refer)
    marks: Json = {}
    if field.choices and field.inner is None:
        marks["enum"] = sorted(field.choices)
    if field.shape == LIST:
        marks[LIST_TYPE] = field.ownership or "atomic"
        if field.ownership == "map":
            marks[LIST_KEYS] = list(field.owned_by)
    elif field.ownership == "atomic" and field.type_name not in names(refer.release):
        marks[MAP_TYPE] = "atomic"
    if field.merge_key:
        marks["x-kubernetes-patch-merge-key"] = field.merge_key
    if field.strategies:
        marks["x-kubernetes-patch-strategy"] = ",".join(field.strategies)
    return refer.mark(schema, marks)


def _make_value(field: Field, refer: Refer) -> Json:
    if field.inner is not None:
        inner = make_field(field.inner, refer)
        if field.choices:
            inner = {**inner, "enum": sorted(field.choices)}
        if field.shape == MAP:
            return {"type": "object", "additionalProperties": inner}
        return {"type": "array", "items": inner}
    if field.type_name in _NAMED_SCALARS:
        return refer(_NAMED_SCALARS[field.type_name])
    if field.type_name in _SCALARS:
        return _SCALARS[field.type_name]
    return refer(names(refer.release).get(field.type_name, field.type_name))
