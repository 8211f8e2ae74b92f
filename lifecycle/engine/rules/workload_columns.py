"""The columns kubectl prints for workloads, from their JSON: one reading for typed and untyped kinds.

Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob, HorizontalPodAutoscaler, PodDisruptionBudget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..objects.meta import StoredObject
from ..objects.times import parse_time_or_none
from .ages import age_text, human_duration

NONE, UNSET, UNKNOWN = "<none>", "<unset>", "<unknown>"

Json = Mapping[str, Any]
Columns = dict[str, Any]

_MORE_METRICS = 2


def decide_workload_columns(
    data: Json, now_ms: int, *, epoch_ms: int = 0, wide: bool = False
) -> dict[str, Any]:
    """The columns of one object, in kubectl's order. Counts are integers, all else text.

    `data` is the API form with its `kind`. Raises KeyError for a kind without columns of its own.
    """
    maker = WORKLOAD_COLUMNS[data["kind"]]
    meta: Json = data.get("metadata") or {}
    spec: Json = data.get("spec") or {}
    status: Json = data.get("status") or {}
    clock = _Clock(now_ms, epoch_ms)
    columns: Columns = {"NAME": meta.get("name", "")}
    columns.update(maker(meta, spec, status, clock))
    columns["AGE"] = clock.age(meta.get("creationTimestamp"))
    if wide:
        columns.update(_wide(data["kind"], spec))
    return columns


class _Clock:
    """Ages of API times at one instant."""

    def __init__(self, now_ms: int, epoch_ms: int) -> None:
        self.now_ms = now_ms
        self.epoch_ms = epoch_ms

    def at(self, text: str | None) -> int | None:
        return parse_time_or_none(text, self.epoch_ms)

    def age(self, text: str | None) -> str:
        return age_text(self.at(text), self.now_ms)


def _count(data: Json, name: str) -> int:
    return data.get(name) or 0


def _wanted(spec: Json) -> int:
    replicas = spec.get("replicas")
    return 0 if replicas is None else int(replicas)


def _deployment(meta: Json, spec: Json, status: Json, clock: _Clock) -> Columns:
    return {
        "READY": f"{_count(status, 'readyReplicas')}/{_wanted(spec)}",
        "UP-TO-DATE": _count(status, "updatedReplicas"),
        "AVAILABLE": _count(status, "availableReplicas"),
    }


def _replica_set(meta: Json, spec: Json, status: Json, clock: _Clock) -> Columns:
    return {
        "DESIRED": _wanted(spec),
        "CURRENT": _count(status, "replicas"),
        "READY": _count(status, "readyReplicas"),
    }


def _stateful_set(meta: Json, spec: Json, status: Json, clock: _Clock) -> Columns:
    return {"READY": f"{_count(status, 'readyReplicas')}/{_wanted(spec)}"}


def _daemon_set(meta: Json, spec: Json, status: Json, clock: _Clock) -> Columns:
    selector = ((spec.get("template") or {}).get("spec") or {}).get("nodeSelector")
    return {
        "DESIRED": _count(status, "desiredNumberScheduled"),
        "CURRENT": _count(status, "currentNumberScheduled"),
        "READY": _count(status, "numberReady"),
        "UP-TO-DATE": _count(status, "updatedNumberScheduled"),
        "AVAILABLE": _count(status, "numberAvailable"),
        "NODE SELECTOR": _labels_text(selector) or NONE,
    }


def _job(meta: Json, spec: Json, status: Json, clock: _Clock) -> Columns:
    return {
        "STATUS": job_status_text(meta, status),
        "COMPLETIONS": _completions(spec, status),
        "DURATION": _job_duration(status, clock),
    }


def job_status_text(meta: Json, status: Json) -> str:
    """STATUS of a Job: its first decisive condition, or Running."""
    held = {one.get("type") for one in status.get("conditions") or () if one.get("status") == "True"}
    for name in ("Complete", "Failed"):
        if name in held:
            return name
    if meta.get("deletionTimestamp"):
        return "Terminating"
    for name in ("Suspended", "FailureTarget", "SuccessCriteriaMet"):
        if name in held:
            return name
    return "Running"


def _completions(spec: Json, status: Json) -> str:
    succeeded = _count(status, "succeeded")
    if spec.get("completions") is not None:
        return f"{succeeded}/{spec['completions']}"
    # A work queue is done with the first success, however many pods run.
    parallelism = _count(spec, "parallelism")
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _job_duration(status: Json, clock: _Clock) -> str:
    started_ms, completed_ms = clock.at(status.get("startTime")), clock.at(status.get("completionTime"))
    if started_ms is None:
        return ""
    return human_duration((clock.now_ms if completed_ms is None else completed_ms) - started_ms)


def _cron_job(meta: Json, spec: Json, status: Json, clock: _Clock) -> Columns:
    suspend = spec.get("suspend")
    last = status.get("lastScheduleTime")
    return {
        "SCHEDULE": spec.get("schedule", ""),
        "TIMEZONE": NONE if spec.get("timeZone") is None else spec["timeZone"],
        "SUSPEND": UNSET if suspend is None else str(bool(suspend)),
        "ACTIVE": len(status.get("active") or ()),
        "LAST SCHEDULE": clock.age(last) if last else NONE,
    }


def _disruption_budget(meta: Json, spec: Json, status: Json, clock: _Clock) -> Columns:
    return {
        "MIN AVAILABLE": _or_not_given(spec.get("minAvailable")),
        "MAX UNAVAILABLE": _or_not_given(spec.get("maxUnavailable")),
        "ALLOWED DISRUPTIONS": _count(status, "disruptionsAllowed"),
    }


def _or_not_given(value: Any) -> str:
    return "N/A" if value is None else str(value)


def _autoscaler(meta: Json, spec: Json, status: Json, clock: _Clock) -> Columns:
    target = spec.get("scaleTargetRef") or {}
    least = spec.get("minReplicas")
    return {
        "REFERENCE": f"{target.get('kind', '')}/{target.get('name', '')}",
        "TARGETS": _metrics_text(spec.get("metrics") or (), status.get("currentMetrics") or ()),
        "MINPODS": UNSET if least is None else str(least),
        "MAXPODS": _count(spec, "maxReplicas"),
        "REPLICAS": _count(status, "currentReplicas"),
    }


def _metrics_text(wanted: Any, seen: Any) -> str:
    if not wanted:
        return NONE
    texts = [_metric_text(one, seen[index] if index < len(seen) else {}) for index, one in enumerate(wanted)]
    shown = ", ".join(texts[:_MORE_METRICS])
    more = len(texts) - _MORE_METRICS
    return f"{shown} + {more} more..." if more > 0 else shown


_METRIC_FIELDS = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def _metric_text(wanted: Json, seen: Json) -> str:
    kind = wanted.get("type", "")
    field = _METRIC_FIELDS.get(kind)
    if field is None:
        return "<unknown type>"
    source = wanted.get(field) or {}
    target = source.get("target") or {}
    current = (seen.get(field) or {}).get("current") or {}
    if kind in ("Resource", "ContainerResource"):
        return f"{source.get('name', '')}: {_resource_text(target, current)}"
    if kind == "Pods":
        return f"{current.get('averageValue') or UNKNOWN}/{target.get('averageValue')}"
    if target.get("averageValue") is not None:
        return f"{current.get('averageValue') or UNKNOWN}/{target['averageValue']} (avg)"
    return f"{current.get('value') or UNKNOWN}/{target.get('value')}"


def _resource_text(target: Json, current: Json) -> str:
    if target.get("averageValue") is not None:
        return f"{current.get('averageValue') or UNKNOWN}/{target['averageValue']}"
    now, goal = current.get("averageUtilization"), target.get("averageUtilization")
    return f"{UNKNOWN if now is None else f'{now}%'}/{'<auto>' if goal is None else f'{goal}%'}"


WORKLOAD_COLUMNS: dict[str, Callable[[Json, Json, Json, _Clock], Columns]] = {
    "Deployment": _deployment,
    "ReplicaSet": _replica_set,
    "StatefulSet": _stateful_set,
    "DaemonSet": _daemon_set,
    "Job": _job,
    "CronJob": _cron_job,
    "HorizontalPodAutoscaler": _autoscaler,
    "PodDisruptionBudget": _disruption_budget,
}
"""By kind: the columns between NAME and AGE."""

_WITH_SELECTOR = frozenset(("Deployment", "ReplicaSet", "DaemonSet", "Job", "CronJob"))
_WITHOUT_TEMPLATE = frozenset(("HorizontalPodAutoscaler", "PodDisruptionBudget"))


def _wide(kind: str, spec: Json) -> Columns:
    if kind in _WITHOUT_TEMPLATE:
        return {}
    if kind == "CronJob":
        spec = (spec.get("jobTemplate") or {}).get("spec") or {}
    containers = ((spec.get("template") or {}).get("spec") or {}).get("containers") or ()
    columns: Columns = {
        "CONTAINERS": ",".join(one.get("name", "") for one in containers),
        "IMAGES": ",".join(one.get("image", "") for one in containers),
    }
    if kind in _WITH_SELECTOR:
        text = selector_text(spec.get("selector"))
        # kubectl prints a Deployment's selector by another way, which leaves an empty one blank.
        columns["SELECTOR"] = text if text or kind == "Deployment" else NONE
    return columns


def selector_text(selector: Json | None) -> str:
    """A label selector on one line, sorted by key: `a=b,c in (d,e),!f`."""
    selector = selector or {}
    parts = [(key, f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()]
    for one in selector.get("matchExpressions") or ():
        key, values = one.get("key", ""), ",".join(sorted(one.get("values") or ()))
        forms = {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "DoesNotExist": f"!{key}"}
        parts.append((key, forms.get(one.get("operator", ""), key)))
    return ",".join(text for _, text in sorted(parts))


def _labels_text(labels: Json | None) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items()))


def count_ready(obj: StoredObject) -> tuple[int, int | None, str]:
    """(ready, wanted, status word) of a workload for its summary; wanted None where none is meant."""
    kind = obj.kind.name
    if kind in ("Deployment", "ReplicaSet"):
        return obj.status.ready_replicas, obj.spec.replicas, ""
    data = obj.to_json()
    meta, spec, status = data.get("metadata") or {}, data.get("spec") or {}, data.get("status") or {}
    if kind == "StatefulSet":
        wanted = spec.get("replicas")
        return _count(status, "readyReplicas"), 1 if wanted is None else int(wanted), ""
    if kind == "DaemonSet":
        return _count(status, "numberReady"), _count(status, "desiredNumberScheduled"), ""
    if kind == "Job":
        wanted = spec.get("completions")
        return (
            _count(status, "succeeded"),
            1 if wanted is None else int(wanted),
            job_status_text(meta, status),
        )
    return 0, None, ""
