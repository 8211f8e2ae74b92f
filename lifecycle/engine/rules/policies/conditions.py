"""Expressions of policies and webhooks about a request (apiserver, pkg/admission/plugin/cel)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lifecycle.late_patterns import late_pattern

from ..cel.evaluator import Budget, Failed, Unasked, evaluate, find_code, uses
from .matching import Request

Json = Mapping[str, Any]
FAIL, IGNORE = "Fail", "Ignore"
_OF_VARIABLES = late_pattern(r"\bvariables\s*\.\s*([A-Za-z_]\w*)")
_USER = "userInfo"
_NO_KEY = "no such key: "
_DEEPEST = 50


class Inputs:
    """What expressions see of one request: its objects, parameters, namespace, and variables."""

    def __init__(
        self,
        request: Request,
        version: str,
        budget: Budget,
        params: Json | None = None,
        variables: Iterable[Json] = (),
    ) -> None:
        seen = request.as_version(version)
        self._budget = budget
        self._request = request
        self._given: dict[str, Any] = {
            "object": seen.object,
            "oldObject": seen.old,
            "request": show_request(request, version),
            "params": params,
            "namespaceObject": _show_namespace(request),
        }
        self._expressions = {one.get("name"): one.get("expression") or "" for one in variables}
        self._variables: dict[str, Any] = {}
        self._failed: dict[str, Failed | Unasked] = {}

    def evaluate(self, expression: str) -> Any:
        """The value of an expression. Raises Failed in the API server's words, Unasked."""
        try:
            return self._evaluate(expression, frozenset())
        except Failed as problem:
            raise Failed(f"expression '{expression}' resulted in error: {problem}") from None

    def _evaluate(self, expression: str, waiting: frozenset[str]) -> Any:
        if self._request.user is None and uses(expression, _USER):
            raise Unasked("nobody knows who asks: what a controller or a page writes has no user here")
        said = dict.fromkeys(_OF_VARIABLES.findall(find_code(expression)))
        wanted = [one for one in said if one in self._expressions]
        for name in wanted:
            self._read(name, waiting)
        variables = {name: self._variables[name] for name in wanted if name in self._variables}
        try:
            return evaluate(expression, {**self._given, "variables": variables}, self._budget)
        except Failed as problem:
            # A variable counts where it is read: one that fails is none of the others'.
            missing = self._failed.get(str(problem).removeprefix(_NO_KEY))
            raise (missing or problem) from None

    def _read(self, name: str, waiting: frozenset[str]) -> None:
        """Evaluate a variable once, and keep what came of it."""
        if name in self._variables or name in self._failed:
            return
        if name in waiting or len(waiting) >= _DEEPEST:
            what = f"made of itself, or of more than {_DEEPEST} others that are made of one another"
            self._failed[name] = Unasked(f"the variable {name} is {what}")
            return
        try:
            self._variables[name] = self._evaluate(self._expressions[name], waiting | {name})
        except Unasked as why:
            self._failed[name] = why
        except Failed as problem:
            self._failed[name] = Failed(f'composited variable "{name}" fails to evaluate: {problem}')


def is_matched(conditions: Iterable[Json], inputs: Inputs, failure_policy: str) -> bool:
    """Whether all `matchConditions` hold. Raises Failed where errors decide and are to fail, Unasked."""
    errors, unasked = [], []
    for condition in conditions:
        try:
            if inputs.evaluate(condition.get("expression") or "") is False:
                return False
        except Failed as problem:
            errors.append(str(problem))
        except Unasked as why:
            unasked.append(f"the matchCondition {condition.get('name')} is not asked: {why}")
    if unasked:
        raise Unasked(unasked[0])
    if errors and failure_policy != IGNORE:
        raise Failed(errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]")
    return not errors


def show_request(request: Request, version: str) -> Json:
    """A request as an AdmissionReview has it, without its objects."""
    kind, group = request.kind, request.kind.group
    shown: dict[str, Any] = {
        "kind": {"group": group, "version": version, "kind": kind.name},
        "resource": {"group": group, "version": version, "resource": kind.plural},
        "requestKind": {"group": group, "version": request.version, "kind": kind.name},
        "requestResource": {"group": group, "version": request.version, "resource": kind.plural},
        "name": request.name,
        "namespace": request.namespace,
        "operation": request.operation,
        "dryRun": request.is_dry_run,
        "options": request.options,
    }
    if request.subresource:
        shown |= {"subResource": request.subresource, "requestSubResource": request.subresource}
    return shown | ({} if request.user is None else {_USER: request.user})


def _show_namespace(request: Request) -> Json | None:
    """The namespace that the object is in; none for a Namespace itself."""
    found = request.namespace_object
    if found is None or (request.kind.plural == "namespaces" and not request.kind.group):
        return None
    meta = {
        name: value
        for name, value in found["metadata"].items()
        if name not in ("managedFields", "ownerReferences")
    }
    return {**{name: found[name] for name in ("spec", "status") if name in found}, "metadata": meta}
