"""What stands of a workload in the columns that kubectl prints between NAME and AGE, and in our lists.

From their JSON, which is one reading for typed and untyped kinds. Counts are integers, all else is text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.meta import StoredObject
from ...objects.quantity import canonical
from .ages import Ages, human_duration

NONE, UNSET, UNKNOWN = "<none>", "<unset>", "<unknown>"

Json = Mapping[str, Any]
Columns = dict[str, Any]

_MORE_METRICS = 2


def _count(data: Json, name: str) -> int:
    return data.get(name) or 0


def _wanted(spec: Json) -> int:
    replicas = spec.get("replicas")
    return 0 if replicas is None else int(replicas)


def decide_deployment_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """READY, UP-TO-DATE and AVAILABLE."""
    return {
        "READY": f"{_count(status, 'readyReplicas')}/{_wanted(spec)}",
        "UP-TO-DATE": _count(status, "updatedReplicas"),
        "AVAILABLE": _count(status, "availableReplicas"),
    }


def decide_replica_set_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """DESIRED, CURRENT and READY."""
    return {
        "DESIRED": _wanted(spec),
        "CURRENT": _count(status, "replicas"),
        "READY": _count(status, "readyReplicas"),
    }


def decide_stateful_set_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """READY alone."""
    return {"READY": f"{_count(status, 'readyReplicas')}/{_wanted(spec)}"}


def decide_daemon_set_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """Five counts of nodes, and which nodes it is for."""
    selector = ((spec.get("template") or {}).get("spec") or {}).get("nodeSelector")
    return {
        "DESIRED": _count(status, "desiredNumberScheduled"),
        "CURRENT": _count(status, "currentNumberScheduled"),
        "READY": _count(status, "numberReady"),
        "UP-TO-DATE": _count(status, "updatedNumberScheduled"),
        "AVAILABLE": _count(status, "numberAvailable"),
        "NODE SELECTOR": labels_text(selector) or NONE,
    }


def decide_job_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """STATUS, COMPLETIONS and DURATION."""
    return {
        "STATUS": job_status_text(meta, status),
        "COMPLETIONS": _completions(spec, status),
        "DURATION": _job_duration(status, ages),
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


def _job_duration(status: Json, ages: Ages) -> str:
    started_ms = ages.instant_of(status.get("startTime"))
    completed_ms = ages.instant_of(status.get("completionTime"))
    if started_ms is None:
        return ""
    return human_duration((ages.now_ms if completed_ms is None else completed_ms) - started_ms)


def decide_cron_job_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """SCHEDULE and what came of it so far."""
    suspend = spec.get("suspend")
    last = status.get("lastScheduleTime")
    return {
        "SCHEDULE": spec.get("schedule", ""),
        "TIMEZONE": NONE if spec.get("timeZone") is None else spec["timeZone"],
        "SUSPEND": UNSET if suspend is None else str(bool(suspend)),
        "ACTIVE": len(status.get("active") or ()),
        "LAST SCHEDULE": ages.age_of(last) if last else NONE,
    }


def decide_disruption_budget_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """What must stay, what may go, and how many may go now."""
    return {
        "MIN AVAILABLE": _or_not_given(spec.get("minAvailable")),
        "MAX UNAVAILABLE": _or_not_given(spec.get("maxUnavailable")),
        "ALLOWED DISRUPTIONS": _count(status, "disruptionsAllowed"),
    }


def _or_not_given(value: Any) -> str:
    return "N/A" if value is None else str(value)


def decide_autoscaler_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """What it scales, by what, and how far."""
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
        return _amounts_text("averageValue", target, current)
    if target.get("averageValue") is not None:
        return f"{_amounts_text('averageValue', target, current)} (avg)"
    return _amounts_text("value", target, current)


def _amounts_text(name: str, target: Json, current: Json) -> str:
    amounts = (current.get(name), target.get(name))
    now, goal = (UNKNOWN if one is None else canonical(one) for one in amounts)
    return f"{now}/{goal}"


def _resource_text(target: Json, current: Json) -> str:
    if target.get("averageValue") is not None:
        return _amounts_text("averageValue", target, current)
    now, goal = current.get("averageUtilization"), target.get("averageUtilization")
    return f"{UNKNOWN if now is None else f'{now}%'}/{'<auto>' if goal is None else f'{goal}%'}"


# --- what `-o wide` adds ------------------------------------------------------------------------------------


def decide_container_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """The containers and images of a workload's template."""
    containers = ((spec.get("template") or {}).get("spec") or {}).get("containers") or ()
    return {
        "CONTAINERS": ",".join(one.get("name", "") for one in containers),
        "IMAGES": ",".join(one.get("image", "") for one in containers),
    }


def decide_selector_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """The same, and the selector."""
    columns = decide_container_columns(meta, spec, status, ages)
    return {**columns, "SELECTOR": selector_text(spec.get("selector")) or NONE}


def decide_label_selector_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """The same, of a selector that is a plain map of labels."""
    columns = decide_container_columns(meta, spec, status, ages)
    return {**columns, "SELECTOR": labels_text(spec.get("selector")) or NONE}


def decide_wide_deployment_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """The same; kubectl prints a Deployment's selector by another way, which leaves an empty one blank."""
    columns = decide_container_columns(meta, spec, status, ages)
    return {**columns, "SELECTOR": selector_text(spec.get("selector"))}


def decide_wide_cron_job_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> Columns:
    """Those of the Job that it makes."""
    return decide_selector_columns(meta, (spec.get("jobTemplate") or {}).get("spec") or {}, status, ages)


def selector_text(selector: Json | None) -> str:
    """A label selector on one line, sorted by key: `a=b,c in (d,e),!f`."""
    selector = selector or {}
    parts = [(key, f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()]
    for one in selector.get("matchExpressions") or ():
        key, values = one.get("key", ""), ",".join(sorted(one.get("values") or ()))
        forms = {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "DoesNotExist": f"!{key}"}
        parts.append((key, forms.get(one.get("operator", ""), key)))
    # Of one key the label comes first, then what is asked of it in its order.
    return ",".join(text for _, text in sorted(parts, key=lambda part: part[0]))


def labels_text(labels: Json | None) -> str:
    """Labels on one line, sorted by key: `a=b,c=d`."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items()))


# --- summaries ----------------------------------------------------------------------------------------------


def summarize_counts(obj: StoredObject, ready: int, wanted: int) -> Columns:
    """What lists show of an object that wants so many pods ready."""
    state = "ready" if ready >= wanted else "notReady"
    return {"ready": f"{ready}/{wanted}"} | ({"state": state} | summarize_end(obj))


def summarize_end(obj: StoredObject) -> Columns:
    """What lists show of an object of which only its end is to be seen."""
    return {"state": "terminating"} if obj.meta.deletion_ms is not None else {}


def summarize_daemon_set(obj: StoredObject) -> Columns:
    """READY of a DaemonSet, which wants a pod on every node that it is for."""
    status = obj.status_json() or {}
    return summarize_counts(obj, _count(status, "numberReady"), _count(status, "desiredNumberScheduled"))


def summarize_job(obj: StoredObject) -> Columns:
    """Completions of a Job, and how it ended."""
    data = obj.to_json()
    wanted, status = (data.get("spec") or {}).get("completions"), data.get("status") or {}
    text = job_status_text(data["metadata"], status)
    counts = summarize_counts(obj, _count(status, "succeeded"), 1 if wanted is None else int(wanted))
    ended = {"state": _JOB_STATES[text]} if text in _JOB_STATES else {}
    return {**counts, "status": text, **ended, **summarize_end(obj)}


_JOB_STATES = {"Complete": "succeeded", "Failed": "failed"}
