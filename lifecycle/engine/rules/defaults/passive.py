"""Defaults of kinds that are stored and shown: admission, and drivers of volumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
_HTTPS_PORT = 443
_MATCH: Mapping[str, Any] = {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
_WEBHOOK: Mapping[str, Any] = {**_MATCH, "failurePolicy": "Fail", "timeoutSeconds": 10}
_DRIVER: Mapping[str, Any] = {
    "attachRequired": True,
    "podInfoOnMount": False,
    "storageCapacity": False,
    "fsGroupPolicy": "ReadWriteOnceWithFSType",
    "requiresRepublish": False,
    "seLinuxMount": False,
}


def default_webhooks(data: Mapping[str, Any], **more: str) -> Json:
    """Webhooks are asked of every namespace, within ten seconds, and refuse where they do not answer."""
    if not data.get("webhooks"):
        return dict(data)
    return {**data, "webhooks": [_default_webhook({**more, **one}) for one in data["webhooks"]]}


def default_mutating_webhooks(data: Mapping[str, Any]) -> Json:
    """The same of those that change objects: none is asked again."""
    return default_webhooks(data, reinvocationPolicy="Never")


def _default_webhook(webhook: Mapping[str, Any]) -> Json:
    found = _with_rules({**_WEBHOOK, **webhook}, "rules")
    client = found.get("clientConfig") or {}
    if client.get("service") is not None:
        found["clientConfig"] = {**client, "service": {"port": _HTTPS_PORT, **client["service"]}}
    return found


def _with_rules(match: Mapping[str, Any], *fields: str) -> Json:
    ruled = {field: [{"scope": "*", **rule} for rule in match[field]] for field in fields if match.get(field)}
    return {**match, **ruled}


def default_policy(spec: Mapping[str, Any], _gates: Mapping[str, bool]) -> Json:
    """A policy refuses where it cannot be asked, and matches every namespace."""
    found = {"failurePolicy": "Fail", **spec}
    if found.get("matchConstraints") is not None:
        found["matchConstraints"] = _default_match(found["matchConstraints"])
    return found


def default_policy_binding(spec: Mapping[str, Any], _gates: Mapping[str, bool]) -> Json:
    """What a binding narrows its policy to matches every namespace but for what it says."""
    if spec.get("matchResources") is None:
        return dict(spec)
    return {**spec, "matchResources": _default_match(spec["matchResources"])}


def _default_match(match: Mapping[str, Any]) -> Json:
    return _with_rules({**_MATCH, **match}, "resourceRules", "excludeResourceRules")


def default_driver(spec: Mapping[str, Any], _gates: Mapping[str, bool]) -> Json:
    """A driver of volumes attaches them, and has volumes that outlive pods."""
    return {**_DRIVER, **spec, "volumeLifecycleModes": spec.get("volumeLifecycleModes") or ["Persistent"]}
