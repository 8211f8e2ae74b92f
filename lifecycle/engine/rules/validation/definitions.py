"""CustomResourceDefinitions: names, versions, and that each has a schema that is structural."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..custom_resources.definition import find_rules
from .words.field_error import FieldError
from .words.go_structs import GoText
from .words.names import check_label_1035, check_subdomain
from .words.part import Part, gathers

WEBHOOK = "Webhook"
SCOPES = ("Cluster", "Namespaced")
_OBJECTS = GoText("<object>")


@gathers("")
def validate_definition(data: Part) -> None:
    """A name made of its plural and its group, one stored version, a schema for each."""
    spec = data.part("spec")
    names, name = spec.part("names"), data.part("metadata")["name"] or ""
    if name != f"{names['plural'] or ''}.{spec['group'] or ''}":
        data.refuse("metadata.name", 'must be spec.names.plural+"."+spec.group', name)
    _validate_group(spec)
    spec.choice("scope", SCOPES, needed=True)
    _validate_versions(spec)
    _validate_names(names)


def _validate_group(spec: Part) -> None:
    group = spec["group"]
    if not group:
        spec.require("group")
    elif malformed := check_subdomain(group):
        spec.refuse("group", ",".join(malformed))
    elif "." not in group:
        spec.refuse("group", "should be a domain with at least one dot")


def _validate_versions(spec: Part) -> None:
    from .schemas import validate_structural

    versions = spec.parts("versions")
    for version in versions:
        schema = version.part("schema").part("openAPIV3Schema")
        if version.part("schema")["openAPIV3Schema"] is None:
            version.require("schema.openAPIV3Schema")
        else:
            validate_structural(schema)
    names = [version["name"] or "" for version in versions]
    for version, name in zip(versions, names, strict=True):
        if malformed := check_label_1035(name):
            version.refuse("name", ",".join(malformed), name)
    if len(set(names)) < len(names):
        spec.refuse("versions", "must contain unique version names", _OBJECTS)
    if sum(bool(version["storage"]) for version in versions) != 1:
        spec.refuse("versions", "must have exactly one version marked as storage version", _OBJECTS)


def _validate_names(names: Part) -> None:
    names.need("plural")
    names.need("kind")
    for field in ("plural", "singular", "kind", "listKind"):
        name, is_mixed = names[field] or "", field in ("kind", "listKind")
        said = "may have mixed case, but should otherwise match: " if is_mixed else ""
        if name and (malformed := check_label_1035(name.lower() if is_mixed else name)):
            names.refuse(field, said + ",".join(malformed))
    for index, name in enumerate(names["shortNames"] or ()):
        if malformed := check_label_1035(name):
            names.refuse(f"shortNames[{index}]", ",".join(malformed), name)
    if names["kind"] and names["kind"] == names["listKind"]:
        names.refuse("listKind", "kind and listKind may not be the same")


def validate_kept_definition(new: Mapping[str, Any], old: Mapping[str, Any]) -> list[FieldError]:
    """What stays for life: the group, the scope and the kind, once its names were granted."""
    after, before = Part(new.get("spec"), "spec"), old.get("spec") or {}
    for field in ("group", "scope"):
        after.stays(field, before)
    names = after.part("names")
    for field in ("kind", "plural"):
        names.stays(field, before.get("names") or {})
    return after.errors


def warn_of_rules(data: Mapping[str, Any]) -> list[str]:
    """Rules of the schemas that cannot be asked, and webhooks that convert, which are not: one line each."""
    spec = data.get("spec") or {}
    unasked = [
        why
        for index, version in enumerate(spec.get("versions") or ())
        for why in _list_unasked((version.get("schema") or {}).get("openAPIV3Schema") or {}, index)
    ]
    warnings = []
    if unasked:
        more = f" (and {len(unasked) - 1} more)" if len(unasked) > 1 else ""
        warnings.append(f"{unasked[0]}; it is not asked{more}")
    if (spec.get("conversion") or {}).get("strategy") == WEBHOOK:
        warnings.append(
            "spec.conversion.strategy: the webhook is not asked; objects are served as they were sent, with"
            " another apiVersion"
        )
    return warnings


def _list_unasked(schema: Mapping[str, Any], index: int) -> list[str]:
    if not any(find_rules(schema)):
        return []
    from ..custom_resources.rules import find_unasked_rules

    return find_unasked_rules(schema, f"spec.versions[{index}].schema.openAPIV3Schema")
