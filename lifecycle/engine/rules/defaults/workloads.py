"""Defaults of workloads: replicas, strategies, deadlines, and those of their templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...heart.settings import FEATURE_DEFAULTS
from ...releases.gates import is_enabled
from .pods import Json, default_pod_spec, fill, fill_pointers

Gates = Mapping[str, bool]


def default_template(template: Mapping[str, Any], gates: Gates) -> Json:
    """A pod template: its spec's defaults, without what only a real pod gets."""
    found = dict(template)
    found["metadata"] = dict(found.get("metadata") or {})
    found["spec"] = default_pod_spec(found.get("spec") or {}, gates)
    return found


def default_pod_template(data: Mapping[str, Any]) -> Json:
    """A PodTemplate is nothing but its template."""
    return {**data, "template": default_template(data.get("template") or {}, FEATURE_DEFAULTS)}


def _with_template(spec: Mapping[str, Any], gates: Gates) -> Json:
    # A template that is left out is an empty one.
    return {**spec, "template": default_template(spec.get("template") or {}, gates)}


def _default_strategy(strategy: Mapping[str, Any] | None, **rolling: Any) -> Json:
    """How pods are replaced: step by step unless it says otherwise, and then with these steps."""
    found = dict(strategy or {})
    found["type"] = found.get("type") or "RollingUpdate"
    if found["type"] == "RollingUpdate":
        found["rollingUpdate"] = dict(found.get("rollingUpdate") or {})
        fill_pointers(found["rollingUpdate"], **rolling)
    return found


def default_deployment(spec: Mapping[str, Any], gates: Gates) -> Json:
    """DEP-SPEC-07 and the rest: 1 replica, 25 % either way, 600 s to progress, 10 revisions."""
    found = _with_template(spec, gates)
    fill(found, replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600)
    found["strategy"] = _default_strategy(found.get("strategy"), maxUnavailable="25%", maxSurge="25%")
    return found


def default_replica_set(spec: Mapping[str, Any], gates: Gates) -> Json:
    """1 replica."""
    found = _with_template(spec, gates)
    fill(found, replicas=1)
    return found


def default_replication_controller(spec: Mapping[str, Any], gates: Gates) -> Json:
    """Its selector may be left out: then it is the template's labels."""
    if spec.get("template") is None:
        return {"replicas": 1, **spec}
    found = default_replica_set(spec, gates)
    labels = _template_labels(found)
    if labels and not found.get("selector"):
        found["selector"] = dict(labels)
    return found


def label_like_template(data: Mapping[str, Any]) -> Json:
    """A ReplicationController has its template's labels, unless it says others."""
    metadata, labels = data.get("metadata") or {}, _template_labels(data.get("spec") or {})
    if not labels or metadata.get("labels"):
        return dict(data)
    return {**data, "metadata": {**metadata, "labels": dict(labels)}}


def _template_labels(spec: Mapping[str, Any]) -> Mapping[str, str] | None:
    labels: Mapping[str, str] | None = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    return labels


def default_stateful_set(spec: Mapping[str, Any], gates: Gates) -> Json:
    """1 replica, pods one after the other, all of them updated, claims that stay."""
    found = _with_template(spec, gates)
    fill(found, replicas=1, revisionHistoryLimit=10, podManagementPolicy="OrderedReady")
    found["updateStrategy"] = _default_stateful_strategy(found.get("updateStrategy"), gates)
    retention = found.get("persistentVolumeClaimRetentionPolicy") or {}
    retention = {"whenDeleted": "Retain", "whenScaled": "Retain", **retention}
    found["persistentVolumeClaimRetentionPolicy"] = retention
    if found.get("volumeClaimTemplates"):
        found["volumeClaimTemplates"] = [_default_claim(claim) for claim in found["volumeClaimTemplates"]]
    return found


def _default_stateful_strategy(strategy: Mapping[str, Any] | None, gates: Gates) -> Json:
    """A partition of 0, but where a type is given and nothing else.

    Without the gate MaxUnavailableStatefulSet that field is not stored (STS-MAXU-03).
    """
    found = dict(strategy or {})
    if not found.get("type"):
        found |= {"type": "RollingUpdate", "rollingUpdate": found.get("rollingUpdate") or {}}
    if found.get("rollingUpdate") is None:
        return found
    rolling = found["rollingUpdate"] = dict(found["rollingUpdate"])
    if not is_enabled(gates, "MaxUnavailableStatefulSet"):
        rolling.pop("maxUnavailable", None)
    elif found["type"] == "RollingUpdate":
        fill(rolling, maxUnavailable=1)
    if found["type"] == "RollingUpdate":
        fill(rolling, partition=0)
    return found


def _default_claim(claim: Mapping[str, Any]) -> Json:
    base = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": {"phase": "Pending"}}
    return {**base, **claim, "spec": {"volumeMode": "Filesystem", **(claim.get("spec") or {})}}


def default_daemon_set(spec: Mapping[str, Any], gates: Gates) -> Json:
    """One node at a time, 10 revisions."""
    found = _with_template(spec, gates)
    fill(found, revisionHistoryLimit=10)
    found["updateStrategy"] = _default_strategy(found.get("updateStrategy"), maxUnavailable=1, maxSurge=0)
    return found
