"""One CustomResourceDefinition, read: the kind it makes, and each of its versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.kinds import Kind, kind_id

Json = Mapping[str, Any]
CLUSTER_SCOPE = "Cluster"
NAMES_ACCEPTED, ESTABLISHED, TERMINATING = "NamesAccepted", "Established", "Terminating"
CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
RULES = "x-kubernetes-validations"


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """Where a custom resource has its size: wanted, found, and by which selector; "" where it has none."""

    spec: tuple[str, ...]
    status: tuple[str, ...]
    selector: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """One version. `schema`: its OpenAPI v3 schema; {} for one that says nothing."""

    name: str
    is_served: bool
    is_stored: bool
    schema: Json
    has_status: bool = False
    scale: ScalePaths | None = None
    columns: Sequence[Json] = ()
    is_deprecated: bool = False
    deprecation_warning: str = ""
    has_rules: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """What a definition says. `versions` are by name, in its order."""

    name: str
    group: str
    kind: str
    plural: str
    singular: str
    list_kind: str
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    is_namespaced: bool
    versions: Mapping[str, Version]

    @property
    def kind_id(self) -> str:
        """The id of the kind it makes."""
        return kind_id(self.group, self.kind)

    def make_kind(self, version: str) -> Kind:
        """The kind it makes, in one of its versions."""
        names = self.plural, self.is_namespaced, " ".join(self.short_names)
        return _make_kind(f"{self.group}/{version}", self.kind, *names, self.kind_id)

    @property
    def stored_version(self) -> str:
        """The version that objects are stored in."""
        return next(one.name for one in self.versions.values() if one.is_stored)


@lru_cache(maxsize=1024)
def _make_kind(
    api_version: str, name: str, plural: str, namespaced: bool, short_names: str, id_: str
) -> Kind:
    """One kind for all objects of a version: they are many, and written often."""
    kind = Kind(api_version, name, plural, namespaced, short_names)
    kind.id = id_
    return kind


def read_definition(spec: Json, name: str = "") -> Definition:
    """The definition of a valid spec."""
    names = spec["names"]
    kind = names["kind"]
    return Definition(
        name,
        spec["group"],
        kind,
        names["plural"],
        names.get("singular") or kind.lower(),
        names.get("listKind") or f"{kind}List",
        tuple(names.get("shortNames") or ()),
        tuple(names.get("categories") or ()),
        spec.get("scope") != CLUSTER_SCOPE,
        {one["name"]: _read_version(one) for one in spec["versions"]},
    )


def find_unserved(definition: Definition, data: Json) -> str:
    """Why there is no such version of a defined kind, as kubectl says it; "" of one that is served."""
    given = str(data["apiVersion"])
    served = [f"{definition.group}/{one.name}" for one in definition.versions.values() if one.is_served]
    if given in served:
        return ""
    right = f"use {' or '.join(served)}" if served else "its definition serves no version"
    return f'no matches for kind "{definition.kind}" in version "{given}"; {right}'


def defined_kind_of(data: Json) -> str:
    """The id of the kind that a definition, valid or not, says it makes."""
    spec = data.get("spec")
    names = spec.get("names") if isinstance(spec, Mapping) else None
    if not isinstance(spec, Mapping) or not isinstance(names, Mapping):
        return ""
    return kind_id(str(spec.get("group")), str(names.get("kind")))


def _read_version(data: Json) -> Version:
    subresources = data.get("subresources") or {}
    scale, schema = subresources.get("scale"), (data.get("schema") or {}).get("openAPIV3Schema") or {}
    return Version(
        data["name"],
        bool(data.get("served")),
        bool(data.get("storage")),
        schema,
        subresources.get("status") is not None,
        read_scale_paths(scale) if scale is not None else None,
        tuple(data.get("additionalPrinterColumns") or ()),
        bool(data.get("deprecated")),
        data.get("deprecationWarning") or "",
        any(True for _rule in find_rules(schema)),
    )


def read_scale_paths(data: Mapping[str, Any]) -> ScalePaths:
    """What a definition says of its scale subresource."""
    paths = (data.get(f"{one}Path") or "" for one in ("specReplicas", "statusReplicas", "labelSelector"))
    return ScalePaths(*(tuple(path.strip(".").split(".")) if path.strip(".") else () for path in paths))


def find_rules(schema: Any, path: str = "") -> Iterator[str]:
    """Where in a schema rules stand."""
    if isinstance(schema, dict):
        for name, inner in schema.items():
            below = f"{path}.{name}" if path else name
            if name == RULES and inner:
                yield below
            else:
                yield from find_rules(inner, below)
    elif isinstance(schema, list):
        for inner in schema:
            yield from find_rules(inner, path)


# --- status -----------------------------------------------------------------------------------------------


def first_status(spec: Json) -> dict[str, Any]:
    """The status of a definition that nobody has looked at yet."""
    stored = list_stored(None, spec)
    return {"acceptedNames": {"kind": "", "plural": ""}, "conditions": None, "storedVersions": stored}


def list_stored(status: Json | None, spec: Json) -> list[str]:
    """The versions in which objects may be stored by now: those that were, and the one that is."""
    before = list((status or {}).get("storedVersions") or ())
    names = (one.get("name") or "" for one in spec.get("versions") or () if one.get("storage"))
    stored = next(names, None)
    return before if stored is None or stored in before else [*before, stored]


def fill_names(spec: Json) -> dict[str, Any]:
    """The spec with the names that follow from others, and how versions are converted."""
    names = dict(spec.get("names") or {})
    kind = names.get("kind") or ""
    names.setdefault("singular", kind.lower())
    names.setdefault("listKind", f"{kind}List" if kind else "")
    filled = {**spec, "names": {name: value for name, value in names.items() if value}}
    filled.setdefault("conversion", {"strategy": "None"})
    return filled
