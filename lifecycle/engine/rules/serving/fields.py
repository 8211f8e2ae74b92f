"""The fields by which clients find objects of a kind: `status.phase!=Running`.

Models the field labels of pkg/apis/*/v1/conversion.go and the selectable fields of pkg/registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Json = Mapping[str, Any]
ReadField = Callable[[Json], str]


def read_at(path: str, default: str = "") -> ReadField:
    """What stands at a path, as text."""
    steps = path.split(".")

    def read(data: Json) -> str:
        value: Any = data
        for step in steps:
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, bool):
            return str(value).lower()
        return default if value is None else str(value)

    return read


def _pod_ips(data: Json) -> str:
    ips = (data.get("status") or {}).get("podIPs") or ()
    return ",".join(str(one.get("ip", "")) for one in ips if isinstance(one, Mapping))


def _event_source(data: Json) -> str:
    source = data.get("source") or data.get("deprecatedSource") or {}
    return str(
        source.get("component") or data.get("reportingComponent") or data.get("reportingController") or ""
    )


def _by_path(*paths: str) -> dict[str, ReadField]:
    return {path: read_at(path) for path in paths}


_ABOUT = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
POD_FIELDS: Mapping[str, ReadField] = {
    **_by_path(
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "status.phase",
        "status.podIP",
        "status.nominatedNodeName",
    ),
    "spec.host": read_at("spec.nodeName"),
    "spec.hostNetwork": read_at("spec.hostNetwork", "false"),
    "status.podIPs": _pod_ips,
}
CORE_EVENT_FIELDS: Mapping[str, ReadField] = {
    **_by_path(*(f"involvedObject.{name}" for name in _ABOUT)),
    **_by_path("reason", "reportingComponent", "type"),
    "source": _event_source,
}
NEWER_EVENT_FIELDS: Mapping[str, ReadField] = {
    **_by_path(*(f"regarding.{name}" for name in _ABOUT)),
    **_by_path("reason", "reportingController", "type"),
}
