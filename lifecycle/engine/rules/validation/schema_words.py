"""Words of a custom resource's schema beside its structure: which may not be used, and which go together.

Models apiextensions-apiserver, ValidateCustomResourceDefinitionOpenAPISchema. Left out: whether rules
compile, what they cost, and whether their field paths lead anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lifecycle.lean_dataclasses import replace

from ...objects.names import LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVES
from ..custom_resources.definition import RULES
from ..custom_resources.looks import Looks
from .words.field_error import OMITTED
from .words.part import Part

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_UNSUPPORTED = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_MAP, _SET = "map", "set"


def validate_words(schema: Part) -> None:
    """Everything that is wrong with the words of a schema and of those within it."""
    _validate_support(schema)
    further, known = schema["additionalProperties"], schema["properties"] or {}
    if known and (further is False or isinstance(further, Mapping)):
        schema.forbid("additionalProperties", "additionalProperties and properties are mutual exclusive")
    for inner in _list_within(schema):
        validate_words(inner)
    if schema[PRESERVES] is False:
        schema.refuse(PRESERVES, "must be true or undefined")
    _validate_kinds(schema)
    if schema[LIST_TYPE] == _MAP:
        _validate_keys(schema)
    _validate_items(schema)
    for rule in schema.parts(RULES):
        _validate_rule(rule)


def validate_defaults(schema: Part, looks: Looks) -> None:
    """Defaults are held to the schema that they stand in; the first that is too much to check is the last."""
    from ..custom_resources.validation import TOO_MUCH, validate_custom

    default = schema["default"]
    if looks.are_spent:
        return
    if default is not None:
        path = schema.at("default")
        for error in validate_custom(default, schema.data, looks=looks):
            if error.detail == TOO_MUCH:
                schema.refuse("default", TOO_MUCH, OMITTED)
                continue
            below = error.path if error.path.startswith("<") else ""
            schema.errors.append(
                replace(error, path=below or f"{path}{'.' if error.path else ''}{error.path}")
            )
    for inner in _list_within(schema, is_structural=True):
        validate_defaults(inner, looks)


def _list_within(schema: Part, is_structural: bool = False) -> Iterator[Part]:
    for word in ("additionalProperties", *(() if is_structural else ("not",)), "items"):
        if word == "items" and not is_structural:
            for several in ("allOf", "oneOf", "anyOf"):
                yield from schema.parts(several)
        if isinstance(schema[word], Mapping):
            yield schema.part(word)
        if word == "additionalProperties":
            for name in sorted(schema["properties"] or {}):
                yield Part(schema["properties"][name], f"{schema.at('properties')}[{name}]", schema.errors)


def _validate_support(schema: Part) -> None:
    kind = schema["type"]
    if kind and kind not in _TYPES:
        schema.support("type", _TYPES)
    for word in _UNSUPPORTED:
        if schema[word]:
            schema.forbid(word, f"{word} is not supported")
    if kind == "null":
        schema.forbid("type", "type cannot be set to null, use nullable as an alternative")
    if isinstance(schema["items"], list):
        schema.forbid("items", "items must be a schema object and not an array")
    if schema["uniqueItems"]:
        said = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        schema.forbid("uniqueItems", said)


def _validate_kinds(schema: Part) -> None:
    """What says how lists and maps are merged stands where there is one."""
    for word, kind, kinds in (
        (MAP_TYPE, "object", ("atomic", "granular")),
        (LIST_TYPE, "array", ("atomic", _SET, _MAP)),
    ):
        if schema[word] is None:
            continue
        said = f"must be {kind} if {word} is specified"
        if not schema["type"]:
            schema.require("type", said)
        elif schema["type"] != kind:
            schema.refuse("type", said)
        elif (word, schema[word]) == (LIST_TYPE, _SET):
            _validate_set(schema.part("items"))
        schema.support(word, kinds)
    if schema[LIST_KEYS] and schema[LIST_TYPE] != _MAP:
        said = f"must be map if {LIST_KEYS} is non-empty"
        if schema[LIST_TYPE] is None:
            schema.require(LIST_TYPE, said)
        else:
            schema.refuse(LIST_TYPE, said)


def _validate_set(items: Part) -> None:
    said = f"must be atomic as item of a list with {LIST_TYPE}=set"
    if items["type"] == "array" and items[LIST_TYPE] not in (None, "atomic"):
        items.refuse(LIST_TYPE, said)
    elif items["type"] == "object" and items[MAP_TYPE] != "atomic":
        items.refuse(MAP_TYPE, said, items[LIST_TYPE])


def _validate_keys(schema: Part) -> None:
    if not schema[LIST_KEYS]:
        schema.require(LIST_KEYS, f"must not be empty if {LIST_TYPE} is map")
    if schema["items"] is None:
        schema.require("items", f"must have a schema if {LIST_TYPE} is map")
    if not isinstance(schema["items"], Mapping):
        return
    items = schema.part("items")
    if items["type"] != "object":
        items.refuse("type", f"must be object if parent array's {LIST_TYPE} is map", items["type"] or "")
        return
    known, seen = items["properties"] or {}, set()
    for key in schema[LIST_KEYS] or ():
        if key not in known:
            schema.refuse(LIST_KEYS, "entries must all be names of item properties")
        elif known[key].get("type") in ("array", "object"):
            said = f"must be a scalar type if parent array's {LIST_TYPE} is map"
            items.refuse(f"properties[{key}].type", said, items["type"])
        if key in seen:
            schema.refuse(LIST_KEYS, "must not contain duplicate entries")
        seen.add(key)


def _validate_items(schema: Part) -> None:
    """Entries that are told apart by what they are, or by keys, have these."""
    kind, items = schema[LIST_TYPE], schema.part("items") if isinstance(schema["items"], Mapping) else None
    if items is None or kind not in (_SET, _MAP):
        return
    if items["nullable"]:
        items.forbid("nullable", f"cannot be nullable when {LIST_TYPE} is {kind}")
    known, needed = items["properties"] or {}, set(items["required"] or ())
    for key in schema[LIST_KEYS] or () if kind == _MAP else ():
        said = f"this property is in {LIST_KEYS}, so it"
        if key in known and key not in needed and known[key].get("default") is None:
            items.require(
                f"properties[{key}].default", f"{said} must have a default or be a required property"
            )
        if key in known and known[key].get("nullable"):
            items.forbid(f"properties[{key}].nullable", f"{said} cannot be nullable")


def _validate_rule(rule: Part) -> None:
    text, message = (str(rule[name] or "") for name in ("rule", "message"))
    if not text.strip():
        rule.require("rule", "rule is not specified")
    elif message and not message.strip():
        rule.refuse("message", "must be non-empty if specified")
    elif is_broken(message.strip()):
        rule.refuse("message", "must not contain line breaks")
    elif is_broken(text.strip()) and not message.strip():
        rule.require("message", "message must be specified if rule contains line breaks")
    expression, path = (str(rule[name] or "") for name in ("messageExpression", "fieldPath"))
    if expression and not expression.strip():
        rule.require("messageExpression", "messageExpression must be non-empty if specified")
    rule.given("reason", _REASONS)
    if path and not path.strip():
        rule.refuse("fieldPath", "must be non-empty if specified")
    if is_broken(path):
        rule.refuse("fieldPath", "must not contain line breaks")


def is_broken(text: str) -> bool:
    """Whether a text has more than one line."""
    return any(sign in text for sign in "\r\n")
