"""Objects as one version of their kind shows them, and as they are stored when they were sent to it."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
# Names of the same field: in the core group, in events.k8s.io.
_FIELDS_OF_EVENTS = (
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
)
# What is written although it is empty.
_ALWAYS_IN_CORE: Json = {
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}
_ALWAYS_IN_NEWER: Json = {
    "eventTime": None,
    "deprecatedSource": {},
    "deprecatedFirstTimestamp": None,
    "deprecatedLastTimestamp": None,
}

_STATUSES_OF_CONTAINERS = (
    ("containers", "containerStatuses"),
    ("initContainers", "initContainerStatuses"),
    ("ephemeralContainers", "ephemeralContainerStatuses"),
)
_ALWAYS_IN_CONDITIONS: Json = {"lastProbeTime": None, "lastTransitionTime": None}


def show_pod(data: Json) -> Json:
    """With the times of its conditions, known or not, and what its containers mount and were given."""
    status = data.get("status") or {}
    if not status.get("conditions"):
        return data
    shown = {**status, "conditions": [{**_ALWAYS_IN_CONDITIONS, **one} for one in status["conditions"]]}
    for section, told in _STATUSES_OF_CONTAINERS:
        if status.get(told):
            mounts = {one["name"]: one.get("volumeMounts") for one in data["spec"].get(section) or ()}
            shown[told] = [_as_told(one, mounts.get(one.get("name"))) for one in status[told]]
    return {**data, "status": shown}


def _as_told(status: Json, mounts: list[Json] | None) -> Json:
    """A container's status with what a kubelet says of it beside its state.

    Of one that was made what it was given, though that be nothing; of mounts where they are, and how firmly.
    """
    if status.get("containerID") and "resources" not in status:
        status = {**status, "resources": {}}
    if not mounts or "volumeMounts" in status:
        return status
    shown = []
    for mount in mounts:
        told: Json = {name: mount[name] for name in ("name", "mountPath") if name in mount}
        if mount.get("readOnly"):
            is_deep = mount.get("recursiveReadOnly") in ("Enabled", "IfPossible")
            told |= {"readOnly": True, "recursiveReadOnly": "Enabled" if is_deep else "Disabled"}
        shown.append(told)
    return {**status, "volumeMounts": shown}


def read_pod(data: Json) -> Json:
    """A pod as it was sent, without what a kubelet says of it beside its state."""
    status = dict(data.get("status") or {})
    for _, told in _STATUSES_OF_CONTAINERS:
        if status.get(told):
            status[told] = [_as_stored(one) for one in status[told]]
    return {**data, "status": status} if status else data


def _as_stored(status: Json) -> Json:
    kept = {name: status[name] for name in status if name != "volumeMounts"}
    if not kept.get("resources", True):
        del kept["resources"]
    return kept


def with_status(data: Json, **empty: Any) -> Json:
    """With a status, though nobody wrote one yet: then it is `empty`."""
    return data if data.get("status") else {**data, "status": empty}


def show_slice(data: Json) -> Json:
    """With its endpoints and ports, though there be none."""
    return {**data, "endpoints": data.get("endpoints") or None, "ports": data.get("ports") or None}


def show_drivers(data: Json) -> Json:
    """With the drivers that a node has, though there be none."""
    return {**data, "spec": {"drivers": None, **(data.get("spec") or {})}}


def show_endpoints(data: Json) -> Json:
    """Without its subsets, where there are none."""
    return data if data.get("subsets") else {name: one for name, one in data.items() if name != "subsets"}


def show_role(data: Json) -> Json:
    """With its rules, though there be none."""
    return data if "rules" in data else {**data, "rules": None}


def show_core_event(data: Json) -> Json:
    """An Event of the core group, with what is written although it is empty."""
    return {**_ALWAYS_IN_CORE, **data}


def show_newer_event(data: Json) -> Json:
    """An Event of events.k8s.io, whose fields have other names."""
    shown = {**_ALWAYS_IN_NEWER, **_renamed(data, dict(_FIELDS_OF_EVENTS))}
    for name in ("note", "reportingController", "reportingInstance"):
        if not shown.get(name):
            shown.pop(name, None)
    return shown


def read_newer_event(data: Json) -> Json:
    """An Event of events.k8s.io as the core group has it."""
    return _renamed(data, {new: old for old, new in _FIELDS_OF_EVENTS})


def _renamed(data: Json, names: dict[str, str]) -> Json:
    return {names.get(name, name): value for name, value in data.items()}
