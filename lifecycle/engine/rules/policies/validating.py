"""What a ValidatingAdmissionPolicy with one of its bindings says of a request.

Models apiserver, pkg/admission/plugin/policy/validating (dispatcher.go, validator.go). Audit annotations are
evaluated, as their errors refuse; nothing keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..cel.evaluator import Budget, Failed, Unasked
from ..cel.messages import reckon_message, show_expression
from .conditions import FAIL, IGNORE, Inputs, is_matched
from .matching import Request

Json = Mapping[str, Any]
DENY, WARN = "Deny", "Warn"
INVALID = "Invalid"


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a request is refused, and the reason of the Status."""

    message: str
    reason: str = INVALID


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of a policy: what refuses, what is warned of, and what was not asked."""

    denials: Sequence[Denial] = ()
    warnings: Sequence[str] = ()


def judge(
    policy: Json,
    binding: Json,
    request: Request,
    version: str,
    params: Sequence[Json | None],
    budget: Budget,
) -> Judgement:
    """What a policy says that matches. `params`: each is asked with; None where the policy asks with none.

    `budget`: of all that is asked about the request.
    """
    denials: list[Denial] = []
    warnings: list[str] = []
    names = f"ValidatingAdmissionPolicy '{_name(policy)}' with binding '{_name(binding)}'"
    spec, actions = policy.get("spec") or {}, (binding.get("spec") or {}).get("validationActions") or ()
    for one in params:
        inputs = Inputs(request, version, budget, one, spec.get("variables") or ())
        try:
            found = list(_validate(spec, inputs, warnings, names))
        except Unasked as why:
            warnings.append(f"{names} is not asked: {why}")
            continue
        for denial in found:
            if DENY in actions:
                denials.append(Denial(f"{names} denied request: {denial.message}", denial.reason))
            if WARN in actions:
                warnings.append(f"Validation failed for {names}: {denial.message}")
        denials += [
            Denial(f"{names} denied request: {message}")
            for message in _annotate(spec, inputs, warnings, names)
        ]
    return Judgement(denials, warnings)


def fail_to_configure(policy: Json, binding: Json, why: str) -> Judgement:
    """What is said where a binding cannot be used, by the policy for failures."""
    if (policy.get("spec") or {}).get("failurePolicy") == IGNORE:
        return Judgement()
    names = f"ValidatingAdmissionPolicy '{_name(policy)}' with binding '{_name(binding)}'"
    return Judgement([Denial(f"{names} denied request: failed to configure binding: {why}")])


def _validate(spec: Json, inputs: Inputs, warnings: list[str], names: str) -> Iterator[Denial]:
    """What is wrong with the request. Raises Unasked where nobody knows whether to ask anything."""
    policy = spec.get("failurePolicy") or FAIL
    try:
        if not is_matched(spec.get("matchConditions") or (), inputs, policy):
            return
    except Failed as problem:
        yield Denial(str(problem))
        return
    for validation in spec.get("validations") or ():
        expression = validation.get("expression") or ""
        try:
            is_kept = inputs.evaluate(expression) is True
        except Failed as problem:
            if policy != IGNORE:
                yield Denial(str(problem), "")
            continue
        except Unasked as why:
            warnings.append(f"{names}: the expression {show_expression(expression)} is not asked: {why}")
            continue
        if not is_kept:
            yield Denial(_message_of(validation, inputs), validation.get("reason") or INVALID)


def _message_of(validation: Json, inputs: Inputs) -> str:
    """A validation's message: reckoned, given, or its expression."""
    reckoned = reckon_message(validation.get("messageExpression"), inputs.evaluate)
    given = (validation.get("message") or "").strip()
    return reckoned or given or f"failed expression: {(validation.get('expression') or '').strip()}"


def _annotate(spec: Json, inputs: Inputs, warnings: list[str], names: str) -> Iterator[str]:
    """The errors of audit annotations, where failures are to fail."""
    policy = spec.get("failurePolicy") or FAIL
    for annotation in spec.get("auditAnnotations") or ():
        expression = annotation.get("valueExpression") or ""
        try:
            value = inputs.evaluate(expression)
        except Failed as problem:
            if policy != IGNORE:
                yield str(problem)
            continue
        except Unasked as why:
            warnings.append(f"{names}: the expression {show_expression(expression)} is not asked: {why}")
            continue
        if value is not None and not isinstance(value, str):
            yield (
                f"valueExpression '{expression}' resulted in unsupported return type: {type(value).__name__}."
                " Return type must be either string or null."
            )


def _name(data: Json) -> str:
    return str(data["metadata"]["name"])
