"""Defaults of claims, autoscalers and other objects."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from ...objects.names import RBAC_GROUP
from ...releases.gates import is_enabled
from ..custom_resources.definition import fill_names
from .pods import Json, fill, fill_pointers
from .services import with_port, with_protocols


def default_secret(data: Mapping[str, Any]) -> Json:
    """`stringData` is only a way to write `data`: it goes there, encoded, before what is already there."""
    found = dict(data)
    fill(found, type="Opaque")
    texts = found.pop("stringData", None)
    if texts:
        encoded = {key: base64.b64encode(str(text).encode()).decode() for key, text in texts.items()}
        found["data"] = {**(found.get("data") or {}), **encoded}
    return found


def default_config_map(data: Mapping[str, Any]) -> Json:
    """Nothing to keep is kept as nothing."""
    return {name: value for name, value in data.items() if value or name not in ("data", "binaryData")}


_CLASSIC_SOURCES = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))


def default_claim(data: Mapping[str, Any]) -> Json:
    """A claim is for a file system; what it is filled from is said in two places."""
    spec = {"volumeMode": "Filesystem", **(data.get("spec") or {})}
    return {**data, "spec": _with_source(spec)}


def _with_source(spec: Json) -> Json:
    """An older field takes claims and snapshots only, and loses all else in silence; a newer takes anything.

    Each is filled in from the other.
    """
    old, new = spec.get("dataSource"), spec.get("dataSourceRef")
    if old is not None and new is None:
        if (old.get("apiGroup") or "", old.get("kind")) not in _CLASSIC_SOURCES:
            return {name: value for name, value in spec.items() if name != "dataSource"}
        return {**spec, "dataSourceRef": old}
    if new is not None and old is None and not new.get("namespace"):
        return {**spec, "dataSource": {name: value for name, value in new.items() if name != "namespace"}}
    return spec


def default_volume(data: Mapping[str, Any]) -> Json:
    """A volume holds a file system, and stays when its claim goes."""
    base = {"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"}
    spec = {**base, **(data.get("spec") or {})}
    if spec.get("hostPath") is not None:
        spec["hostPath"] = {"type": "", **spec["hostPath"]}
    return {**data, "spec": spec}


def drop_tolerance(spec: Mapping[str, Any], gates: Mapping[str, bool]) -> Json:
    """A HorizontalPodAutoscaler's spec; its own tolerances are not stored where their gate is off."""
    found, behavior = dict(spec), spec.get("behavior")
    if not isinstance(behavior, Mapping) or is_enabled(gates, "HPAConfigurableTolerance"):
        return found
    found["behavior"] = {
        name: {key: value for key, value in rules.items() if key != "tolerance"}
        if isinstance(rules, Mapping)
        else rules
        for name, rules in behavior.items()
    }
    return found


def default_autoscaler(data: Mapping[str, Any]) -> Json:
    """1 replica at least; without metrics, 80 % of the requested CPU; all of a `behavior` that is given."""
    spec = dict(data.get("spec") or {})
    fill(spec, minReplicas=1)
    if not spec.get("metrics"):
        spec["metrics"] = [_of_cpu(80)]
    if spec.get("behavior") is not None:
        given = spec["behavior"]
        up, down = dict(given.get("scaleUp") or {}), dict(given.get("scaleDown") or {})
        fill_pointers(up, stabilizationWindowSeconds=0, selectPolicy="Max", policies=[_FOUR_PODS, _ALL])
        fill_pointers(down, selectPolicy="Max", policies=[_ALL])
        spec["behavior"] = {**given, "scaleUp": up, "scaleDown": down}
    return {**data, "spec": spec}


_ALL = {"type": "Percent", "value": 100, "periodSeconds": 15}
_FOUR_PODS = {"type": "Pods", "value": 4, "periodSeconds": 15}


def _of_cpu(percent: int) -> Json:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def convert_autoscaler(data: Mapping[str, Any]) -> Json:
    """An autoscaler of autoscaling/v1, which knows the CPU alone, as one of v2."""
    spec, status = dict(data.get("spec") or {}), dict(data.get("status") or {})
    percent = spec.pop("targetCPUUtilizationPercentage", None)
    if percent is not None:
        spec["metrics"] = [_of_cpu(percent)]
    status.pop("currentCPUUtilizationPercentage", None)
    found = {**data, "apiVersion": "autoscaling/v2", "spec": spec}
    return found | {"status": status} if "status" in data else found


def default_limit_range(data: Mapping[str, Any]) -> Json:
    """Of containers: the limit is the maximum, the request the limit, where nothing else is said."""
    spec = dict(data.get("spec") or {})
    limits = [_default_limits(item) for item in spec.get("limits") or ()]
    return {**data, "spec": {**spec, "limits": limits}}


def _default_limits(item: Mapping[str, Any]) -> Json:
    found = dict(item)
    if found.get("type") == "Container":
        limits = {**(found.get("max") or {}), **(found.get("default") or {})}
        requests = {**(found.get("min") or {}), **limits, **(found.get("defaultRequest") or {})}
        found |= {
            group: given for group, given in (("default", limits), ("defaultRequest", requests)) if given
        }
    return found


def default_binding(data: Mapping[str, Any]) -> Json:
    """Roles, users and groups are of the API group of access rules."""
    found, group = dict(data), {"apiGroup": RBAC_GROUP}
    if found.get("roleRef") is not None:
        found["roleRef"] = {**group, **{name: value for name, value in found["roleRef"].items() if value}}
    if found.get("subjects"):
        found["subjects"] = [
            {**group, **one} if one.get("kind") in ("User", "Group") else one for one in found["subjects"]
        ]
    return found


def default_definition(data: Mapping[str, Any]) -> Json:
    """The names that follow from others; versions are not converted, or by a webhook with a port."""
    given = data.get("spec")
    if not isinstance(given, dict):
        return dict(data)
    spec = fill_names(given)
    webhook = (spec["conversion"] or {}).get("webhook") or {}
    if webhook.get("clientConfig"):
        asked = {**webhook, "clientConfig": with_port(webhook["clientConfig"])}
        spec["conversion"] = {**spec["conversion"], "webhook": asked}
    return {**data, "spec": spec}


def default_priority_class(data: Mapping[str, Any]) -> Json:
    """Its pods may push others out."""
    found = dict(data)
    fill_pointers(found, preemptionPolicy="PreemptLowerPriority", value=0)
    return found


def default_storage_class(data: Mapping[str, Any]) -> Json:
    """Its volumes are bound at once, and go with their claims."""
    found = dict(data)
    fill_pointers(found, reclaimPolicy="Delete", volumeBindingMode="Immediate")
    return found


def default_network_policy(spec: Mapping[str, Any], gates: Mapping[str, bool]) -> Json:
    """What comes in is ruled in any case, what goes out where it says something of that."""
    found = dict(spec)
    fill_pointers(found, podSelector={})
    if not found.get("policyTypes"):
        found["policyTypes"] = ["Ingress", *(["Egress"] if found.get("egress") else [])]
    for way in ("ingress", "egress"):
        if found.get(way):
            found[way] = [with_protocols(rule) for rule in found[way]]
    return found


def default_namespace(data: Mapping[str, Any]) -> Json:
    """Every namespace carries its name as a label, so that selectors can find it, and begins as active."""
    metadata = dict(data.get("metadata") or {})
    if metadata.get("name"):
        own = {"kubernetes.io/metadata.name": metadata["name"]}
        metadata["labels"] = {**(metadata.get("labels") or {}), **own}
    status = data.get("status") or {"phase": "Active"}
    spec = data.get("spec") or {}
    if not metadata.get("deletionTimestamp"):
        own_finalizers = [one for one in spec.get("finalizers") or () if one != "kubernetes"]
        spec = {**spec, "finalizers": [*own_finalizers, "kubernetes"]}
    return {**data, "metadata": metadata, "spec": spec, "status": status}
