"""What people are told of an autoscaler: a sentence, and each of its metrics beside its target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.quantity import parse_quantity
from ..scaling.vertical_scaling import AUTO, INITIAL, LEAST_REPLICAS, OFF

Json = Mapping[str, Any]
_FIELDS = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric: name, value and target as texts ("": not known), the value in per cent of the target."""

    name: str
    value: str
    target: str
    percent: int | None


def list_measured(spec: Json, status: Json) -> list[Measured]:
    """The metrics of an autoscaler, in their order, as they were seen last."""
    wanted, seen = spec.get("metrics") or (), status.get("currentMetrics") or ()
    return [_measure(one, seen[index] if index < len(seen) else {}) for index, one in enumerate(wanted)]


def _measure(wanted: Json, seen: Json) -> Measured:
    field = _FIELDS.get(str(wanted.get("type") or ""), "")
    source: Json = wanted.get(field) or {}
    target, current = source.get("target") or {}, (seen.get(field) or {}).get("current") or {}
    name = str(source.get("name") or (source.get("metric") or {}).get("name") or "")
    described = source.get("describedObject") or {}
    of = source.get("container") or (f"{described.get('kind')}/{described.get('name')}" if described else "")
    name = f"{name} of {of}" if of else name
    if target.get("averageUtilization") is not None:
        value, goal = current.get("averageUtilization"), target["averageUtilization"]
        percent = None if value is None else value * 100 // goal
        return Measured(name, "" if value is None else f"{value}%", f"{goal}%", percent)
    kind = "averageValue" if target.get("averageValue") is not None else "value"
    goal, value = target.get(kind), current.get(kind)
    each = " a pod" if kind == "averageValue" else ""
    percent = None if value is None or goal is None else _share(value, goal)
    return Measured(name, "" if value is None else f"{value}{each}", f"{goal}{each}", percent)


def _share(value: Any, goal: Any) -> int | None:
    try:
        return int(parse_quantity(value) / (parse_quantity(goal) or Fraction(1)) * 100)
    except ValueError:
        return None


def tell_lack(message: str) -> str:
    """Where a message of Kubernetes says that there are no metrics, what tells them here; else ""."""
    if "resource metrics API" in message:
        return (
            "there are metrics of its pods where `usage` of a behaviour says what they use, or"
            " podline.dev/load of a Service"
        )
    if "custom metrics" in message or "external metrics" in message:
        return "there is such a metric where the annotation podline.dev/metrics says its values"
    return ""


def tell_autoscaler(spec: Json, status: Json) -> str:
    """One sentence: what it holds the replicas at, by what, and what limits it."""
    target = spec.get("scaleTargetRef") or {}
    whom = f"{target.get('kind', '')}/{target.get('name', '')}"
    conditions = status.get("conditions") or ()
    if not conditions:
        return f"Has not looked at {whom} yet: it does so when its first period is over."
    replicas = status.get("currentReplicas") or 0
    able, active, limited = (
        _find(conditions, name) for name in ("AbleToScale", "ScalingActive", "ScalingLimited")
    )
    if able.get("status") == "False":
        return f"Cannot scale {whom}: {able.get('message', '')}."
    if active.get("reason") == "ScalingDisabled":
        return f"Rests: {whom} was scaled to 0, and an autoscaler does not wake it."
    if active.get("status") == "False":
        message = str(active.get("message") or "")
        lack = tell_lack(message)
        cure = f" {lack[:1].upper()}{lack[1:]}." if lack else ""
        return f"Leaves {whom} at {_pods(replicas)}: {message}.{cure}"
    desired = status.get("desiredReplicas") or 0
    told = [
        f"Scales {whom} from {replicas} to {desired}"
        if desired != replicas
        else f"Holds {whom} at {_pods(replicas)}"
    ]
    measured = [one for one in list_measured(spec, status) if one.value]
    told += [f"{one.name} is at {one.value} of {one.target}" for one in measured]
    if limited.get("status") == "True":
        told.append(f"limited: {limited.get('message', '')}")
    if str(able.get("reason")).endswith("Stabilized"):
        told.append(str(able.get("message", "")))
    return "; ".join(told) + "."


def tell_vertical(autoscaler: Json, pods: int) -> str:
    """`recommends app: cpu 587m; evicts nobody: of Deployment/one 1 pod runs, and fewer than 2 …`

    `pods`: how many of its target run.
    """
    spec, status = autoscaler.get("spec") or {}, autoscaler.get("status") or {}
    for one in status.get("conditions") or ():
        if one.get("type") == "ConfigUnsupported" and one.get("status") == "True":
            return f"recommends nothing: {one.get('message', '')}"
    found = (status.get("recommendation") or {}).get("containerRecommendations") or ()
    if not found:
        return "recommends nothing yet: it has seen no pod of its target"
    told = [
        f"recommends {one.get('containerName')}:"
        f" {', '.join(f'{name} {amount}' for name, amount in (one.get('target') or {}).items())}"
        for one in found
    ]
    return "; ".join([*told, _tell_applied(spec, pods)])


def _tell_applied(spec: Json, pods: int) -> str:
    policy, target = spec.get("updatePolicy") or {}, spec.get("targetRef") or {}
    mode = policy.get("updateMode") or AUTO
    if mode in (OFF, INITIAL):
        return f"evicts nobody: updateMode is {mode}{', so new pods alone get it' if mode == INITIAL else ''}"
    least = max(policy.get("minReplicas") or LEAST_REPLICAS, 1)
    if pods >= least:
        return "evicts pods whose requests are out of its bounds"
    runs = f"of {target.get('kind')}/{target.get('name')} {pods} pod{' runs' if pods == 1 else 's run'}"
    return f"evicts nobody: {runs}, and fewer than {least} are left alone (updatePolicy.minReplicas)"


def _pods(count: int) -> str:
    return f"{count} replica{'' if count == 1 else 's'}"


def _find(conditions: Sequence[Json], type: str) -> Json:
    return next((one for one in conditions if one.get("type") == type), {})
