"""What a problem most likely comes from, said beside it: a value to fill in, a patch that is no object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.engine.kinds.entry import TEMPLATE
from lifecycle.engine.kinds.registry import entry_of_json
from lifecycle.input.problems import Problem
from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import replace

PATCH_REMEDY = "is this a kustomize patch? Run `kubectl kustomize` on its folder and give the result"
PATCH_DIRECTIVES = ("$patch", "$retainKeys")
REQUIRED = "Required value"
POD = ".".join(TEMPLATE) + "."
_SHOWN = late_pattern(r'(?:value|Not found|the text):? "((?:[^"\\]|\\.)*)"')
# `${NAME}` and `{{NAME}}` are no values of anything; `<name>` and `PROJECT_ID` might be names that are wrong.
_PLACEHOLDER = late_pattern(r"\$\{[^}]*\}|\{\{.*?\}\}")
_PERHAPS = late_pattern(r"<[\w .-]+>|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")


def explain(problem: Problem) -> Problem:
    """The problem with a hint, if the value it shows looks like one that was to be filled in."""
    shown = _SHOWN.search(problem.message)
    found = _PLACEHOLDER.search(shown[1]) if shown else None
    if shown and found:
        remedy = f"looks like a placeholder: `{found[0]}`; put the value in its place first"
        return replace(problem, message=problem.message[: shown.end()], remedy=remedy)
    found = _PERHAPS.search(shown[1]) if shown else None
    if found and not problem.remedy:
        return replace(problem, remedy=f"looks like a placeholder: `{found[0]}`")
    return problem


def name_patch(data: Mapping[str, Any], problems: Sequence[Problem]) -> list[Problem]:
    """One problem in the place of many, where a workload is only a part of one."""
    if not problems or entry_of_json(data).pod_spec_path != TEMPLATE:
        return list(problems)
    spec = data.get("spec") or {}
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    missing = [problem for problem in problems if problem.message.startswith(REQUIRED)]
    has_no_pod = any(problem.path == "spec.template" or problem.path.startswith(POD) for problem in missing)
    if spec.get("selector") or labels or not has_no_pod:
        return list(problems)
    paths = ", ".join(problem.path for problem in missing)
    return [replace(missing[0], path="", message=f"{paths}: {REQUIRED}", remedy=PATCH_REMEDY)]
