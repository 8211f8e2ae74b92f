"""ValidatingAdmissionPolicies and their bindings.

Of expressions only the syntax is checked: types and costs, which Kubernetes checks as well, are not known
here. An update is held to the same as a creation.
"""

from __future__ import annotations

from lifecycle.late_patterns import late_pattern

from ..cel.evaluator import MOST_CHECKED, Budget
from ..custom_resources.escapes import RESERVED
from .schema_words import is_broken
from .webhooks import (
    FAILURE_POLICIES,
    MATCH_POLICIES,
    compile_expression,
    validate_conditions,
    validate_resource_names,
    validate_rule,
)
from .words.metadata import check_path_name
from .words.names import check_group_version, check_label_1035, check_qualified, check_subdomain
from .words.part import Part, gathers
from .words.selectors import validate_selector

_ACTIONS, _NOT_FOUND_ACTIONS = ("Audit", "Deny", "Warn"), ("Deny", "Allow")
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_MOST_ANNOTATIONS, _MOST_BYTES = 20, 5 * 1024
_ONE_OF = "validations or auditAnnotations must contain at least one item"
_TWICE = (
    "must not contain both Deny and Warn (repeating the same validation failure information in the API"
    " response and headers serves no purpose)"
)
_EXCLUSIVE = "name and selector are mutually exclusive"
_VARIABLE = late_pattern(r"[_a-zA-Z][_a-zA-Z0-9]*")


@gathers("")
def validate_policy(policy: Part) -> None:
    """What is looked at, when, and what has to hold."""
    spec = policy.part("spec")
    if spec["failurePolicy"] is None:
        spec.require("failurePolicy")
    spec.given("failurePolicy", FAILURE_POLICIES)
    if spec["paramKind"] is not None:
        _validate_param_kind(spec.part("paramKind"))
    if spec["matchConstraints"] is None:
        spec.require("matchConstraints")
    else:
        _validate_match(spec.part("matchConstraints"))
        spec.part("matchConstraints").need("resourceRules")
    checked = Budget(MOST_CHECKED)
    validate_conditions(spec, checked)
    for variable in spec.parts("variables"):
        _validate_variable(variable, checked)
    if not spec["validations"] and not spec["auditAnnotations"]:
        spec.require("validations", _ONE_OF)
        spec.require("auditAnnotations", _ONE_OF)
    for validation in spec.parts("validations"):
        _validate_validation(validation, checked)
    _validate_annotations(spec, policy.part("metadata")["name"] or "", checked)


def _validate_param_kind(kind: Part) -> None:
    written = kind["apiVersion"] or ""
    group, slash, version = written.partition("/")
    if not slash:
        group, version = "", written
    if not written:
        kind.require("apiVersion")
    elif problems := check_group_version(written):
        kind.complain("apiVersion", problems)
    else:
        if group and (problems := check_subdomain(group)):
            kind.refuse("apiVersion", ",".join(problems), group)
        if not version:
            kind.refuse("apiVersion", "version must be specified")
        elif problems := check_label_1035(version):
            kind.refuse("apiVersion", ",".join(problems), version)
    if not kind["kind"]:
        kind.require("kind")
    elif problems := check_label_1035(kind["kind"].lower()):
        kind.refuse("kind", f"may have mixed case, but should otherwise match: {','.join(problems)}")


def _validate_match(match: Part) -> None:
    match.support("matchPolicy", MATCH_POLICIES)
    for field in ("namespaceSelector", "objectSelector"):
        match.apply(field, validate_selector)
    for field in ("resourceRules", "excludeResourceRules"):
        for rule in match.parts(field):
            validate_resource_names(rule)
            validate_rule(rule)


def _validate_variable(variable: Part, checked: Budget) -> None:
    name, text = variable["name"] or "", variable["expression"] or ""
    if not name.strip():
        variable.require("name", "name is not specified")
    elif not _VARIABLE.fullmatch(name) or name in RESERVED:
        variable.refuse("name", "must be a valid CEL identifier")
    if text.strip():
        compile_expression(variable, "expression", text, checked)
    else:
        variable.require("expression", "expression is not specified")


def _validate_validation(validation: Part, checked: Budget) -> None:
    text, told = validation["expression"] or "", validation["messageExpression"] or ""
    if text.strip():
        compile_expression(validation, "expression", text, checked)
    else:
        validation.require("expression", "expression is not specified")
    if told.strip():
        compile_expression(validation, "messageExpression", told, checked)
    elif told:
        validation.refuse("messageExpression", "must be non-empty if specified")
    message = validation["message"] or ""
    if message and not message.strip():
        validation.refuse("message", "must be non-empty if specified")
    elif is_broken(message.strip()):
        validation.refuse("message", "must not contain line breaks")
    validation.given("reason", _REASONS)


def _validate_annotations(spec: Part, policy: str, checked: Budget) -> None:
    annotations = spec.parts("auditAnnotations")
    if len(annotations) > _MOST_ANNOTATIONS:
        spec.refuse("auditAnnotations", f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations")
    keys: set[str] = set()
    for annotation in annotations:
        key, text = annotation["key"] or "", (annotation["valueExpression"] or "").strip()
        if policy:
            annotation.complain("key", check_qualified(f"{policy}/{key}"), f"{policy}/{key}")
        else:
            annotation.refuse("key", "requires metadata.name be non-empty", key)
        if not text:
            annotation.require("valueExpression", "valueExpression is not specified")
        elif len(text.encode(errors="replace")) > _MOST_BYTES:
            annotation.require("valueExpression", f"must not exceed {_MOST_BYTES} bytes in length")
        else:
            compile_expression(annotation, "valueExpression", text, checked)
        annotation.once("key", key, keys)


@gathers("")
def validate_binding(binding: Part) -> None:
    """Which policy, with which parameters, for what, and what it then does."""
    spec = binding.part("spec")
    spec.text("policyName", check_subdomain, needed=True)
    if spec["paramRef"] is not None:
        _validate_param_ref(spec, spec.part("paramRef"))
    if spec["matchResources"] is not None:
        _validate_match(spec.part("matchResources"))
    actions, seen = spec["validationActions"] or (), set[str]()
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            spec.support(f"validationActions[{index}]", _ACTIONS, action)
        spec.once(f"validationActions[{index}]", action, seen)
    if {"Deny", "Warn"} <= seen:
        spec.refuse("validationActions", _TWICE)
    if not actions:
        spec.require("validationActions", "at least one validation action is required")


def _validate_param_ref(spec: Part, reference: Part) -> None:
    name, has_selector = reference["name"] or "", reference["selector"] is not None
    if name:
        reference.complain("name", check_path_name(name))
        if has_selector:
            reference.forbid("name", _EXCLUSIVE)
    if has_selector:
        reference.apply("selector", validate_selector)
        if name:
            reference.forbid("selector", _EXCLUSIVE)
    elif not name:
        spec.require("paramRef", "one of name or selector must be specified")
    if not reference["parameterNotFoundAction"]:
        reference.require("parameterNotFoundAction")
    else:
        reference.support("parameterNotFoundAction", _NOT_FOUND_ACTIONS)
