"""What the API server fills in before it stores an object.

Pure: a new object comes out, the one that went in is never touched. Parts that need no default are shared.
Addresses, uids and times are given by the store, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...heart.settings import FEATURE_DEFAULTS
from ...objects.kinds import KINDS
from .others import (
    default_autoscaler,
    default_claim,
    default_namespace,
    default_priority_class,
    default_secret,
    default_service,
    default_storage_class,
    default_volume,
)
from .pods import Json, default_pod, default_pull_policy
from .workloads import (
    default_cron_job,
    default_daemon_set,
    default_deployment,
    default_job,
    default_replica_set,
    default_replication_controller,
    default_stateful_set,
    default_template,
)

__all__ = ["apply_defaults", "default_pull_policy", "default_template"]

DEFAULT_NAMESPACE = "default"

_OF_SPEC: dict[str, Callable[[Mapping[str, Any], Mapping[str, bool]], Json]] = {
    "Pod": default_pod,
    "Deployment": default_deployment,
    "ReplicaSet": default_replica_set,
    "ReplicationController": default_replication_controller,
    "StatefulSet": default_stateful_set,
    "DaemonSet": default_daemon_set,
    "Job": default_job,
    "CronJob": default_cron_job,
}
_OF_OBJECT: dict[str, Callable[[Mapping[str, Any]], Json]] = {
    "Service": default_service,
    "Secret": default_secret,
    "PersistentVolumeClaim": default_claim,
    "PersistentVolume": default_volume,
    "HorizontalPodAutoscaler": default_autoscaler,
    "PriorityClass": default_priority_class,
    "StorageClass": default_storage_class,
    "Namespace": default_namespace,
}


def apply_defaults(kind: str, data: Mapping[str, Any], gates: Mapping[str, bool] = FEATURE_DEFAULTS) -> Json:
    """The object with every default of Kubernetes v1.35 filled in. `gates`: the cluster's feature gates."""
    found: Json = dict(data)
    known = KINDS.get(kind)
    metadata = dict(found.get("metadata") or {})
    if (known is None or known.namespaced) and not metadata.get("namespace"):
        metadata["namespace"] = DEFAULT_NAMESPACE
    found["metadata"] = metadata
    if kind in _OF_SPEC and found.get("spec") is not None:
        found["spec"] = _OF_SPEC[kind](found["spec"], gates)
    elif kind in _OF_OBJECT:
        found = _OF_OBJECT[kind](found)
    return found
