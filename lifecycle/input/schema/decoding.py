"""An object's JSON as the API server decodes it: what a cluster does with every object it is sent."""

from __future__ import annotations

from typing import Any

from lifecycle.input.manifests import Document
from lifecycle.input.schema.check import find_wrong_types
from lifecycle.input.schema.nulls import drop_nulls


def decode_json(data: dict[str, Any]) -> dict[str, Any]:
    """The object without nulls. Raises ValueError naming the first field that is not of its type."""
    problems = find_wrong_types(Document(data))
    if problems:
        problem = problems[0]
        remedy = f"; {problem.remedy}" if problem.remedy else ""
        raise ValueError(f"{problem.path}: {problem.message}{remedy}")
    return drop_nulls(data)
