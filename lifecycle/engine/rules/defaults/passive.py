"""Defaults of kinds that are stored and shown: admission, drivers of volumes, claims of devices."""

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


def default_service_port(spec: Mapping[str, Any], _gates: Mapping[str, bool]) -> Json:
    """An API server that is a Service listens where servers of HTTPS do."""
    service = spec.get("service")
    return dict(spec) if service is None else {**spec, "service": {"port": _HTTPS_PORT, **service}}


def default_claim(spec: Mapping[str, Any], _gates: Mapping[str, bool]) -> Json:
    """A request for devices is for one of them, unless it says of how many."""
    devices = spec.get("devices")
    if not devices or not devices.get("requests"):
        return dict(spec)
    return {
        **spec,
        "devices": {**devices, "requests": [_default_request(one) for one in devices["requests"]]},
    }


def default_claim_template(spec: Mapping[str, Any], gates: Mapping[str, bool]) -> Json:
    """The same of the claims that are made of a template."""
    return {"metadata": {}, **spec, "spec": default_claim(spec.get("spec") or {}, gates)}


def _default_request(request: Mapping[str, Any]) -> Json:
    found = dict(request)
    if found.get("exactly") is not None:
        found["exactly"] = _count_devices(found["exactly"])
    if found.get("firstAvailable"):
        found["firstAvailable"] = [_count_devices(one) for one in found["firstAvailable"]]
    return found


def _count_devices(asked: Mapping[str, Any]) -> Json:
    found = {"allocationMode": "ExactCount", **asked}
    return {"count": 1, **found} if found["allocationMode"] == "ExactCount" else found
