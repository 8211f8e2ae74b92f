"""How many of a test's seeds each run lives through; the deep tests live through all."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import pytest

FIRST = 8


def first_of(seeds: Iterable[int], *more: int, most: int = FIRST) -> list[Any]:
    """Parameters: the first seeds, and `more` that each run needs; the others are deep."""
    rest = [*seeds]
    deep = (pytest.param(seed, marks=pytest.mark.deep) for seed in rest[most:])
    return [*chain(rest[:most], more, deep)]
