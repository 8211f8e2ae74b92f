"""ValidatingAdmissionPolicies and their bindings: that they say something, of something.

Left out: whether expressions compile.
"""

from __future__ import annotations

from lifecycle.late_patterns import late_pattern

from .webhooks import FAILURE_POLICIES, MATCH_POLICIES, validate_rule
from .words.names import check_qualified
from .words.part import Part, gathers
from .words.selectors import validate_selector

_ACTIONS = ("Audit", "Deny", "Warn")
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_IDENTIFIER = late_pattern(r"[_a-zA-Z][_a-zA-Z0-9]*")
_BOTH = (
    "must not contain both Deny and Warn (repeating the same validation failure information in the API"
    " response and headers serves no purpose)"
)


@gathers("")
def validate_policy(data: Part) -> None:
    """A policy matches something, and checks or notes something."""
    spec, name = data.part("spec"), data.part("metadata")["name"] or ""
    spec.given("failurePolicy", FAILURE_POLICIES)
    if spec["paramKind"] is not None:
        spec.part("paramKind").need("apiVersion")
        spec.part("paramKind").need("kind")
    if spec["matchConstraints"] is None:
        spec.require("matchConstraints")
    else:
        _validate_match(spec.part("matchConstraints"))
        spec.part("matchConstraints").need("resourceRules")
    for condition in spec.parts("matchConditions"):
        condition.need("name")
        condition.need("expression", "expression is not specified")
    for variable in spec.parts("variables"):
        if not variable["name"]:
            variable.require("name", "name is not specified")
        elif not _IDENTIFIER.fullmatch(variable["name"]):
            variable.refuse("name", "must be a valid CEL identifier")
        variable.need("expression", "expression is not specified")
    if not spec["validations"] and not spec["auditAnnotations"]:
        said = "validations or auditAnnotations must contain at least one item"
        spec.require("validations", said)
        spec.require("auditAnnotations", said)
    for validation in spec.parts("validations"):
        _validate_validation(validation)
    for annotation in spec.parts("auditAnnotations"):
        key = f"{name}/{annotation['key'] or ''}"
        annotation.complain("key", check_qualified(key), key)
        annotation.need("valueExpression", "valueExpression is not specified")


def _validate_validation(validation: Part) -> None:
    expression, message = (str(validation[field] or "") for field in ("expression", "message"))
    if not expression.strip():
        validation.require("expression", "expression is not specified")
    if message and not message.strip():
        validation.refuse("message", "must be non-empty if specified")
    elif any(sign in message.strip() for sign in "\r\n"):
        validation.refuse("message", "must not contain line breaks")
    elif any(sign in expression.strip() for sign in "\r\n") and not message:
        validation.require("message", "message must be specified if expression contains line breaks")
    validation.given("reason", _REASONS)


def _validate_match(match: Part) -> None:
    for field in ("namespaceSelector", "objectSelector"):
        match.apply(field, validate_selector)
    for field in ("resourceRules", "excludeResourceRules"):
        for rule in match.parts(field):
            validate_rule(rule)
    match.given("matchPolicy", MATCH_POLICIES)


@gathers("spec")
def validate_policy_binding(spec: Part) -> None:
    """A binding names its policy, and says what is done about what is against it."""
    spec.need("policyName")
    if spec["paramRef"] is not None:
        _validate_reference(spec.part("paramRef"))
    if spec["matchResources"] is not None:
        _validate_match(spec.part("matchResources"))
    actions: list[str] = spec["validationActions"] or []
    if not actions:
        spec.require("validationActions", "at least one validation action is required")
    seen: set[str] = set()
    for index, action in enumerate(actions):
        field = f"validationActions[{index}]"
        spec.support(field, _ACTIONS, action)
        spec.once(field, action, seen)
    if {"Deny", "Warn"} <= seen:
        spec.refuse("validationActions", _BOTH)


def _validate_reference(reference: Part) -> None:
    name, selector = reference["name"], reference["selector"]
    if not name and selector is None:
        reference.require("", "one of name or selector must be specified")
    elif name and selector is not None:
        reference.forbid("name", "name and selector are mutually exclusive")
    if not reference["parameterNotFoundAction"]:
        reference.require("parameterNotFoundAction")
