"""Warnings as headers: not more of them than the API server sends (apiserver, filters/warning.go)."""

from __future__ import annotations

import pytest

from lifecycle.kube_api.warnings import make_headers

EVERY = [f"{number:04}" for number in range(1024)]
"""4,096 letters."""


@pytest.mark.parametrize(
    "texts, shown",
    [
        pytest.param(["b", "", "a", "b"], ["b", "a"], id="each once, in their order"),
        pytest.param(['say "a\\b"\n'], ['say \\"a\\\\b\\" '], id="quoted, on one line"),
        pytest.param(["é" * 4096], ["é" * 4096], id="as many letters as there may be"),
        pytest.param(["a" * 4000, "b" * 97, "c"], ["a" * 256, "b" * 97, "c"], id="more: each is cut"),
        pytest.param(EVERY, EVERY, id="many short ones"),
        pytest.param([*EVERY, "x" * 300, "y"], [*EVERY, "x" * 256], id="too many: the others are dropped"),
        pytest.param(
            [f"{number}" * 5000 for number in range(1, 20)],
            [(f"{number}" * 5000)[:256] for number in range(1, 17)],
            id="many long ones",
        ),
    ],
)
def test_warnings_are_bounded(texts: list[str], shown: list[str]) -> None:
    assert make_headers(texts) == [f'299 - "{text}"' for text in shown]
