"""What of a stored policy cannot be asked here: whoever counts on it is told when it comes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..cel.evaluator import find_unasked

Json = Mapping[str, Any]
_NAMES = ("namespaceObject", "object", "oldObject", "params", "request", "variables")
_LISTS = {
    "matchConditions": ("expression",),
    "variables": ("expression",),
    "validations": ("expression", "messageExpression"),
    "auditAnnotations": ("valueExpression",),
}


def list_unasked(policy: Json) -> list[str]:
    """One line for a policy with expressions that cannot be asked; none for one without."""
    found = list(_find(policy.get("spec") or {}))
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return [f"{found[0]}; it is not asked{more}"] if found else []


def _find(spec: Json) -> Iterator[str]:
    for name, fields in _LISTS.items():
        for index, one in enumerate(spec.get(name) or ()):
            for field in fields:
                why = find_unasked(one[field], _NAMES) if one.get(field) else ""
                if why:
                    yield f"spec.{name}[{index}].{field}: {why}"
