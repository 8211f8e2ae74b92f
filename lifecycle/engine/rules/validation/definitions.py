"""CustomResourceDefinitions: names, versions, and that each has a schema that is structural.

Left out: that groups of Kubernetes' own need an annotation that approves of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..custom_resources.conditions import is_true
from ..custom_resources.definition import ESTABLISHED, find_rules, list_stored
from ..custom_resources.looks import Looks
from .words.field_error import FieldError
from .words.go_structs import GoText
from .words.names import check_label_1035, check_subdomain
from .words.part import Part, gathers

WEBHOOK = "Webhook"
SCOPES = ("Cluster", "Namespaced")
_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_AT_TOP = {"schema": "validation", "subresources": "subresources"} | dict.fromkeys(
    ("additionalPrinterColumns", "selectableFields")
)
_LONGEST_WARNING = 256


@gathers("")
def validate_new_definition(data: Part) -> None:
    """A name made of its plural and its group, and all that holds of a changed one too."""
    spec = data.part("spec")
    names, name = spec.part("names"), data.part("metadata")["name"] or ""
    if name != f"{names['plural'] or ''}.{spec['group'] or ''}":
        data.refuse("metadata.name", 'must be spec.names.plural+"."+spec.group', name)
    _validate_spec(spec)
    _validate_stored(data, list_stored(None, spec.data))
    _validate_preserving(spec)


def validate_changed_definition(new: Mapping[str, Any], old: Mapping[str, Any]) -> list[FieldError]:
    """What stays for life: the group and the plural, the scope and the kind once its names were granted."""
    data, before = Part(new), old.get("spec") or {}
    spec = data.part("spec")
    _validate_spec(spec)
    names, kept = spec.part("names"), before.get("names") or {}
    if is_true(old.get("status"), ESTABLISHED):
        spec.stays("scope", before)
        names.stays("kind", kept)
    spec.stays("group", before)
    names.stays("plural", kept)
    _validate_stored(data, list_stored(new.get("status"), spec.data))
    _validate_preserving(spec)
    return data.errors


def _validate_spec(spec: Part) -> None:
    _validate_group(spec)
    spec.choice("scope", SCOPES, needed=True)
    shared, looks = _list_shared(spec), Looks()
    _validate_versions(spec, shared, looks)
    _validate_names(spec.part("names"))
    if spec["versions"]:
        # What all versions have alike is the definition's own, in the form in which it is looked at.
        first = {_AT_TOP[word] or word: spec["versions"][0].get(word) for word in shared}
        _validate_parts(Part(first, spec.path, spec.errors), "validation", looks)
    if spec["conversion"] is not None:
        _validate_conversion(spec.part("conversion"))


def _list_shared(spec: Part) -> set[str]:
    """The parts that all versions have, and alike."""
    versions = [version.data for version in spec.parts("versions")]
    return {
        word
        for word in _AT_TOP
        if versions
        and all(version.get(word) for version in versions)
        and all(version.get(word) == versions[0].get(word) for version in versions)
    }


def _validate_group(spec: Part) -> None:
    group = spec["group"]
    if not group:
        spec.require("group")
    elif malformed := check_subdomain(group):
        spec.refuse("group", ",".join(malformed))
    elif "." not in group:
        spec.refuse("group", "should be a domain with at least one dot")


def _validate_versions(spec: Part, shared: set[str], looks: Looks) -> None:
    versions = spec.parts("versions")
    for version in versions:
        if version.part("schema")["openAPIV3Schema"] is None:
            version.require("schema.openAPIV3Schema")
    names = [version["name"] or "" for version in versions]
    for version, name in zip(versions, names, strict=True):
        if malformed := check_label_1035(name):
            version.refuse("name", ",".join(malformed), name)
        version.complain("deprecationWarning", _check_warning(version))
        own = {word: value for word, value in version.data.items() if word not in shared}
        _validate_parts(Part(own, version.path, version.errors), "schema", looks)
    wrong = []
    if len(set(names)) < len(names):
        wrong.append("must contain unique version names")
    if sum(bool(version["storage"]) for version in versions) != 1:
        wrong.append("must have exactly one version marked as storage version")
    if wrong:
        spec.complain("versions", wrong, _show_versions(spec["versions"], shared))
    if names and names[0] and (malformed := check_label_1035(names[0])):
        spec.refuse("version", ",".join(malformed), names[0])


def _check_warning(version: Part) -> list[str]:
    text = version["deprecationWarning"]
    if text is None:
        return []
    if not version["deprecated"]:
        return ["can only be set for deprecated versions"]
    wrong = []
    if len(text.encode("utf-8", "replace")) > _LONGEST_WARNING:
        wrong.append(f"must be <= {_LONGEST_WARNING} characters long")
    if not text:
        wrong.append("must not be an empty string")
    unprintable = next((index for index, sign in enumerate(text) if not sign.isprintable()), None)
    if unprintable is not None:
        said = "must only contain printable UTF-8 characters; non-printable character found at index"
        wrong.append(f"{said} {len(text[:unprintable].encode('utf-8', 'replace'))}")
    return wrong


def _show_versions(versions: Any, shared: set[str]) -> Any:
    """The versions as Go writes them, but for what they share: that stands in the spec by then."""
    if any(version.get(word) for version in versions or () for word in _AT_TOP if word not in shared):
        return GoText("<object>")
    shown = [
        {
            "Name": version.get("name") or "",
            "Served": bool(version.get("served")),
            "Storage": bool(version.get("storage")),
            "Deprecated": bool(version.get("deprecated")),
            "DeprecationWarning": version.get("deprecationWarning"),
            **dict.fromkeys(("Schema", "Subresources", "AdditionalPrinterColumns", "SelectableFields")),
        }
        for version in versions or ()
    ]
    return None if versions is None else GoText(json.dumps(shown, separators=(",", ":")))


def _validate_parts(place: Part, schema: str, looks: Looks) -> None:
    """The parts of a version, or of the definition: in which field a schema is differs."""
    from .schemas import validate_schema

    if place.part(schema)["openAPIV3Schema"] is not None:
        validate_schema(place.part(schema).part("openAPIV3Schema"), looks)
    scale = place.part("subresources")["scale"]
    if scale is not None:
        _validate_scale(place.part("subresources").part("scale"))
    for column in place.parts("additionalPrinterColumns"):
        column.need("name")
        said = f"must be one of {','.join(_COLUMN_TYPES)}"
        column.need("type", said)
        if column["type"] and column["type"] not in _COLUMN_TYPES:
            column.refuse("type", said)
        if column["format"] and column["format"] not in _COLUMN_FORMATS:
            column.refuse("format", f"must be one of {','.join(_COLUMN_FORMATS)}")
        if not column["jsonPath"]:
            column.require("JSONPath")
        elif not column["jsonPath"].startswith("."):
            column.refuse("JSONPath", "must be a simple json path starting with .", column["jsonPath"])


def _validate_scale(scale: Part) -> None:
    for field, places, said in (
        ("specReplicasPath", (".spec.",), ".spec"),
        ("statusReplicasPath", (".status.",), ".status"),
        ("labelSelectorPath", (".spec.", ".status."), "either .spec or .status"),
    ):
        path = scale[field]
        if not path:
            if field != "labelSelectorPath":
                scale.require(field)
        elif not path.startswith("."):
            scale.refuse(field, "must be a simple json path starting with .")
        elif not path.startswith(places):
            scale.refuse(field, f"should be a json path under {said}")


def _validate_names(names: Part) -> None:
    names.need("plural")
    names.need("singular")
    names.need("kind")
    names.need("listKind")
    for field in ("plural", "singular", "kind", "listKind"):
        name, is_mixed = names[field] or "", field in ("kind", "listKind")
        said = "may have mixed case, but should otherwise match: " if is_mixed else ""
        if name and (malformed := check_label_1035(name.lower() if is_mixed else name)):
            names.refuse(field, said + ",".join(malformed))
    _validate_each(names, "shortNames")
    if names["kind"] and names["kind"] == names["listKind"]:
        names.refuse("listKind", "kind and listKind may not be the same")
    _validate_each(names, "categories")


def _validate_each(names: Part, field: str) -> None:
    for index, name in enumerate(names[field] or ()):
        if malformed := check_label_1035(name):
            names.refuse(f"{field}[{index}]", ",".join(malformed), name)


def _validate_conversion(given: Part) -> None:
    # What is wrong is said of the fields of the form in which a definition is looked at.
    webhook = given.part("webhook")
    client, reviews = "webhookClientConfig", "conversionReviewVersions"
    own = {"strategy": given["strategy"], client: webhook["clientConfig"], reviews: webhook[reviews]}
    conversion = Part(own, given.path, given.errors)
    conversion.choice("strategy", ("None", WEBHOOK), needed=True)
    if conversion["strategy"] == WEBHOOK:
        from .webhooks import validate_client, validate_review_versions

        if conversion[client] is None:
            conversion.require(client, "required when strategy is set to Webhook")
        else:
            validate_client(conversion, client)
        validate_review_versions(conversion, reviews)
        return
    said = "should not be set when strategy is not set to Webhook"
    if conversion[client] is not None:
        conversion.forbid(client, said)
    if conversion[reviews]:
        conversion.forbid(reviews, said)


def _validate_stored(data: Part, stored: list[str]) -> None:
    """The version that is stored, and those that were, are among the versions that there are."""
    path = "status.storedVersions"
    if not stored:
        data.refuse(path, "must have at least one stored version", None)
        return
    names, unseen = set[str](), set(stored)
    for version in data.part("spec").parts("versions"):
        name = version["name"] or ""
        if version["storage"] and name not in unseen:
            data.refuse(path, f"must have the storage version {name}", stored)
        unseen.discard(name)
        names.add(name)
    for index, name in enumerate(stored):
        if name not in names:
            data.refuse(
                f"{path}[{index}]",
                f"missing from spec.versions; {name} was previously a storage version, and must remain in"
                f" spec.versions until a storage migration ensures no data remains persisted in {name} and"
                f" removes {name} from status.storedVersions",
                name,
            )


def _validate_preserving(spec: Part) -> None:
    if spec["preserveUnknownFields"]:
        said = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in"
        spec.refuse("preserveUnknownFields", f"{said} spec.versions[*].schema instead")


def warn_of_rules(data: Mapping[str, Any]) -> list[str]:
    """Rules of the schemas that cannot be asked, and webhooks that convert, which are not: one line each."""
    spec = data.get("spec") or {}
    warnings = []
    if unasked := _list_unasked(spec.get("versions") or ()):
        more = f" (and {len(unasked) - 1} more)" if len(unasked) > 1 else ""
        warnings.append(f"{unasked[0]}; it is not asked{more}")
    if (spec.get("conversion") or {}).get("strategy") == WEBHOOK:
        warnings.append(
            "spec.conversion.strategy: the webhook is not asked; objects are served as they were sent, with"
            " another apiVersion"
        )
    return warnings


def _list_unasked(versions: Sequence[Mapping[str, Any]]) -> list[str]:
    schemas = [(version.get("schema") or {}).get("openAPIV3Schema") or {} for version in versions]
    if not any(any(find_rules(schema)) for schema in schemas):
        return []
    from ..cel.evaluator import MOST_CHECKED, Budget
    from ..custom_resources.rules import find_unasked_rules

    checked = Budget(MOST_CHECKED)
    return [
        why
        for index, schema in enumerate(schemas)
        for why in find_unasked_rules(schema, f"spec.versions[{index}].schema.openAPIV3Schema", checked)
    ]
