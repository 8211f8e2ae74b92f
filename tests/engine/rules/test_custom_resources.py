"""Custom resources by their schemas. Texts are those that the API server's validator has."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.custom_resources.definition import find_rules, read_definition
from lifecycle.engine.rules.custom_resources.looks import Looks
from lifecycle.engine.rules.custom_resources.structural import prune, with_defaults, without_nulls
from lifecycle.engine.rules.custom_resources.validation import validate_custom
from lifecycle.engine.rules.validation.schemas import validate_schema
from lifecycle.engine.rules.validation.words.part import Part

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    "schema, value, said",
    [
        pytest.param({"type": "integer"}, 3, [], id="fits"),
        pytest.param({"type": "integer"}, 3.0, [], id="a whole number however it is written"),
        pytest.param(
            {"type": "integer"},
            "3",
            ['x: Invalid value: "string": x in body must be of type integer: "string"'],
            id="type",
        ),
        pytest.param(
            {"type": "object"},
            None,
            ['x: Invalid value: "null": x in body must be of type object: "null"'],
            id="null",
        ),
        pytest.param({"type": "object", "nullable": True}, None, [], id="nullable"),
        pytest.param({"x-kubernetes-int-or-string": True}, "5%", [], id="a number or a text"),
        pytest.param(
            {"x-kubernetes-int-or-string": True},
            True,
            ['x: Invalid value: "boolean": x in body must be of type integer,string: "boolean"'],
            id="neither number nor text",
        ),
        pytest.param(
            {"type": "integer", "minimum": 1},
            0,
            ["x: Invalid value: 0: x in body should be greater than or equal to 1"],
            id="minimum",
        ),
        pytest.param(
            {"type": "integer", "maximum": 5, "exclusiveMaximum": True},
            5,
            ["x: Invalid value: 5: x in body should be less than 5"],
            id="below a maximum",
        ),
        pytest.param(
            {"type": "integer", "multipleOf": 5},
            7,
            ["x: Invalid value: 7: x in body should be a multiple of 5"],
            id="multiple",
        ),
        pytest.param(
            {"type": "integer", "format": "int32"},
            2**31,
            [],
            id="32 bits, which nobody counts",
        ),
        pytest.param(
            {"type": "string", "minLength": 1},
            "",
            ['x: Invalid value: "": x in body should be at least 1 chars long'],
            id="too short",
        ),
        pytest.param(
            {"type": "string", "maxLength": 2},
            "abc",
            ["x: Too long: may not be more than 2 bytes"],
            id="too long",
        ),
        pytest.param(
            {"type": "string", "pattern": "^[a-z]+$"},
            "A",
            ["x: Invalid value: \"A\": x in body should match '^[a-z]+$'"],
            id="pattern",
        ),
        pytest.param(
            {"type": "string", "enum": ["a", "b"]},
            "c",
            ['x: Unsupported value: "c": supported values: "a", "b"'],
            id="enum",
        ),
        pytest.param(
            {"type": "string", "format": "date-time"},
            "yesterday",
            ['x: Invalid value: "yesterday": x in body must be of type date-time: "yesterday"'],
            id="format",
        ),
        pytest.param({"type": "string", "format": "mood"}, "any", [], id="a format that nobody knows"),
        pytest.param(
            {"type": "array", "items": TEXT, "maxItems": 1},
            ["a", "b"],
            ["x: Too many: 2: must have at most 1 items"],
            id="many",
        ),
        pytest.param(
            {"type": "array", "items": TEXT, "minItems": 1},
            [],
            ["x: Invalid value: 0: x in body should have at least 1 items"],
            id="few",
        ),
        pytest.param(
            {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
            ["a", "a"],
            ['x[1]: Duplicate value: "a"'],
            id="a set",
        ),
        pytest.param(
            {"type": "object", "required": ["a"], "properties": {"a": TEXT}},
            {},
            ["x.a: Required value"],
            id="required",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"k": "v"},
            ['x.k: Invalid value: "string": x.k in body must be of type integer: "string"'],
            id="further fields",
        ),
        pytest.param(
            {"type": "string", "anyOf": [{"pattern": "^a"}, {"pattern": "^b"}]},
            "c",
            [
                '<nil>: Invalid value: "": "x" must validate at least one schema (anyOf)',
                "x: Invalid value: \"c\": x in body should match '^a'",
            ],
            id="any of",
        ),
        pytest.param(
            {"type": "object", "oneOf": [{"required": ["y"]}, {"required": ["z"]}]},
            {},
            [
                '<nil>: Invalid value: "": "x" must validate one and only one schema (oneOf). Found none'
                " valid",
                "x.y: Required value",
            ],
            id="one of",
        ),
        pytest.param(
            {"type": "integer", "minimum": 1},
            1.5,
            [
                'x: Invalid value: "number": x in body must be of type integer: "number"',
                '<nil>: Invalid value: "": Checked value must be of type integer (default format) in x',
            ],
            id="a fraction",
        ),
        pytest.param(
            {"type": "string", "not": {"pattern": "^a"}},
            "a",
            ['<nil>: Invalid value: "": "x" must not validate the schema (not)'],
            id="not",
        ),
    ],
)
def test_a_value_is_held_to_its_schema(schema: Any, value: Any, said: list[str]) -> None:
    assert [str(error) for error in validate_custom(value, schema, "x")] == said


@pytest.mark.parametrize(
    "form, good, bad",
    [
        ("date", "2026-01-31", "2026-02-31"),
        ("ipv4", "10.0.0.1", "10.0.0.256"),
        ("ipv6", "::1", "10.0.0.1"),
        ("cidr", "10.0.0.0/8", "10.0.0.0"),
        ("uuid", "00000000-0000-0000-0000-000000000000", "0-0"),
        ("byte", "aGk=", "no"),
        ("duration", "1h30m", "soon"),
        ("hostname", "a.example.org", "a_b"),
        ("email", "a@example.org", "a"),
        ("uri", "https://example.org/x", "example"),
    ],
)
def test_formats(form: str, good: str, bad: str) -> None:
    schema = {"type": "string", "format": form}
    assert [bool(validate_custom(text, schema, "x")) for text in (good, bad)] == [False, True]


OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


@pytest.mark.parametrize(
    "properties, value, kept, dropped",
    [
        pytest.param({"a": TEXT}, {"a": "1", "b": 2}, {"a": "1"}, ["b"], id="unknown"),
        pytest.param({"a": OPEN}, {"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1}}}, [], id="preserved"),
        pytest.param(
            {"l": {"type": "array", "items": {"type": "object", "properties": {"a": TEXT}}}},
            {"l": [{"a": "1", "z": 1}]},
            {"l": [{"a": "1"}]},
            ["l[0].z"],
            id="in a list",
        ),
        pytest.param(
            {},
            {"kind": "K", "metadata": {"any": 1}},
            {"kind": "K", "metadata": {"any": 1}},
            [],
            id="its head",
        ),
        pytest.param(
            {
                "e": {
                    **OPEN,
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-preserve-unknown-fields": False,
                }
            },
            {"e": {"apiVersion": "v1", "spec": 1}},
            {"e": {"apiVersion": "v1"}},
            ["e.spec"],
            id="an object within",
        ),
    ],
)
def test_unknown_fields_are_dropped(properties: Any, value: Any, kept: Any, dropped: list[str]) -> None:
    assert prune(value, {"type": "object", "properties": properties}) == (kept, dropped)


@pytest.mark.parametrize(
    "schema, value, filled",
    [
        pytest.param({"a": {**TEXT, "default": "x"}}, {}, {"a": "x"}, id="absent"),
        pytest.param({"a": {**TEXT, "default": "x"}}, {"a": None}, {"a": "x"}, id="a null that may not be"),
        pytest.param(
            {"a": {**TEXT, "default": "x", "nullable": True}}, {"a": None}, {"a": None}, id="one that may"
        ),
        pytest.param(
            {"a": {"type": "object", "properties": {"b": {**TEXT, "default": "x"}}}},
            {},
            {},
            id="not made for it",
        ),
        pytest.param(
            {"a": {"type": "object", "default": {}, "properties": {"b": {**TEXT, "default": "x"}}}},
            {},
            {"a": {"b": "x"}},
            id="within a default",
        ),
    ],
)
def test_defaults_come_where_nothing_stands(schema: Any, value: Any, filled: Any) -> None:
    assert with_defaults(value, {"type": "object", "properties": schema}) == filled


MAP_OF_TEXT = {"type": "object", "additionalProperties": TEXT}


@pytest.mark.parametrize(
    "schema, value, read",
    [
        pytest.param({"a": TEXT}, {"a": None}, {}, id="without default"),
        pytest.param(
            {"a": {"type": "object"}, "b": TEXT}, {"a": None, "b": "x"}, {"b": "x"}, id="of an object"
        ),
        pytest.param({"a": {"type": "array", "items": TEXT}}, {"a": None}, {}, id="of a list"),
        pytest.param({"a": {**TEXT, "nullable": True}}, {"a": None}, {"a": None}, id="that may be"),
        pytest.param({"a": {**TEXT, "default": "x"}}, {"a": None}, {"a": "x"}, id="with a default"),
        pytest.param({"a": {**TEXT, "default": None}}, {"a": None}, {}, id="with a default that is null too"),
        pytest.param({"a": MAP_OF_TEXT}, {"a": {"b": None, "c": "x"}}, {"a": {"c": "x"}}, id="in a map"),
        pytest.param(
            {"a": {"type": "object", "additionalProperties": {**TEXT, "default": "x"}}},
            {"a": {"b": None}},
            {"a": {"b": "x"}},
            id="in a map with a default",
        ),
        pytest.param(
            {"a": {"type": "array", "items": TEXT}},
            {"a": ["x", None]},
            {"a": ["x", None]},
            id="within a list",
        ),
        pytest.param(
            {"a": {"type": "array", "items": {**TEXT, "default": "x"}}},
            {"a": [None]},
            {"a": ["x"]},
            id="within a list with a default",
        ),
        pytest.param(
            {"a": {"type": "array", "items": {"type": "object", "properties": {"b": TEXT}}}},
            {"a": [{"b": None}]},
            {"a": [{}]},
            id="in an object of a list",
        ),
        pytest.param(
            {"a": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            {"a": {"b": None}},
            {"a": {"b": None}},
            id="that no schema knows",
        ),
        pytest.param(
            {"a": {"type": "object", "default": {"b": None}, "properties": {"b": TEXT}}},
            {},
            {"a": {"b": None}},
            id="in a default",
        ),
    ],
)
def test_nulls_go_before_defaults_come(schema: Any, value: Any, read: Any) -> None:
    whole = {"type": "object", "properties": schema}
    assert with_defaults(without_nulls(value, whole), whole) == read


def _with_field(schema: Any) -> Any:
    return {"type": "object", "properties": {"a": schema}}


@pytest.mark.parametrize(
    "schema, said",
    [
        pytest.param({}, "s.type: Required value: must not be empty at the root", id="no type"),
        pytest.param(
            {"type": "string"}, 's.type: Invalid value: "string": must be object at the root', id="no object"
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {}}},
            "s.properties[a].type: Required value: must not be empty for specified object fields",
            id="a field",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "array"}}},
            "s.properties[a].items: Required value: must be specified",
            id="a list of nothing",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": True},
            "s.additionalProperties: Forbidden: must not be used at the root",
            id="a map at the root",
        ),
        pytest.param(
            {"type": "object", "anyOf": [{"type": "object"}]},
            "s.anyOf[0].type: Forbidden: must be empty to be structural",
            id="structure in a choice",
        ),
        pytest.param(
            _with_field({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "odd"}),
            's.properties[a].x-kubernetes-list-type: Unsupported value: "odd": supported values: "atomic",'
            ' "set", "map"',
            id="a list of no kind",
        ),
        pytest.param(
            _with_field({"type": "string", "pattern": "("}),
            's.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t:'
            " error parsing regexp: missing closing ): `(`",
            id="a pattern",
        ),
        pytest.param(
            _with_field({"type": "integer", "default": "x"}),
            's.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
            id="a default of another type",
        ),
        pytest.param(
            _with_field({"type": "object", "$ref": "#/x"}),
            "s.properties[a].$ref: Forbidden: $ref is not supported",
            id="a reference",
        ),
        pytest.param(
            _with_field({"type": "string", "uniqueItems": True}),
            "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime"
            " complexity becomes quadratic",
            id="unique items",
        ),
        pytest.param(
            _with_field({"type": "object", "x-kubernetes-embedded-resource": True}),
            "s.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource"
            " is true without x-kubernetes-preserve-unknown-fields",
            id="an embedded object of no fields",
        ),
        pytest.param(
            _with_field({"type": "object", "x-kubernetes-preserve-unknown-fields": False}),
            "s.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or"
            " undefined",
            id="not to preserve",
        ),
        pytest.param(
            _with_field(
                {
                    "type": "array",
                    "items": {"type": "object", "properties": {"k": {"type": "string"}}},
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["k"],
                }
            ),
            "s.properties[a].items.properties[k].default: Required value: this property is in"
            " x-kubernetes-list-map-keys, so it must have a default or be a required property",
            id="a key that may be absent",
        ),
        pytest.param(
            _with_field({"type": "object", "x-kubernetes-validations": [{"rule": ""}]}),
            "s.properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified",
            id="a rule that says nothing",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "array", "items": {"type": 5}}}},
            "s.properties[a].items.type: Invalid value: 5: must be a text",
            id="nonsense",
        ),
    ],
)
def test_a_schema_has_to_be_structural(schema: Any, said: str) -> None:
    part = Part(schema, "s")
    validate_schema(part, Looks())
    assert [str(error) for error in part.errors] == [said]


def test_a_definition_says_what_is_not_said_too() -> None:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "deprecated": True,
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"},
        },
        "additionalPrinterColumns": [{"name": "N", "type": "integer", "jsonPath": ".spec.n"}],
    }
    spec = {
        "group": "example.org",
        "scope": "Cluster",
        "names": {"kind": "Box", "plural": "boxes"},
        "versions": [version],
    }
    found = read_definition(spec, "boxes.example.org")
    assert (found.singular, found.list_kind, found.is_namespaced) == ("box", "BoxList", False)
    read = found.versions["v1"]
    assert read.scale is not None and (read.scale.spec, read.scale.selector) == (("spec", "n"), ())
    assert (read.has_status, [one["name"] for one in read.columns]) == (True, ["N"])
    assert (found.make_kind("v1").resource, found.stored_version) == ("boxes.example.org", "v1")


def test_rules_are_found_wherever_they_stand() -> None:
    schema = {
        "properties": {"a": {"x-kubernetes-validations": [{"rule": "x"}]}},
        "x-kubernetes-validations": [],
    }
    assert list(find_rules(schema)) == ["properties.a.x-kubernetes-validations"]


def test_schemas_within_each_other_are_asked_once_each() -> None:
    schema: Any = {"type": "object", "required": ["a"]}
    for word in ("allOf", "anyOf", "oneOf") * 20:
        schema = {word: [schema]}
    found = validate_custom({}, schema, "x")
    assert str(found[-1]).endswith("must validate all the schemas (allOf). None validated")


MANY_LOOKS = {
    "each value with each schema of allOf": ({"items": {"allOf": [{}] * 1500}}, [1] * 1500),
    "each with each of anyOf": ({"items": {"anyOf": [{"minimum": 2}] * 1500}}, [1] * 1500),
    "each with each of oneOf": ({"items": {"oneOf": [{"minimum": 0}] * 1500}}, [1] * 1500),
    "each with each of an enumeration": ({"items": {"enum": list(range(1500))}}, [1] * 1500),
    "each with what it is not": ({"items": {"not": {"anyOf": [{"minimum": 2}] * 1500}}}, [1] * 1500),
}


@pytest.mark.spec("CEL-08")
@pytest.mark.parametrize("schema, value", MANY_LOOKS.values(), ids=MANY_LOOKS)
def test_looks_that_multiply_have_an_end(schema: Any, value: Any) -> None:
    looks = Looks(5_000)
    (*_, last) = validate_custom(value, schema, "x", looks)
    assert "use fewer values, or fewer schemas in anyOf" in str(last)
    # What else stands in the definition ends with it.
    assert len(validate_custom(1, {"type": "integer"}, "x", looks)) == 1


def test_the_first_schema_of_any_that_holds_is_the_last_that_is_asked() -> None:
    anyone = {"items": {"anyOf": [{"minimum": 0}, *[{"minimum": 2}] * 1500]}}
    assert validate_custom([1] * 1500, anyone, "x", Looks(1 + 2 * 1500)) == []
    assert len(validate_custom([1] * 1500, anyone, "x", Looks(2 * 1500))) == 1


@pytest.mark.spec("CEL-08")
def test_the_defaults_of_all_versions_are_looked_at_together() -> None:
    inner = {"type": "array", "items": {"type": "integer", "allOf": [{}] * 20}, "default": [1] * 20}
    looks, found = Looks(3_000), list[list[str]]()
    for _version in range(10):
        part = Part({"type": "object", "properties": {"a": inner}}, "s")
        validate_schema(part, looks)
        found.append([str(error) for error in part.errors])
    # 20 x 21 + 1 looks each: seven versions have no more than 3,000.
    said = (
        "s.properties[a].default: Invalid value: checking it by its schema takes more than 1,000,000 looks;"
        " use fewer values, or fewer schemas in anyOf, oneOf, allOf and not"
    )
    assert found == [[]] * 7 + [[said]] + [[]] * 2
