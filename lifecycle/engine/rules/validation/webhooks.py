"""Configurations of webhooks, and what they share with policies: rules, and conditions of a match.

An update is held to the same: what Kubernetes lets be of configurations that are older than its rules is not
modelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from ..cel.evaluator import MOST_CHECKED, Budget, find_fault
from ..policies.unasked import NAMES
from .words.field_error import invalid
from .words.metadata import check_path_name
from .words.names import check_label_1035, check_qualified, check_subdomain
from .words.part import Part, gathers
from .words.selectors import validate_selector

FAILURE_POLICIES, MATCH_POLICIES = ("Fail", "Ignore"), ("Equivalent", "Exact")
_SIDE_EFFECTS, _SCOPES = ("None", "NoneOnDryRun"), ("*", "Cluster", "Namespaced")
_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_REINVOCATIONS, _REVIEWS = ("IfNeeded", "Never"), ("v1", "v1beta1")
_ANY, _MOST_CONDITIONS = "*", 64
_FORM = "; desired format: https://host[/path]"
_LONGEST_TIMEOUT_SECONDS = 30


@gathers("")
def validate_webhooks(configuration: Part) -> None:
    """Webhooks of either kind: whom they ask about what, and what they promise."""
    names: set[str] = set()
    checked = Budget(MOST_CHECKED)
    for hook in configuration.parts("webhooks"):
        _validate_webhook(hook, checked)
        reviews = "admissionReviewVersions"
        validate_review_versions(hook, reviews, f"must specify one of {', '.join(_REVIEWS)}")
        if hook["name"]:
            hook.once("name", hook["name"], names)


def _validate_webhook(hook: Part, checked: Budget) -> None:
    hook.text("name", _check_full_name, needed=True)
    for rule in hook.parts("rules"):
        validate_rule(rule)
    hook.given("failurePolicy", FAILURE_POLICIES)
    hook.given("matchPolicy", MATCH_POLICIES)
    if hook["sideEffects"] is None:
        hook.require("sideEffects", f"must specify one of {', '.join(_SIDE_EFFECTS)}")
    hook.given("sideEffects", _SIDE_EFFECTS)
    timeout_seconds = hook["timeoutSeconds"]
    if timeout_seconds is not None and not 1 <= timeout_seconds <= _LONGEST_TIMEOUT_SECONDS:
        hook.refuse("timeoutSeconds", "the timeout value must be between 1 and 30 seconds")
    hook.apply("namespaceSelector", validate_selector)
    hook.apply("objectSelector", validate_selector)
    hook.given("reinvocationPolicy", _REINVOCATIONS)
    validate_client(hook, "clientConfig")
    validate_conditions(hook, checked)


def _check_full_name(name: str) -> list[str]:
    if problems := check_subdomain(name):
        return [",".join(problems)]
    has_three = name.count(".") > 1
    return [] if has_three else ["should be a domain with at least three segments separated by dots"]


def validate_client(holder: Part, field: str) -> None:
    """Where a webhook is: at a URL, or at a Service (apiserver, pkg/util/webhook/validation.go)."""
    client = holder.part(field)
    given = client.list_given(("url", "service"))
    if len(given) != 1:
        holder.require(field, "exactly one of url or service is required")
    elif given == ["url"]:
        _validate_url(client)
    else:
        _validate_service(client.part("service"))


def _validate_url(client: Part) -> None:
    text = client["url"]
    try:
        url = urlsplit(text)
    except ValueError as problem:
        client.require("url", f"url must be a valid URL: {problem}{_FORM}")
        return
    user, _, host = url.netloc.rpartition("@")
    if url.scheme != "https":
        client.refuse("url", f"'https' is the only allowed URL scheme{_FORM}", url.scheme)
    if not host:
        client.refuse("url", f"host must be specified{_FORM}", "")
    if "@" in url.netloc:
        client.refuse("url", "user information is not permitted in the URL", user)
    if url.fragment:
        client.refuse("url", "fragments are not permitted in the URL", url.fragment)
    if url.query:
        client.refuse("url", "query parameters are not permitted in the URL", url.query)


def _validate_service(service: Part) -> None:
    # Kubernetes hands name and namespace over in the other order: what is missing is said of the other.
    for field, other in (("name", "namespace"), ("namespace", "name")):
        if not service[other]:
            service.require(field)
    port = service["port"]
    if port is not None and not 1 <= port <= 65535:
        service.refuse("port", "port is not valid: must be between 1 and 65535, inclusive")
    if service["path"]:
        service.complain("path", _check_path(service["path"]))


def _check_path(path: str) -> Iterator[str]:
    if path == "/":
        return
    if path == "//":
        yield "segment[0] may not be empty"
        return
    if not path.startswith("/"):
        yield "must start with a '/'"
    for index, step in enumerate(path[1:].removesuffix("/").split("/")):
        if not step:
            yield f"segment[{index}] may not be empty"
        else:
            yield from (f"segment[{index}]: {problem}" for problem in check_subdomain(step))


def validate_review_versions(holder: Part, field: str, missing: str = "") -> None:
    """The versions of a review that a webhook can read. `missing` is said where there are none."""
    versions = holder[field] or ()
    if not versions:
        holder.require(field, missing)
        return
    seen: set[str] = set()
    for index, version in enumerate(versions):
        if version in seen:
            holder.refuse(f"{field}[{index}]", "duplicate version", version)
        else:
            holder.complain(f"{field}[{index}]", check_label_1035(version), version)
        seen.add(version)
    if seen.isdisjoint(_REVIEWS):
        holder.refuse(field, f"must include at least one of {', '.join(_REVIEWS)}")


# --- what policies have as well ---------------------------------------------------------------------------


def validate_rule(rule: Part) -> None:
    """The operations and the resources that are looked at."""
    rule.need("operations")
    _be_alone(rule, "operations", "operations")
    for index, operation in enumerate(rule["operations"] or ()):
        if operation not in _OPERATIONS:
            rule.support(f"operations[{index}]", _OPERATIONS, operation)
    rule.need("apiGroups")
    _be_alone(rule, "apiGroups", "API groups")
    rule.need("apiVersions")
    _be_alone(rule, "apiVersions", "API versions")
    for index, version in enumerate(rule["apiVersions"] or ()):
        if not version:
            rule.require(f"apiVersions[{index}]")
    _validate_resources(rule, rule["resources"] or ())
    rule.given("scope", _SCOPES)


def _be_alone(rule: Part, field: str, what: str) -> None:
    if len(rule[field] or ()) > 1 and _ANY in rule[field]:
        rule.refuse(field, f"if '*' is present, must not specify other {what}")


def _validate_resources(rule: Part, resources: Sequence[str]) -> None:
    rule.need("resources")
    whole: set[str] = set()
    of_all: set[str] = set()
    has_plain = False
    for index, resource in enumerate(resources):
        field = f"resources[{index}]"
        if not resource:
            rule.require(field)
            continue
        name, slash, part = resource.partition("/")
        if not slash:
            # The last one without a subresource decides.
            has_plain = resource != _ANY
            continue
        if name in whole:
            rule.refuse(field, f"if '{name}/*' is present, must not specify {resource}", resource)
        if part in of_all:
            rule.refuse(field, f"if '*/{part}' is present, must not specify {resource}", resource)
        whole |= {name} if part == _ANY else set()
        of_all |= {part} if name == _ANY else set()
    if len(resources) > 1 and "*/*" in resources:
        rule.refuse("resources", "if '*/*' is present, must not specify other resources")
    if _ANY in resources and has_plain:
        rule.refuse("resources", "if '*' is present, must not specify other resources without subresources")


def validate_conditions(holder: Part, checked: Budget) -> None:
    """`matchConditions`: names, and expressions. `checked`: of all expressions of the object."""
    holder.limit("matchConditions", _MOST_CONDITIONS)
    seen: set[str] = set()
    for condition in holder.parts("matchConditions"):
        text = (condition["expression"] or "").strip()
        if text:
            compile_expression(condition, "expression", text, checked)
        else:
            condition.require("expression")
        condition.text("name", check_qualified, needed=True)
        if condition["name"]:
            condition.once("name", condition["name"], seen)


def compile_expression(holder: Part, field: str, text: str, checked: Budget) -> None:
    """An expression that is none is refused."""
    if fault := find_fault(text, NAMES, checked):
        holder.errors.append(invalid(holder.at(field), text, fault))


def validate_resource_names(rule: Part) -> None:
    """The names of the objects that a policy's rule is for."""
    seen: set[Any] = set()
    for index, name in enumerate(rule["resourceNames"] or ()):
        rule.complain(f"resourceNames[{index}]", check_path_name(name), name)
        rule.once(f"resourceNames[{index}]", name, seen)
