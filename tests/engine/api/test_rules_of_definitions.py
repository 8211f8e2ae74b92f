"""Rules of a definition, asked as apiextensions-apiserver asks them (schema/cel/validation.go)."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.cel.evaluator import Budget
from lifecycle.engine.rules.custom_resources.rules import ask_rules, find_unasked_rules

pytest.importorskip("cel_expr_python")

Json = dict[str, Any]
INTEGER, TEXT = {"type": "integer"}, {"type": "string"}


def schema(spec: Json, *root: Json) -> Json:
    return {"type": "object", "properties": {"spec": spec}, "x-kubernetes-validations": list(root)}


def typed(rules: list[Json], **fields: Json) -> Json:
    return {"type": "object", "properties": fields, "x-kubernetes-validations": rules}


def ask(spec: Json, given: Any, old: Any = None, *root: Json) -> list[str]:
    meta = {"name": "box", "namespace": "shop"}
    whole = {"apiVersion": "example.org/v1", "kind": "Box", "metadata": meta, "spec": given}
    found = ask_rules(whole, None if old is None else {**whole, "spec": old}, schema(spec, *root))
    return [
        *map(str, found.errors),
        *(f"warn {one}" for one in found.warnings),
        *(f"unasked {one}" for one in found.unasked),
    ]


FIELDS = {"least": INTEGER, "most": INTEGER}
LEAST = {"rule": "self.least <= self.most", "message": "least is above most"}
RANGE = typed([LEAST], **FIELDS)
KEYED = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": typed([{"rule": "self.size >= oldSelf.size"}], name=TEXT, size=INTEGER),
}
SET = {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT}


@pytest.mark.parametrize(
    "spec, given, old, said",
    [
        pytest.param(RANGE, {"least": 1, "most": 2}, None, [], id="kept"),
        pytest.param(
            RANGE,
            {"least": 3, "most": 2},
            None,
            ["spec: Invalid value: least is above most"],
            id="broken: an object is not shown",
        ),
        pytest.param(
            typed([], size={**INTEGER, "x-kubernetes-validations": [{"rule": "self % 2 == 0"}]}),
            {"size": 3},
            None,
            ["spec.size: Invalid value: 3: failed rule: self % 2 == 0"],
            id="without a message the rule is told, and a number is shown",
        ),
        pytest.param(
            typed(
                [{**LEAST, "messageExpression": "'%d is above %d'.format([self.least, self.most])"}],
                least=INTEGER,
                most=INTEGER,
            ),
            {"least": 3, "most": 2},
            None,
            ["spec: Invalid value: 3 is above 2"],
            id="a message that is reckoned",
        ),
        pytest.param(
            typed([{**LEAST, "messageExpression": "'a\\nb'"}], **FIELDS),
            {"least": 3, "most": 2},
            None,
            ["spec: Invalid value: least is above most"],
            id="a message of two lines is none",
        ),
        pytest.param(
            typed(
                [{**LEAST, "reason": "FieldValueForbidden", "fieldPath": ".least"}],
                least=INTEGER,
                most=INTEGER,
            ),
            {"least": 3, "most": 2},
            None,
            ["spec.least: Forbidden: least is above most"],
            id="a reason and a path of its own",
        ),
        pytest.param(
            typed([{"rule": "self.missing > 1", "message": "m"}], missing=INTEGER),
            {},
            None,
            ["spec: Invalid value: no such key: missing evaluating rule: m"],
            id="an error while asking",
        ),
        pytest.param(
            typed([{"rule": "self.tags.transformMap(i, tag, tag) != {}"}], tags=SET),
            {"tags": ["x"]},
            None,
            [
                "unasked spec: the rule 'self.tags.transformMap(i, tag, tag) != {}' is not asked:"
                " the library for CEL does not run transformMap"
            ],
            id="what cannot be asked is said",
        ),
        pytest.param(
            typed([{"rule": "self == oldSelf", "message": "is immutable"}], size=INTEGER),
            {"size": 1},
            None,
            [],
            id="a rule of a change is not asked of what is new",
        ),
        pytest.param(
            typed([{"rule": "self == oldSelf", "message": "is immutable"}], size=INTEGER),
            {"size": 1},
            {"size": 2},
            ["spec: Invalid value: is immutable"],
            id="a change",
        ),
        pytest.param(
            typed(
                [{"rule": "!oldSelf.hasValue() || self.size > 1", "optionalOldSelf": True}],
                size=INTEGER,
            ),
            {"size": 1},
            None,
            [],
            id="an optional old self of what is new",
        ),
        pytest.param(
            RANGE,
            {"least": 3, "most": 2},
            {"least": 3, "most": 2},
            ["warn spec: Invalid value: least is above most"],
            id="what was broken before and is not changed is only warned of",
        ),
        pytest.param(
            typed([], boxes=KEYED),
            {"boxes": [{"name": "b", "size": 1}, {"name": "a", "size": 1}]},
            {"boxes": [{"name": "a", "size": 2}, {"name": "b", "size": 1}]},
            ["spec.boxes[1]: Invalid value: failed rule: self.size >= oldSelf.size"],
            id="entries are found by their keys",
        ),
        pytest.param(
            typed([{"rule": "self.tags == oldSelf.tags"}], tags=SET),
            {"tags": ["x", "y"]},
            {"tags": ["y", "x"]},
            [],
            id="sets are equal in whatever order",
        ),
        pytest.param(
            typed(
                [{"rule": "self.__namespace__ == 'a' && self.x__dash__y == 1"}],
                **{"namespace": TEXT, "x-y": INTEGER},
            ),
            {"namespace": "a", "x-y": 1},
            None,
            [],
            id="names of fields as expressions write them",
        ),
        pytest.param(
            typed(
                [{"rule": "self.ratio + 0.5 == 1.5 && self.key == b'ab'"}],
                ratio={"type": "number"},
                key={**TEXT, "format": "byte"},
            ),
            {"ratio": 1, "key": "YWI="},
            None,
            [],
            id="values have the types of the schema",
        ),
        pytest.param(
            typed([{"rule": "self.wait == '1m'"}], wait={**TEXT, "format": "duration"}),
            {"wait": "60s"},
            None,
            [
                "unasked spec: the rule \"self.wait == '1m'\" is not asked: wait is a time, and times of"
                " objects are not modelled in rules"
            ],
            id="times are not read",
        ),
        pytest.param(
            {
                "type": "object",
                "additionalProperties": {**INTEGER, "x-kubernetes-validations": [{"rule": "self < 9"}]},
            },
            {"a.b/c": 9},
            None,
            ["spec[a.b/c]: Invalid value: 9: failed rule: self < 9"],
            id="entries of a map",
        ),
    ],
)
@pytest.mark.spec("CEL-03")
def test_rules_are_asked_of_a_custom_resource(spec, given, old, said):
    assert ask(spec, given, old) == said


def test_the_whole_object_has_its_name_and_no_more_of_its_metadata():
    rule = {
        "rule": "self.metadata.name == 'crate' || has(self.metadata.namespace)",
        "message": "call it crate",
    }
    assert ask(typed([]), {}, None, rule) == ["<nil>: Invalid value: call it crate"]


def test_rules_that_cannot_be_asked_are_found_where_they_stand():
    inner = typed([{"rule": "self.x.y.z("}], x=typed([]))
    (said,) = find_unasked_rules(schema({"type": "array", "items": inner}), "schema", Budget())
    assert said.startswith("schema.properties[spec].items.x-kubernetes-validations[0].rule: Syntax error")


def test_the_rules_of_one_object_end_however_large_it_is():
    item = {**TEXT, "x-kubernetes-validations": [{"rule": "self.matches('a*b') || true"}]}
    many = {"type": "array", "items": item}
    found = ask_rules({"spec": ["a" * 100] * 20_000}, None, schema(many))
    assert not found.errors and found.unasked[-1].endswith("it could take too long on an object of this size")
