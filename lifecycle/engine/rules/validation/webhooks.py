"""Configurations of admission webhooks: what they are asked of, and where."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from .words.names import check_subdomain
from .words.part import Part, gathers
from .words.selectors import validate_selector

FAILURE_POLICIES, MATCH_POLICIES = ("Fail", "Ignore"), ("Equivalent", "Exact")
_SIDE_EFFECTS, _REVIEWS = ("None", "NoneOnDryRun"), ("v1", "v1beta1")
_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES = ("*", "Cluster", "Namespaced")
_LONGEST_SECONDS, _HIGHEST_PORT = 30, 65_535
_URL = "desired format: https://host[/path]"


@gathers("")
def validate_webhooks(data: Part) -> None:
    """Each webhook has a name of its own, and says of what it is asked, where, and in which versions."""
    seen: set[str] = set()
    for webhook in data.parts("webhooks"):
        _validate_webhook(webhook)
        if webhook["name"]:
            webhook.once("name", webhook["name"], seen)


def _validate_webhook(webhook: Part) -> None:
    name = webhook["name"] or ""
    if not name:
        webhook.require("name")
    elif malformed := check_subdomain(name):
        webhook.complain("name", malformed)
    elif name.count(".") < 2:
        webhook.refuse("name", "should be a domain with at least three segments separated by dots")
    for rule in webhook.parts("rules"):
        validate_rule(rule)
    webhook.given("failurePolicy", FAILURE_POLICIES)
    webhook.given("matchPolicy", MATCH_POLICIES)
    if webhook["sideEffects"] is None:
        webhook.require("sideEffects", f"must specify one of {', '.join(_SIDE_EFFECTS)}")
    else:
        webhook.support("sideEffects", _SIDE_EFFECTS)
    seconds = webhook["timeoutSeconds"]
    if seconds is not None and not 1 <= seconds <= _LONGEST_SECONDS:
        said = f"the timeout value must be between 1 and {_LONGEST_SECONDS} seconds"
        webhook.refuse("timeoutSeconds", said)
    for field in ("namespaceSelector", "objectSelector"):
        webhook.apply(field, validate_selector)
    _validate_client(webhook)
    for condition in webhook.parts("matchConditions"):
        condition.need("name")
        condition.need("expression", "expression is not specified")
    webhook.given("reinvocationPolicy", ("IfNeeded", "Never"))
    _validate_reviews(webhook)


def _validate_client(webhook: Part) -> None:
    client = webhook.part("clientConfig")
    if (client["url"] is None) == (client["service"] is None):
        webhook.require("clientConfig", "exactly one of url or service is required")
    elif client["url"] is not None:
        _validate_url(client)
    else:
        _validate_service(client.part("service"))


def _validate_url(client: Part) -> None:
    try:
        url = urlsplit(client["url"])
    except ValueError as problem:
        client.refuse("url", f"url must be a valid URL: {problem}; {_URL}")
        return
    if url.scheme != "https":
        client.refuse("url", f"'https' is the only allowed URL scheme; {_URL}", url.scheme)
    if not url.netloc:
        client.refuse("url", f"host must be specified; {_URL}", url.netloc)
    if "@" in url.netloc:
        client.refuse("url", "user information is not permitted in the URL", url.netloc.rpartition("@")[0])
    if url.fragment:
        client.refuse("url", "fragments are not permitted in the URL", url.fragment)
    if url.query:
        client.refuse("url", "query parameters are not permitted in the URL", url.query)


def _validate_service(service: Part) -> None:
    service.need("name")
    service.need("namespace")
    port = service["port"]
    if port is not None and not 1 <= port <= _HIGHEST_PORT:
        service.refuse("port", f"port is not valid: must be between 1 and {_HIGHEST_PORT}, inclusive")
    path = service["path"]
    if path in (None, "", "/"):
        return
    if path == "//":
        service.refuse("path", "segment[0] may not be empty")
        return
    if not path.startswith("/"):
        service.refuse("path", "must start with a '/'")
    for index, step in enumerate(path[1:].removesuffix("/").split("/")):
        if not step:
            service.refuse("path", f"segment[{index}] may not be empty")
        else:
            service.complain("path", [f"segment[{index}]: {said}" for said in check_subdomain(step)])


def _validate_reviews(webhook: Part) -> None:
    versions = webhook["admissionReviewVersions"]
    if not versions:
        webhook.require("admissionReviewVersions", f"must specify one of {', '.join(_REVIEWS)}")
    elif not set(versions) & set(_REVIEWS):
        webhook.refuse("admissionReviewVersions", f"must include at least one of {', '.join(_REVIEWS)}")


def validate_rule(rule: Part) -> None:
    """One rule of what is asked: operations, groups, versions and resources, each of them or all."""
    if not rule["operations"]:
        rule.require("operations")
    _validate_all_or_some(rule, "operations", "operations")
    for index in range(len(rule["operations"] or ())):
        rule.support(f"operations[{index}]", _OPERATIONS, rule["operations"][index])
    for field, word in (("apiGroups", "API groups"), ("apiVersions", "API versions")):
        rule.need(field)
        _validate_all_or_some(rule, field, word)
    rule.need("resources")
    _validate_resources(rule, rule["resources"] or ())
    rule.given("scope", _SCOPES)


def _validate_all_or_some(rule: Part, field: str, word: str) -> None:
    given = rule[field] or ()
    if len(given) > 1 and "*" in given:
        rule.refuse(field, f"if '*' is present, must not specify other {word}")


def _validate_resources(rule: Part, given: Sequence[str]) -> None:
    for index, one in enumerate(given):
        if not one:
            rule.require(f"resources[{index}]")
    for every, others in (("*/*", "resources"), ("*", "resources without subresources")):
        if every in given and any(one != every and ("/" not in one or every == "*/*") for one in given):
            rule.refuse("resources", f"if '{every}' is present, must not specify other {others}")
