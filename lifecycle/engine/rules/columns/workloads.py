"""What stands of a workload in the columns that kubectl prints, and in our lists.

From their JSON, which is one reading for typed and untyped kinds. Counts are integers, all else is text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.meta import StoredObject
from ...objects.quantity import canonical
from .ages import Ages, human_duration
from .column import AGE, NONE, UNKNOWN, UNSET, Column, Columns, Fill, Row, count_of, wide

Json = Mapping[str, Any]

_MORE_METRICS = 2


def _of_spec(name: str) -> Fill:
    return lambda row: count_of(row.spec, name)


def _of_status(name: str) -> Fill:
    return lambda row: count_of(row.status, name)


# --- what `-o wide` adds ------------------------------------------------------------------------------------


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


def containers_text(template: Json, field: str) -> str:
    """A field of every container of a pod template, `name` or `image`, on one line."""
    containers = (template.get("spec") or {}).get("containers") or ()
    return ",".join(one.get(field, "") for one in containers)


def _of_containers(field: str) -> Fill:
    return lambda row: containers_text(row.spec.get("template") or {}, field)


_CONTAINERS = (wide("Containers", _of_containers("name")), wide("Images", _of_containers("image")))
_WIDE = (*_CONTAINERS, wide("Selector", lambda row: selector_text(row.spec.get("selector")) or NONE))

# --- sets of pods -------------------------------------------------------------------------------------------


def _wanted(spec: Json) -> int:
    replicas = spec.get("replicas")
    return 0 if replicas is None else int(replicas)


def _ready_of_wanted(row: Row) -> str:
    return f"{count_of(row.status, 'readyReplicas')}/{_wanted(row.spec)}"


def _node_selector(row: Row) -> str:
    return labels_text(((row.spec.get("template") or {}).get("spec") or {}).get("nodeSelector")) or NONE


DEPLOYMENT_COLUMNS = (
    Column("Ready", _ready_of_wanted),
    Column("Up-to-date", _of_status("updatedReplicas")),
    Column("Available", _of_status("availableReplicas")),
    AGE,
    *_CONTAINERS,
    # kubectl prints a Deployment's selector by another way, which leaves an empty one blank.
    wide("Selector", lambda row: selector_text(row.spec.get("selector"))),
)
_COUNTS = (
    Column("Desired", lambda row: _wanted(row.spec), "integer"),
    Column("Current", _of_status("replicas"), "integer"),
    Column("Ready", _of_status("readyReplicas"), "integer"),
    AGE,
)
REPLICA_SET_COLUMNS = (*_COUNTS, *_WIDE)
REPLICATION_CONTROLLER_COLUMNS = (
    *_COUNTS,
    *_CONTAINERS,
    wide("Selector", lambda row: labels_text(row.spec.get("selector")) or NONE),
)
STATEFUL_SET_COLUMNS = (Column("Ready", _ready_of_wanted), AGE, *_CONTAINERS)
DAEMON_SET_COLUMNS = (
    Column("Desired", _of_status("desiredNumberScheduled"), "integer"),
    Column("Current", _of_status("currentNumberScheduled"), "integer"),
    Column("Ready", _of_status("numberReady"), "integer"),
    Column("Up-to-date", _of_status("updatedNumberScheduled"), "integer"),
    Column("Available", _of_status("numberAvailable"), "integer"),
    Column("Node Selector", _node_selector),
    AGE,
    *_WIDE,
)
POD_TEMPLATE_COLUMNS = (
    Column("Containers", lambda row: containers_text(row.data.get("template") or {}, "name")),
    Column("Images", lambda row: containers_text(row.data.get("template") or {}, "image")),
    Column("Pod Labels", lambda row: labels_text(_template_labels(row)) or NONE),
)


def _template_labels(row: Row) -> Json | None:
    return ((row.data.get("template") or {}).get("metadata") or {}).get("labels")


def _revision_owner(row: Row) -> str:
    owner = next((one for one in row.meta.get("ownerReferences") or () if one.get("controller")), None)
    if owner is None:
        return NONE
    group = str(owner.get("apiVersion", "")).rpartition("/")[0]
    kind = f"{owner.get('kind', '')}{f'.{group}' if group else ''}".lower()
    return f"{kind}/{owner.get('name', '')}"


CONTROLLER_REVISION_COLUMNS = (
    Column("Controller", _revision_owner),
    Column("Revision", lambda row: count_of(row.data, "revision")),
    AGE,
)

# --- jobs ---------------------------------------------------------------------------------------------------


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
    succeeded = count_of(status, "succeeded")
    if spec.get("completions") is not None:
        return f"{succeeded}/{spec['completions']}"
    # A work queue is done with the first success, however many pods run.
    parallelism = count_of(spec, "parallelism")
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _job_duration(status: Json, ages: Ages) -> str:
    started_ms = ages.instant_of(status.get("startTime"))
    completed_ms = ages.instant_of(status.get("completionTime"))
    if started_ms is None:
        return ""
    return human_duration((ages.now_ms if completed_ms is None else completed_ms) - started_ms)


def _last_schedule(row: Row) -> str:
    last = row.status.get("lastScheduleTime")
    return row.ages.age_of(last) if last else NONE


def _suspend(row: Row) -> str:
    suspend = row.spec.get("suspend")
    return UNSET if suspend is None else str(bool(suspend))


def _of_job_template(column: Column) -> Column:
    """A column of the Job that a CronJob makes."""

    def fill(row: Row) -> Any:
        return column.fill(Row(row.spec.get("jobTemplate") or {}, row.ages, row.is_wide))

    return wide(column.name, fill)


JOB_COLUMNS = (
    Column("Status", lambda row: job_status_text(row.meta, row.status)),
    Column("Completions", lambda row: _completions(row.spec, row.status)),
    Column("Duration", lambda row: _job_duration(row.status, row.ages)),
    AGE,
    *_WIDE,
)
CRON_JOB_COLUMNS = (
    Column("Schedule", lambda row: row.spec.get("schedule", "")),
    Column("Timezone", lambda row: NONE if row.spec.get("timeZone") is None else row.spec["timeZone"]),
    Column("Suspend", _suspend, "boolean"),
    Column("Active", lambda row: len(row.status.get("active") or ()), "integer"),
    Column("Last Schedule", _last_schedule),
    AGE,
    *(_of_job_template(column) for column in _WIDE),
)

# --- budgets and autoscalers --------------------------------------------------------------------------------


def _or_not_given(value: Any) -> str:
    return "N/A" if value is None else str(value)


DISRUPTION_BUDGET_COLUMNS = (
    Column("Min Available", lambda row: _or_not_given(row.spec.get("minAvailable"))),
    Column("Max Unavailable", lambda row: _or_not_given(row.spec.get("maxUnavailable"))),
    Column("Allowed Disruptions", _of_status("disruptionsAllowed"), "integer"),
    AGE,
)


def _reference(row: Row) -> str:
    target = row.spec.get("scaleTargetRef") or {}
    return f"{target.get('kind', '')}/{target.get('name', '')}"


def _least(row: Row) -> str:
    least = row.spec.get("minReplicas")
    return UNSET if least is None else str(least)


def _metrics_text(row: Row) -> str:
    wanted, seen = row.spec.get("metrics") or (), row.status.get("currentMetrics") or ()
    if not wanted:
        return NONE
    texts = [_metric_text(one, seen[index] if index < len(seen) else {}) for index, one in enumerate(wanted)]
    shown = ", ".join(texts[:_MORE_METRICS])
    more = len(texts) - _MORE_METRICS
    return f"{shown} + {more} more..." if more > 0 else shown


AUTOSCALER_COLUMNS: Columns = (
    Column("Reference", _reference),
    Column("Targets", _metrics_text),
    Column("MinPods", _least),
    Column("MaxPods", _of_spec("maxReplicas")),
    Column("Replicas", _of_status("currentReplicas")),
    AGE,
)
# Of the size of an object, which is a part of it.
SCALE_COLUMNS: Columns = (
    Column("Desired", _of_spec("replicas"), "integer"),
    Column("Available", _of_status("replicas"), "integer"),
    AGE,
)

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


# --- summaries ----------------------------------------------------------------------------------------------


def summarize_counts(obj: StoredObject, ready: int, wanted: int) -> dict[str, Any]:
    """What lists show of an object that wants so many pods ready."""
    state = "ready" if ready >= wanted else "notReady"
    return {"ready": f"{ready}/{wanted}"} | ({"state": state} | summarize_end(obj))


def summarize_end(obj: StoredObject) -> dict[str, Any]:
    """What lists show of an object of which only its end is to be seen."""
    return {"state": "terminating"} if obj.meta.deletion_ms is not None else {}


def summarize_daemon_set(obj: StoredObject) -> dict[str, Any]:
    """READY of a DaemonSet, which wants a pod on every node that it is for."""
    status = obj.status_json() or {}
    return summarize_counts(obj, count_of(status, "numberReady"), count_of(status, "desiredNumberScheduled"))


def summarize_job(obj: StoredObject) -> dict[str, Any]:
    """Completions of a Job, and how it ended."""
    data = obj.to_json()
    wanted, status = (data.get("spec") or {}).get("completions"), data.get("status") or {}
    text = job_status_text(data["metadata"], status)
    counts = summarize_counts(obj, count_of(status, "succeeded"), 1 if wanted is None else int(wanted))
    ended = {"state": _JOB_STATES[text]} if text in _JOB_STATES else {}
    return {**counts, "status": text, **ended, **summarize_end(obj)}


_JOB_STATES = {"Complete": "succeeded", "Failed": "failed"}
