"""Defaults of webhooks, policies and their bindings (pkg/apis/admissionregistration/v1/defaults.go)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .pods import Json, fill_pointers
from .services import with_port

_MATCH: Mapping[str, Any] = {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
_FAIL = "Fail"


def default_validating_webhooks(data: Mapping[str, Any]) -> Json:
    """What fails refuses; nothing is left out; an answer has ten seconds."""
    return _default_webhooks(data)


def default_mutating_webhooks(data: Mapping[str, Any]) -> Json:
    """They are asked once, besides."""
    return _default_webhooks(data, reinvocationPolicy="Never")


def _default_webhooks(data: Mapping[str, Any], **further: Any) -> Json:
    if not data.get("webhooks"):
        return dict(data)
    return {**data, "webhooks": [_default_webhook(hook or {}, further) for hook in data["webhooks"]]}


def _default_webhook(hook: Mapping[str, Any], further: Mapping[str, Any]) -> Json:
    found = {**hook, **_with_rules(hook, "rules")}
    fill_pointers(found, failurePolicy=_FAIL, timeoutSeconds=10, **_MATCH, **further)
    if found.get("clientConfig"):
        found["clientConfig"] = with_port(found["clientConfig"])
    return found


def default_policy(data: Mapping[str, Any]) -> Json:
    """What fails refuses; nothing is left out."""
    spec = dict(data.get("spec") or {})
    fill_pointers(spec, failurePolicy=_FAIL)
    return {**data, "spec": _with_match(spec, "matchConstraints")}


def default_binding(data: Mapping[str, Any]) -> Json:
    """It leaves out nothing of what its policy is for."""
    return {**data, "spec": _with_match(dict(data.get("spec") or {}), "matchResources")}


def _with_match(spec: Json, field: str) -> Json:
    if spec.get(field) is None:
        return spec
    match = {**spec[field]}
    match |= _with_rules(match, "resourceRules") | _with_rules(match, "excludeResourceRules")
    fill_pointers(match, **_MATCH)
    return {**spec, field: match}


def _with_rules(holder: Mapping[str, Any], field: str) -> Json:
    rules = holder.get(field)
    return {field: [{"scope": "*", **(rule or {})} for rule in rules]} if rules else {}
