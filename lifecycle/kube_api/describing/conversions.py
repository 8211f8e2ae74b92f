"""Objects in the version that is asked for: what is stored as one is served as several."""

from collections.abc import Callable
from typing import Any

from lifecycle.kube_api.describing import autoscalers
from lifecycle.kube_api.describing.resource import Resource

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


def to_served(resource: Resource, data: Json) -> Json:
    """A stored object as a resource shows it."""
    show = _SHOW.get((resource.group, resource.version, resource.name))
    if show is not None:
        data = show(data)
    # Of a kind with several versions any may be stored.
    return (
        data
        if data.get("apiVersion") == resource.api_version
        else {**data, "apiVersion": resource.api_version}
    )


def is_as_stored(resource: Resource) -> bool:
    """Whether the resource shows every object exactly as it is stored."""
    is_one = resource.storage_version in ("", resource.api_version)
    return is_one and not resource.custom and (resource.group, resource.version, resource.name) not in _SHOW


def to_stored(resource: Resource, data: Json) -> Json:
    """An object as it was sent to a resource, as it is stored."""
    read = _READ.get((resource.group, resource.version, resource.name))
    if read is not None:
        data = read(data)
    stored = resource.storage_version or resource.api_version
    return data if data.get("apiVersion") == stored else {**data, "apiVersion": stored}


def _pod(data: Json) -> Json:
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


def _stored_pod(data: Json) -> Json:
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


def _ingress(data: Json) -> Json:
    return data if data.get("status") else {**data, "status": {"loadBalancer": {}}}


def _role(data: Json) -> Json:
    return data if "rules" in data else {**data, "rules": None}


def _core_event(data: Json) -> Json:
    return {**_ALWAYS_IN_CORE, **data}


def _newer_event(data: Json) -> Json:
    shown = {**_ALWAYS_IN_NEWER, **_renamed(data, dict(_FIELDS_OF_EVENTS))}
    for name in ("note", "reportingController", "reportingInstance"):
        if not shown.get(name):
            shown.pop(name, None)
    return shown


def _stored_event(data: Json) -> Json:
    return _renamed(data, {new: old for old, new in _FIELDS_OF_EVENTS})


def _renamed(data: Json, names: dict[str, str]) -> Json:
    return {names.get(name, name): value for name, value in data.items()}


_STATUSES_OF_CONTAINERS = (
    ("containers", "containerStatuses"),
    ("initContainers", "initContainerStatuses"),
    ("ephemeralContainers", "ephemeralContainerStatuses"),
)
_ALWAYS_IN_CONDITIONS: Json = {"lastProbeTime": None, "lastTransitionTime": None}
Convert = Callable[[Json], Json]
_SHOW: dict[tuple[str, str, str], Convert] = {
    ("", "v1", "pods"): _pod,
    ("", "v1", "events"): _core_event,
    ("networking.k8s.io", "v1", "ingresses"): _ingress,
    ("rbac.authorization.k8s.io", "v1", "roles"): _role,
    ("rbac.authorization.k8s.io", "v1", "clusterroles"): _role,
    ("events.k8s.io", "v1", "events"): _newer_event,
    ("autoscaling", "v1", "horizontalpodautoscalers"): autoscalers.to_first,
    ("autoscaling", "v2", "horizontalpodautoscalers"): autoscalers.to_second,
}
_READ: dict[tuple[str, str, str], Convert] = {
    ("", "v1", "pods"): _stored_pod,
    ("events.k8s.io", "v1", "events"): _stored_event,
    ("autoscaling", "v1", "horizontalpodautoscalers"): autoscalers.to_second,
}
