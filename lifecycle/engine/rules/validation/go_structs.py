"""How the API server shows a struct as a refused value: every field by its name in Go, in Go's order.

Kubernetes checks objects in a form of its own, whose fields have no JSON names. Only the structs that some
rule refuses as a whole are here. A pointer or a list that is absent is null, a text or number its zero.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


class Nested(str):
    """The name of the struct that a field points to."""


class Listed(str):
    """The name of the struct that a field lists."""


class Tagged(tuple[str, ...]):
    """The fields of a struct that does have JSON names: in this order, the absent ones left out.

    One with a `!` is there in any case.
    """


ABSENT = None
_PROFILE = {"Type": "", "LocalhostProfile": ABSENT}
_ROLLING_STRATEGY = {"Type": "", "RollingUpdate": Nested("RollingUpdate")}

_STRUCTS: dict[str, dict[str, Any] | Tagged] = {
    "LabelSelector": Tagged(("matchLabels", "matchExpressions")),
    "OwnerReference": Tagged(("apiVersion!", "kind!", "name!", "uid!", "controller", "blockOwnerDeletion")),
    "RoleRef": {"APIGroup": "", "Kind": "", "Name": ""},
    "Capabilities": {"Add": ABSENT, "Drop": ABSENT},
    "SELinuxOptions": {"User": "", "Role": "", "Type": "", "Level": ""},
    "WindowsOptions": {
        "GMSACredentialSpecName": ABSENT,
        "GMSACredentialSpec": ABSENT,
        "RunAsUserName": ABSENT,
        "HostProcess": ABSENT,
    },
    "Profile": _PROFILE,
    "SecurityContext": {
        "Capabilities": Nested("Capabilities"),
        "Privileged": ABSENT,
        "SELinuxOptions": Nested("SELinuxOptions"),
        "WindowsOptions": Nested("WindowsOptions"),
        "RunAsUser": ABSENT,
        "RunAsGroup": ABSENT,
        "RunAsNonRoot": ABSENT,
        "ReadOnlyRootFilesystem": ABSENT,
        "AllowPrivilegeEscalation": ABSENT,
        "ProcMount": ABSENT,
        "SeccompProfile": Nested("Profile"),
        "AppArmorProfile": Nested("Profile"),
    },
    "PodDisruptionBudgetSpec": {
        "MinAvailable": ABSENT,
        "Selector": Nested("LabelSelector"),
        "MaxUnavailable": ABSENT,
        "UnhealthyPodEvictionPolicy": ABSENT,
    },
    "NodeSelectorTerm": {
        "MatchExpressions": Listed("NodeSelectorRequirement"),
        "MatchFields": Listed("NodeSelectorRequirement"),
    },
    "NodeSelectorRequirement": {"Key": "", "Operator": "", "Values": ABSENT},
    "PodResourceClaim": {"Name": "", "ResourceClaimName": ABSENT, "ResourceClaimTemplateName": ABSENT},
    "ServicePort": {
        "Name": "",
        "Protocol": "",
        "AppProtocol": ABSENT,
        "Port": 0,
        "TargetPort": 0,
        "NodePort": 0,
    },
    "ScopeSelector": {"MatchExpressions": Listed("ScopedResourceSelectorRequirement")},
    "ScopedResourceSelectorRequirement": {"ScopeName": "", "Operator": "", "Values": ABSENT},
    "Toleration": {"Key": "", "Operator": "", "Value": "", "Effect": "", "TolerationSeconds": ABSENT},
    "RollingUpdate": {"MaxUnavailable": 0, "MaxSurge": 0},
    "DeploymentStrategy": _ROLLING_STRATEGY,
    "DaemonSetUpdateStrategy": _ROLLING_STRATEGY,
    "RollingUpdateStatefulSet": {"Partition": 0, "MaxUnavailable": ABSENT},
    "StatefulSetUpdateStrategy": {"Type": "", "RollingUpdate": Nested("RollingUpdateStatefulSet")},
    "PodFailurePolicy": {"Rules": Listed("PodFailurePolicyRule")},
    "PodFailurePolicyRule": {
        "Action": "",
        "OnExitCodes": Nested("OnExitCodes"),
        "OnPodConditions": Listed("OnPodConditions"),
    },
    "OnExitCodes": {"ContainerName": ABSENT, "Operator": "", "Values": ABSENT},
    "OnPodConditions": {"Type": "", "Status": ""},
    "UncountedTerminatedPods": {"Succeeded": ABSENT, "Failed": ABSENT},
    "SuccessPolicy": {"Rules": Listed("SuccessPolicyRule")},
    "SuccessPolicyRule": {"SucceededIndexes": ABSENT, "SucceededCount": ABSENT},
}
_JSON_NAMES = {
    "APIGroup": "apiGroup",
    "SELinuxOptions": "seLinuxOptions",
    "GMSACredentialSpecName": "gmsaCredentialSpecName",
    "GMSACredentialSpec": "gmsaCredentialSpec",
}


class GoText(str):
    """A value as it is written in a refusal already."""


def show_struct(name: str, data: Mapping[str, Any]) -> GoText:
    """A struct, given as JSON has it, as the API server writes it in a refusal."""
    return GoText(json.dumps(_fill(name, data), ensure_ascii=False, separators=(",", ":")))


def show_texts(texts: list[str]) -> str:
    """A list of texts as Go writes it with its type."""
    names = ", ".join(json.dumps(text, ensure_ascii=False) for text in texts)
    return f"[]string{{{names}}}"


def _fill(name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    fields = _STRUCTS[name]
    if isinstance(fields, Tagged):
        shown = [field.rstrip("!") for field in fields if field.endswith("!") or data.get(field)]
        return {field: _in_order(field, data.get(field) or "") for field in shown}
    return {field: _value_of(field, zero, data) for field, zero in fields.items()}


def _in_order(field: str, value: Any) -> Any:
    if field == "matchExpressions":
        return [{"key": "", "operator": "", **_without_empty(_sorted(entry))} for entry in value]
    return _sorted(value)


def _without_empty(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if value}


def _value_of(field: str, zero: Any, data: Mapping[str, Any]) -> Any:
    value = data.get(_JSON_NAMES.get(field) or field[0].lower() + field[1:])
    if isinstance(zero, Nested):
        return _fill(zero, value) if value is not None else None
    if isinstance(zero, Listed):
        return [_fill(zero, entry) for entry in value] if value is not None else None
    return _sorted(value) if value is not None else zero


def _sorted(value: Any) -> Any:
    """Maps by their keys, as Go writes them."""
    if isinstance(value, Mapping):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
