"""Selectors that the API server refuses and that a controller cannot use where they got in all the same."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.objects.selector import Selector
from lifecycle.engine.rules.validation.words.selectors import find_unreadable

_KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
    " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
    " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
    " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used"
    " for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    "selector, problem",
    [
        pytest.param(None, "", id="absent"),
        pytest.param({}, "", id="everything"),
        pytest.param({"matchLabels": {"x.io/app": "web", "tier": ""}}, "", id="good labels"),
        pytest.param(
            {"matchLabels": {"k@y": "v"}}, f'key: Invalid value: "k@y": name part {_KEY}', id="a bad key"
        ),
        pytest.param(
            {"matchLabels": {"": "v"}},
            f'key: Invalid value: "": name part must be non-empty; name part {_KEY}',
            id="no key",
        ),
        pytest.param(
            {"matchLabels": {"app": "b@r"}},
            f'values[0][app]: Invalid value: "b@r": {_VALUE}',
            id="a bad value",
        ),
        pytest.param(
            {"matchExpressions": [{"key": "app", "operator": "illegal", "values": ["web"]}]},
            '"illegal" is not a valid label selector operator',
            id="an operator that is none",
        ),
        pytest.param(
            {"matchExpressions": [{"key": "app", "operator": "In"}]},
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
            id="in nothing",
        ),
        pytest.param(
            {"matchExpressions": [{"key": "app", "operator": "Exists", "values": ["web"]}]},
            'values: Invalid value: ["web"]: values set must be empty for exists and does not exist',
            id="there with a value",
        ),
        pytest.param(
            {"matchExpressions": [{"key": "a b", "operator": "In", "values": ["web", "b@r"]}]},
            f'[key: Invalid value: "a b": name part {_KEY}, values[1][a b]: Invalid value: "b@r": {_VALUE}]',
            id="several",
        ),
    ],
)
def test_a_selector_that_cannot_be_used_says_why(selector: dict[str, Any] | None, problem: str):
    assert find_unreadable(Selector(selector)) == problem
