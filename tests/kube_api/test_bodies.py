"""Bodies of requests: what is wrong with a text, as Go's reader says it, and keys that are given twice."""

from __future__ import annotations

import json

import pytest

from lifecycle.kube_api.asking.bodies import Unreadable, read_json, read_yaml
from lifecycle.kube_api.asking.go_json import find_syntax_error


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "unexpected end of JSON input"),
        ("{nope", "invalid character 'n' looking for beginning of object key string"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a":1 "b"}', "invalid character '\"' after object key:value pair"),
        ("[1 2]", "invalid character '2' after array element"),
        ("[1,]", "invalid character ']' looking for beginning of value"),
        ("nul!", "invalid character '!' in literal null (expecting 'l')"),
        ('"\\x"', "invalid character 'x' in string escape code"),
        ('"a\nb"', "invalid character '\\n' in string literal"),
        ('"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"),
        ("1 2", "invalid character '2' after top-level value"),
        ("-x", "invalid character 'x' in numeric literal"),
        ("'a'", "invalid character '\\'' looking for beginning of value"),
        ("[" * 20_000, "exceeded max depth"),
    ],
)
def test_the_first_thing_wrong_is_said(text: str, said: str) -> None:
    assert find_syntax_error(text) == said


@pytest.mark.parametrize("value", [None, True, 0, -1.5e3, 'a"\\\u00e9', [], {}, [1, {"a": [None]}]])
def test_nothing_is_wrong_with_what_is_json(value: object) -> None:
    assert find_syntax_error(json.dumps(value)) == ""


def test_the_last_of_two_values_counts_and_its_key_is_told() -> None:
    body = read_json(b'{"a": {"k": 1, "k": 2}, "l": [{"x": 1, "x": 2}]}')
    assert body.value == {"a": {"k": 2}, "l": [{"x": 2}]}
    assert body.repeated == ['duplicate field "a.k"', 'duplicate field "l[0].x"']


def test_yaml_tells_the_lines_of_keys_given_twice() -> None:
    body = read_yaml(b"a: 1\nb: 2\na: 3\n")
    assert body.value == {"a": 3, "b": 2}
    assert body.repeated == ['yaml: unmarshal errors:\n  line 3: key "a" already set in map']


@pytest.mark.parametrize("text", [b"{", b"[" * 100_000, b'{"a":' * 5000, b"\xff"])
def test_hostile_json_is_refused(text: bytes) -> None:
    with pytest.raises(Unreadable):
        read_json(text)


@pytest.mark.parametrize("text", [b"a: [", b"&a [*a]", b"a: " + b"[" * 200, b"\t- x: y"])
def test_hostile_yaml_is_refused(text: bytes) -> None:
    with pytest.raises(Unreadable) as problem:
        read_yaml(text)
    assert problem.value.is_yaml
