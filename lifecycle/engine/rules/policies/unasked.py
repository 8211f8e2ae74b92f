"""What of a stored policy cannot be asked here: whoever counts on it is told when it comes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from ..cel.evaluator import MOST_CHECKED, Budget, find_unasked

Json = Mapping[str, Any]
MOST = 2_000
NAMES = ("namespaceObject", "object", "oldObject", "params", "request", "variables")
"""The variables with which every expression about a request is compiled, of webhooks as of policies.

It is compiled once: to be refused, to be told as not asked, and to be asked.
"""
_LISTS = {
    "matchConditions": ("expression",),
    "variables": ("expression",),
    "validations": ("expression", "messageExpression"),
    "auditAnnotations": ("valueExpression",),
}


def list_unasked(policy: Json) -> list[str]:
    """One line for a policy with expressions that cannot be asked; of the first MOST that it has."""
    expressions = islice(_list_expressions(policy.get("spec") or {}), MOST)
    checked = Budget(MOST_CHECKED)
    found = [f"{path}: {why}" for path, text in expressions if (why := find_unasked(text, NAMES, checked))]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return [f"{found[0]}; it is not asked{more}"] if found else []


def _list_expressions(spec: Json) -> Iterator[tuple[str, str]]:
    for name, fields in _LISTS.items():
        for index, one in enumerate(spec.get(name) or ()):
            for field in fields:
                if one.get(field):
                    yield f"spec.{name}[{index}].{field}", one[field]
