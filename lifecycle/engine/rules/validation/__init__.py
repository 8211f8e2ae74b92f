"""What the API server refuses, in its own words.

Structure (unknown fields, wrong types) is checked before; here every value is looked at. Pure: the object in,
its errors out. What needs the live cluster (quota, names taken, budgets) is the engine's answer to a command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...heart.settings import FEATURE_DEFAULTS
from .field_error import FieldError, forbidden, invalid
from .kubelet_config import validate_kubelet_configuration, validate_subordinate_ids
from .metadata import validate_metadata, validate_metadata_update
from .names import check_label
from .nodes import validate_node
from .others import validate_budget, validate_config, validate_service
from .pod_security import validate_level
from .pod_updates import validate_ephemeral_update, validate_new_pod, validate_pod_update, validate_resize
from .quotas import validate_quota
from .workloads import (
    validate_cron_job,
    validate_daemon_set,
    validate_deployment,
    validate_job_spec,
    validate_replica_set,
    validate_replication_controller,
    validate_stateful_set,
)

__all__ = [
    "FieldError",
    "list_warnings",
    "validate_create",
    "validate_kubelet_configuration",
    "validate_subordinate_ids",
    "validate_update",
]

Object = Mapping[str, Any]

_WORKLOADS: dict[str, Callable[[Mapping[str, Any], Mapping[str, bool]], list[FieldError]]] = {
    "Deployment": validate_deployment,
    "ReplicaSet": validate_replica_set,
    "StatefulSet": validate_stateful_set,
    "DaemonSet": validate_daemon_set,
    "ReplicationController": validate_replication_controller,
    "Job": validate_job_spec,
    "CronJob": validate_cron_job,
}
_IMMUTABLE_SELECTORS = ("Deployment", "ReplicaSet", "DaemonSet")
_STATEFUL_MUTABLE = (
    "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
)  # fmt: skip
_TEMPLATED = tuple(kind for kind in _WORKLOADS if kind != "CronJob")
_HOST_NAME_KINDS = ("Deployment", "ReplicaSet", "StatefulSet", "Job", "CronJob", "ReplicationController")


def validate_create(data: Object, gates: Mapping[str, bool] = FEATURE_DEFAULTS) -> list[FieldError]:
    """Everything wrong with a new object whose defaults are applied."""
    kind = data.get("kind", "")
    return validate_metadata(kind, data.get("metadata") or {}) + _validate_content(kind, data, gates)


def _validate_content(kind: str, data: Object, gates: Mapping[str, bool]) -> list[FieldError]:
    spec = data.get("spec") or {}
    if kind in _WORKLOADS:
        return _WORKLOADS[kind](spec, gates)
    match kind:
        case "Pod":
            return validate_new_pod(data, gates)
        case "Service":
            return validate_service(spec)
        case "ConfigMap":
            return validate_config(data, ("data", "binaryData"))
        case "Secret":
            return validate_config(data, ("data", "stringData"))
        case "PodDisruptionBudget":
            return validate_budget(spec)
        case "ResourceQuota":
            return validate_quota(spec)
        case "Node":
            return validate_node(data.get("status") or {})
        case "Namespace":
            return validate_level((data.get("metadata") or {}).get("labels") or {})
        case "KubeletConfiguration":
            return validate_kubelet_configuration(data)
    return []


def validate_update(
    old: Object,
    new: Object,
    subresource: str = "",
    gates: Mapping[str, bool] = FEATURE_DEFAULTS,
    decide_qos: Callable[[Mapping[str, Any]], str] | None = None,
) -> list[FieldError]:
    """Everything wrong with a change. `old` is what is stored, `new` what was asked for, defaults applied.

    `subresource`: "", `status`, `scale`, `resize` or `ephemeralcontainers`. A resize is held against the QoS
    class only when `decide_qos` (pod spec JSON in, class out) is given.
    """
    errors = validate_metadata_update(old.get("metadata") or {}, new.get("metadata") or {})
    kind = old.get("kind", "")
    match subresource:
        case "status":
            return errors + (validate_node(new.get("status") or {}) if kind == "Node" else [])
        case "ephemeralcontainers":
            return errors + validate_ephemeral_update(old, new, gates)
        case "resize":
            return errors + validate_resize(old, new, decide_qos or (lambda spec: ""))
    if kind == "Pod":
        return errors + validate_pod_update(old, new, gates)
    return errors + _validate_fixed_fields(kind, old, new) + _validate_content(kind, new, gates)


def _validate_fixed_fields(kind: str, old: Object, new: Object) -> list[FieldError]:
    """Fields a workload keeps for life (DEP-SEL-01, RS-SPEC-08)."""
    before, after = old.get("spec") or {}, new.get("spec") or {}
    if kind in _IMMUTABLE_SELECTORS and before.get("selector") != after.get("selector"):
        return [invalid("spec.selector", after.get("selector"), "field is immutable")]
    if kind == "StatefulSet":
        fields = sorted({*before, *after} - set(_STATEFUL_MUTABLE))
        if any(before.get(field) != after.get(field) for field in fields):
            names = ", ".join(f"'{field}'" for field in _STATEFUL_MUTABLE[:-1])
            allowed = f"{names} and '{_STATEFUL_MUTABLE[-1]}'"
            detail = f"updates to statefulset spec for fields other than {allowed} are forbidden"
            return [forbidden("spec", detail)]
    if kind == "Service":
        was, wanted = before.get("clusterIP"), after.get("clusterIP")
        if was and wanted and was != wanted:
            return [invalid("spec.clusterIPs[0]", [wanted], "may not change once set")]
    if kind == "Job":
        return [
            invalid(f"spec.{field}", after.get(field), "field is immutable")
            for field in ("completionMode", "selector", "template")
            if before.get(field) != after.get(field)
        ]
    return []


def list_warnings(data: Object) -> list[str]:
    """What the API server accepts but warns about (POD-OBJ-05)."""
    kind, name = data.get("kind", ""), (data.get("metadata") or {}).get("name") or ""
    warnings = []
    if name and check_label(name) and (kind == "Pod" or kind in _HOST_NAME_KINDS):
        use = "the Pod's hostname" if kind == "Pod" else "Pod names and hostnames"
        why = "must not contain dots" if "." in name else "must be no more than 63 characters"
        warnings.append(
            f"metadata.name: this is used in {use}, which can result in surprising behavior; "
            f"a DNS label is recommended: [{why}]"
        )
    spec = data.get("spec") or {}
    path, pod = ("spec", spec) if kind == "Pod" else ("spec.template.spec", _template_spec(kind, spec))
    if (pod.get("terminationGracePeriodSeconds") or 0) < 0:
        text = "must be >= 0; negative values are invalid and will be treated as 1"
        warnings.append(f"{path}.terminationGracePeriodSeconds: {text}")
    return warnings


def _template_spec(kind: str, spec: Any) -> Mapping[str, Any]:
    # Others may have a field of that name too, in which stands whatever they like.
    template = spec.get("template") if kind in _TEMPLATED else None
    found: Mapping[str, Any] = (template or {}).get("spec") or {}
    return found
