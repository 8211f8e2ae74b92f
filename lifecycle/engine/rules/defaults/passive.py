"""Defaults of kinds that are stored and shown: drivers of volumes, claims of devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .services import with_port

Json = dict[str, Any]
_DRIVER: Mapping[str, Any] = {
    "attachRequired": True,
    "podInfoOnMount": False,
    "storageCapacity": False,
    "fsGroupPolicy": "ReadWriteOnceWithFSType",
    "requiresRepublish": False,
    "seLinuxMount": False,
}


def default_driver(spec: Mapping[str, Any], _gates: Mapping[str, bool]) -> Json:
    """A driver of volumes attaches them, and has volumes that outlive pods."""
    return {**_DRIVER, **spec, "volumeLifecycleModes": spec.get("volumeLifecycleModes") or ["Persistent"]}


def default_service_port(spec: Mapping[str, Any], _gates: Mapping[str, bool]) -> Json:
    """An API server that is a Service listens where servers of HTTPS do."""
    return with_port(spec)


def default_device_claim(spec: Mapping[str, Any], _gates: Mapping[str, bool]) -> Json:
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
    return {"metadata": {}, **spec, "spec": default_device_claim(spec.get("spec") or {}, gates)}


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
