"""Fields that an API server drops without a word while their feature gate is off: what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ..objects.pods.pod import POD_KIND
from ..objects.workloads.stateful_set import STATEFUL_SET_KIND
from ..releases.gates import is_enabled
from .pod_specs import find_pod_spec
from .references import name_subject
from .registry import kind_of_json
from .unmodelled import find_values, name_users

Json = Mapping[str, Any]


class GatedField(NamedTuple):
    """A field by its path, of a kind or of the pods of all kinds, and the gate that it needs."""

    path: str
    gate: str
    kind: str = POD_KIND.id


GATED_FIELDS = (
    GatedField(
        "spec.updateStrategy.rollingUpdate.maxUnavailable", "MaxUnavailableStatefulSet", STATEFUL_SET_KIND.id
    ),
    GatedField("spec.behavior.scaleUp.tolerance", "HPAConfigurableTolerance", "HorizontalPodAutoscaler"),
    GatedField("spec.behavior.scaleDown.tolerance", "HPAConfigurableTolerance", "HorizontalPodAutoscaler"),
    GatedField("hostnameOverride", "HostnameOverride"),
    GatedField("containers[].env[].valueFrom.fileKeyRef", "EnvFiles"),
    GatedField("initContainers[].env[].valueFrom.fileKeyRef", "EnvFiles"),
    GatedField("containers[].restartPolicy", "ContainerRestartRules"),
    GatedField("containers[].restartPolicyRules", "ContainerRestartRules"),
    GatedField("initContainers[].restartPolicyRules", "ContainerRestartRules"),
    GatedField("containers[].lifecycle.stopSignal", "ContainerStopSignals"),
    GatedField("initContainers[].lifecycle.stopSignal", "ContainerStopSignals"),
)


def list_dropped(objects: Iterable[Json], gates: Mapping[str, bool]) -> list[str]:
    """One line for each such field that objects set, with who sets it."""
    users: dict[GatedField, dict[str, None]] = {}
    closed = [one for one in GATED_FIELDS if not is_enabled(gates, one.gate)]
    for data in objects:
        kind, pod = kind_of_json(data).id, find_pod_spec(data)
        for one in closed:
            found = find_values(pod if one.kind == POD_KIND.id else data, one.path)
            if one.kind in (POD_KIND.id, kind) and any(value is not None for value in found):
                users.setdefault(one, {})[name_subject(data)] = None
    return [
        f"{name_users(one.kind, one.path, list(users[one]))}: dropped, as Kubernetes drops it while the"
        f" feature gate {one.gate} is off"
        for one in closed
        if one in users
    ]
