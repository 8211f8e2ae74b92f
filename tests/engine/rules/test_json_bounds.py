"""JSON texts that would cost far more than their bytes are refused before they are read."""

from __future__ import annotations

import json

import pytest

from lifecycle.engine.rules.limits.json_bounds import MOST_LEVELS, find_excess, read_json

DEEP = "exceeded max depth: nested more than 100 levels deep; write it flatter"
MANY = "more than 250,000 values are too many to be read at once; give them in parts"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, said",
    [
        pytest.param("[" * 101 + "]" * 101, DEEP, id="lists"),
        pytest.param('{"a":' * 101 + "1" + "}" * 101, DEEP, id="mappings"),
        pytest.param("[" + "[]," * 150 + "[" * 100 + "]" * 101, DEEP, id="deep at its end"),
        pytest.param("[" * 1_000_000, MANY, id="never closed"),
        pytest.param(f"[{'1,' * 250_000}1]", MANY, id="numbers"),
        pytest.param(f"[{'[],' * 130_000}1]", MANY, id="empty lists"),
        pytest.param(f"[{'{},' * 130_000}1]", MANY, id="empty mappings"),
        pytest.param("[" + '"",' * 250_001 + "1]", MANY, id="empty texts"),
        pytest.param("{" + '"a":1,' * 130_000 + '"b":1}', MANY, id="a key again and again"),
        pytest.param('{"a":[' + ("[" * 400 + "]" * 400 + ",") * 3000 + "1]}", MANY, id="deep and many"),
        pytest.param('"' + "\\" * 3_000_001, "", id="a text that never ends"),
        pytest.param(json.dumps(["a,b\n" * 500_000, '[{"a":1},' * 100_000]), "", id="in quotes"),
        pytest.param("[" * 100 + "]" * 100, "", id="as deep as may be"),
        pytest.param("[" + "[]," * 100_000 + "1]", "", id="wide, not deep"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_a_text_would_make_is_bounded(text: str, said: str) -> None:
    assert find_excess(text) == said


def test_what_is_too_much_is_no_json() -> None:
    assert read_json(f"[{'1,' * 100}1]") == [1] * 101
    with pytest.raises(ValueError, match=f"more than {MOST_LEVELS} levels"):
        read_json("[" * 200 + "]" * 200)
