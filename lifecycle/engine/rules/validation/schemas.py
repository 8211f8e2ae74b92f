"""Schemas of custom resources: that they are structural, so that objects can be pruned by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...objects.names import EMBEDS, INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVES
from ..custom_resources.definition import RULES
from ..custom_resources.looks import Looks
from .words.part import Part

_ROOT, _ITEM, _FIELD = "at the root", "for specified array items", "for specified object fields"
_GO_WORDS = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "trailing \\": "trailing backslash at end of expression",
}
_WITHIN = ("type", "default", "additionalProperties", "nullable", PRESERVES, EMBEDS, INT_OR_STRING)


def validate_schema(schema: Part, looks: Looks) -> None:
    """Everything that is wrong with the schema of a version. `looks`: of all its definition."""
    from .schema_words import validate_defaults, validate_words

    if not _is_sound_within(schema):
        return
    structure = Part(schema.data, schema.path)
    _validate_structural(structure)
    schema.errors += sorted(structure.errors, key=str)
    if not structure.errors:
        validate_defaults(schema, looks)
    validate_words(schema)


def _validate_structural(schema: Part, place: str = _ROOT) -> None:
    """Each field has its type, arrays say of what they are, and what is combined only checks values."""
    kind = schema["type"]
    if kind == "array" and schema["items"] is None:
        schema.require("items", "must be specified")
    if isinstance(schema["items"], Mapping):
        _validate_structural(schema.part("items"), _ITEM)
    for name in sorted(schema["properties"] or {}):
        path = f"{schema.at('properties')}[{name}]"
        _validate_structural(Part(schema["properties"][name], path, schema.errors), _FIELD)
    _validate_further(schema, place)
    _validate_type(schema, kind, place)
    _validate_combined(schema)
    _validate_pattern(schema)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_SCHEMAS, _TEXTS = _is_list_of(_is_map), _is_list_of(_is_text)
# Below `items` and `additionalProperties` the tables let anything stand.
_FITS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "items": ("a schema", _is_map),
    "properties": ("a map of schemas", lambda value: _is_map(value) and all(map(_is_map, value.values()))),
    "additionalProperties": ("a schema, true or false", lambda value: isinstance(value, Mapping | bool)),
    "not": ("a schema", _is_map),
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), ("a list of schemas", _SCHEMAS)),
    **dict.fromkeys(("required", LIST_KEYS), ("a list of texts", _TEXTS)),
    **dict.fromkeys(("type", "format", "pattern", LIST_TYPE, MAP_TYPE), ("a text", _is_text)),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), ("a number", _is_number)),
    **{
        f"{side}{what}": ("a whole number", _is_count)
        for side in ("min", "max")
        for what in ("Length", "Items", "Properties")
    },
    "enum": ("a list", lambda value: isinstance(value, list)),
    RULES: ("a list of rules", _SCHEMAS),
}


def _is_sound_within(schema: Part) -> bool:
    """Whether each field of a schema, and of those within it, is of its type."""
    if not _is_sound(schema):
        return False
    inner = [schema.part(word) for word in ("items", "additionalProperties", "not") if _is_map(schema[word])]
    inner += [one for word in ("allOf", "anyOf", "oneOf") for one in schema.parts(word)]
    known = schema["properties"] or {}
    inner += [Part(known[name], f"{schema.at('properties')}[{name}]", schema.errors) for name in known]
    # All are looked at, so that all is said.
    sound = [_is_sound_within(one) for one in inner]
    return all(sound)


def _is_sound(schema: Part) -> bool:
    """Whether each field is of its type, so that the others can be looked at."""
    wrong = [
        (name, wanted)
        for name, (wanted, fits) in _FITS.items()
        if schema[name] is not None and not fits(schema[name])
    ]
    for name, wanted in wrong:
        schema.refuse(name, f"must be {wanted}")
    return not wrong


def _validate_type(schema: Part, kind: Any, place: str) -> None:
    if schema[EMBEDS] and kind != "object":
        said = "must be object if x-kubernetes-embedded-resource is true"
        schema.refuse("type", said) if kind else schema.require("type", said)
    elif not kind and not schema[INT_OR_STRING] and not schema[PRESERVES]:
        schema.require("type", f"must not be empty {place}")
    elif place == _ROOT and kind and kind != "object":
        schema.refuse("type", "must be object at the root")
    if schema[INT_OR_STRING] and schema[PRESERVES]:
        schema.refuse(PRESERVES, f"must be false if {INT_OR_STRING} is true")
    if schema[EMBEDS] and not schema[PRESERVES] and not schema["properties"]:
        said = "must not be empty if x-kubernetes-embedded-resource is true without"
        schema.require("properties", f"{said} x-kubernetes-preserve-unknown-fields")


def _validate_further(schema: Part, place: str) -> None:
    further = schema["additionalProperties"]
    if further is None:
        return
    if place == _ROOT:
        schema.forbid("additionalProperties", "must not be used at the root")
    if schema[EMBEDS]:
        schema.forbid("additionalProperties", "must not be used if x-kubernetes-embedded-resource is set")
    if isinstance(further, Mapping):
        _validate_structural(schema.part("additionalProperties"), _FIELD)


def _validate_combined(schema: Part) -> None:
    """What stands in allOf, anyOf, oneOf and not says nothing of structure."""
    for word in ("allOf", "anyOf", "oneOf"):
        for one in schema.parts(word):
            _validate_within(one, bool(schema[INT_OR_STRING]))
    if isinstance(schema["not"], Mapping):
        _validate_within(schema.part("not"), False)


def _validate_within(one: Part, is_int_or_string: bool) -> None:
    for field in one.list_given(_WITHIN):
        if not (is_int_or_string and field == "type"):
            said = "must be undefined to be structural" if field == "additionalProperties" else None
            one.forbid(field, said or "must be empty to be structural")
    for name in sorted(one["properties"] or {}):
        _validate_within(Part(one["properties"][name], f"{one.at('properties')}[{name}]", one.errors), False)
    for word in ("allOf", "anyOf", "oneOf"):
        for inner in one.parts(word):
            _validate_within(inner, is_int_or_string)


def _validate_pattern(schema: Part) -> None:
    import re2

    pattern = schema["pattern"]
    if not pattern:
        return
    try:
        options = re2.Options()
        options.log_errors = False
        re2.compile(pattern, options)
    except re2.error as problem:
        schema.refuse("pattern", f"must be a valid regular expression, but isn't: {_word_as_go(problem)}")


def _word_as_go(problem: Exception) -> str:
    """What is wrong with an expression as Go's library says it, from what RE2's says."""
    said = problem.args[0] if problem.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    what, _, where = text.partition(": ")
    return f"error parsing regexp: {_GO_WORDS.get(what, what)}: `{where}`"
