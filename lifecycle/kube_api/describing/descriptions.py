"""What is said of kinds and fields in OpenAPI, and so by `kubectl explain`: in our words, from the tables.

Of a field: what may stand in it, what is filled in, how patches merge it, and what the model does not do with
it. Whether it is required and which texts it takes stands beside the description, where readers look for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.kinds.gated_fields import GATED_FIELDS
from lifecycle.engine.kinds.registry import entry_of_id, list_entries
from lifecycle.engine.kinds.unmodelled import UNMODELLED
from lifecycle.engine.objects.names import RBAC_GROUP
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.releases.release import Release
from lifecycle.engine.schema.fields import ANY_TYPE, LIST, MAP, Field
from lifecycle.engine.schema.tables import Tables, load_tables
from lifecycle.kube_api.describing.field_defaults import Key, inner_type, list_defaults

_HOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_MODELLED = "Modelled: what a cluster does with it is simulated."
OF_OBJECTS = {
    "apiVersion": "The group and version of the kind, as apps/v1.",
    "kind": "The kind of the object, as Deployment.",
    "metadata": "What every object has: name, namespace, labels, annotations, owners.",
    "spec": "What is wanted.",
    "status": "What is so: the cluster writes it.",
}
"""Of what every object has."""
_SCALARS = {
    "string": ("A text", "texts"),
    "int32": ("A whole number", "whole numbers"),
    "int64": ("A whole number", "whole numbers"),
    "boolean": ("True or false", "true or false"),
    "number": ("A number", "numbers"),
    "bytes": ("Bytes, in base64", "bytes, in base64"),
    "time": ("A time, as 2026-01-31T12:00:00Z", "times"),
    "microTime": ("A time, as 2026-01-31T12:00:00.000000Z", "times"),
    "quantity": ("An amount, as 500m, 1.5 or 2Gi", "amounts, as 500m, 1.5 or 2Gi"),
    "intOrString": ("A whole number, or a text such as 25% or a name", "whole numbers or texts"),
    "object": ("An object", "objects"),
    ANY_TYPE: ("Anything: it is not looked into", "anything"),
}
"""One of them, and several."""


def describe_kind(kind: str, api_version: str) -> str:
    """What the model does with objects of a kind; "" of one that is no kind of the engine."""
    entry = _entries().get((api_version, kind))
    if entry is None:
        return ""
    if entry.kind.api_version.startswith(RBAC_GROUP):
        return "Says who may do what through the API. Controllers are held to none."
    if kind in _HOOKS:
        return "Asked of what clients of the API write, where the operator of the server has allowed it."
    if entry.unattended:
        return f"Stored. Its controller is not there yet: {entry.unattended}."
    return "Stored. Nothing in the model acts on it." if entry.is_passive else _MODELLED


@cache
def _entries() -> Mapping[Key, KindEntry]:
    """By apiVersion, in whichever it is served, and kind."""
    found: dict[Key, KindEntry] = {}
    for entry in list_entries():
        also = entry.served.also if entry.served is not None else {}
        versions = (f"{group}/{version}" if group else version for group, version in also)
        found |= {(version, entry.kind.name): entry for version in (entry.kind.api_version, *versions)}
    return found


def describe_field(type_name: str, name: str, field: Field, release: Release) -> str:
    """A field of a type, in one or more sentences."""
    return " ".join(f"{one}." for one in _list_sentences(type_name, name, field, release))


def _list_sentences(type_name: str, name: str, field: Field, release: Release) -> Iterator[str]:
    own = OF_OBJECTS.get(name)
    is_whole = type_name in _kinds(release)
    yield own.removesuffix(".") if own is not None and is_whole else tell_value(field)
    default = list_defaults(release).get((type_name, name))
    if default is not None:
        yield f"Default: {str(default).lower() if isinstance(default, bool) else default}"
    if field.shape == LIST:
        yield from _tell_merges(field)
    elif field.ownership == "atomic":
        yield "Server-side apply owns it whole"
    yield from _notes(release).get((type_name, name), ())


@cache
def _kinds(release: Release) -> frozenset[str]:
    return frozenset(load_tables(release).kinds.values())


def tell_value(field: Field) -> str:
    """What stands in a field, without the stop."""
    if field.inner is None:
        known = _SCALARS.get(field.type_name)
        return known[0] if known is not None else f"An object of the type {_short(field.type_name)}"
    several = _tell_several(field.inner)
    return f"A map of names to {several}" if field.shape == MAP else f"A list of {several}"


def _tell_several(field: Field) -> str:
    if field.inner is not None:
        return f"{'maps of names to' if field.shape == MAP else 'lists of'} {_tell_several(field.inner)}"
    known = _SCALARS.get(field.type_name)
    return known[1] if known is not None else f"objects of the type {_short(field.type_name)}"


def _short(type_name: str) -> str:
    return type_name.rpartition(".")[2]


def _tell_merges(field: Field) -> Iterator[str]:
    if field.is_merged:
        by = f"by {field.merge_key}" if field.merge_key else "as a set"
        yield f"Strategic merge patches merge its entries {by}"
    if field.ownership == "map":
        yield f"Server-side apply owns its entries by {' and '.join(field.owned_by)}"
    else:
        yield f"Server-side apply owns {'its entries one by one' if field.ownership == 'set' else 'it whole'}"


# --- what becomes of it in the model ----------------------------------------------------------------------


@cache
def _notes(release: Release) -> Mapping[Key, tuple[str, ...]]:
    """What is said of fields that are dropped, or that nothing acts on."""
    tables, found = load_tables(release), dict[Key, dict[str, None]]()
    said = [(one.kind, one.path, f"Not modelled: {one.says}") for one in UNMODELLED]
    for gated in GATED_FIELDS:
        words = f"dropped while the feature gate {gated.gate} is off"
        said.append((gated.kind, gated.path, f"In {gated.path.rpartition('.')[0] or 'pods'} {words}"))
    for kind, path, text in said:
        if key := _find_key(kind, path, tables):
            found.setdefault(key, {})[text] = None
    return {key: tuple(texts) for key, texts in found.items()}


def _find_key(kind: str, path: str, tables: Tables) -> Key | None:
    """The type and field that a path of a kind leads to; that of a pod begins at its spec."""
    known = entry_of_id(kind).kind
    type_name: str | None = tables.kinds.get((known.api_version, known.name))
    steps = path.replace("[]", "").split(".")
    if kind == POD_KIND.id:
        steps.insert(0, "spec")
    for step in steps[:-1]:
        field = tables.types.get(type_name or "", {}).get(step)
        if field is None:
            return None
        type_name = inner_type(field)
    return (type_name, steps[-1]) if type_name and steps[-1] in tables.types.get(type_name, {}) else None
