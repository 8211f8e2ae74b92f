"""What the API server accepts of Services, but warns of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..network.services import is_headless
from .words.misread_addresses import list_address_warnings

_HINTS = "service.kubernetes.io/topology-aware-hints"
_MODE = "service.kubernetes.io/topology-mode"


_OUTSIDE_SINCE = 36


def list_later_warnings(data: Mapping[str, Any], minor: int) -> list[str]:
    """What a minor release later than v1.35 warns of besides (kubernetes/kubernetes#137293)."""
    spec = data.get("spec") or {}
    is_named = is_headless(spec) or spec.get("type") == "ExternalName"
    if minor < _OUTSIDE_SINCE or is_named or not spec.get("externalIPs"):
        return []
    return ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]


def list_service_warnings(data: Mapping[str, Any]) -> list[str]:
    """Warnings of a Service."""
    spec = data.get("spec") or {}
    kind, outside = spec.get("type"), spec.get("externalIPs") or ()
    found = []
    if _HINTS in ((data.get("metadata") or {}).get("annotations") or {}):
        found.append(f"annotation {_HINTS} is deprecated, please use {_MODE} instead")
    if kind == "ClusterIP" and is_headless(spec):
        if spec.get("loadBalancerIP"):
            found.append("spec.loadBalancerIP is ignored for headless services")
        if outside:
            found.append("spec.externalIPs is ignored for headless services")
        if spec.get("sessionAffinity", "None") != "None":
            found.append("spec.SessionAffinity is ignored for headless services")
    for index, text in enumerate(outside):
        found += list_address_warnings(f"spec.externalIPs[{index}]", text)
    if spec.get("loadBalancerIP"):
        found += list_address_warnings("spec.loadBalancerIP", spec["loadBalancerIP"])
    if kind == "ExternalName" and outside:
        found.append('spec.externalIPs is ignored when spec.type is "ExternalName"')
    if kind != "ExternalName" and spec.get("externalName"):
        found.append('spec.externalName is ignored when spec.type is not "ExternalName"')
    if spec.get("trafficDistribution") == "PreferClose":
        found.append('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
    return found
