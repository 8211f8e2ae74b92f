"""What may change of a Job: little once it has begun, where its pods go before that (JOB-SPEC-09)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....objects.pods.template import PodTemplate, is_same_template
from ....objects.workloads.job import CONTROLLER_UID, INDEXED, JOB_NAME, SUSPENDED
from ....releases.gates import is_enabled
from ..words.field_error import FieldError
from ..words.go_structs import show_struct
from ..words.part import Part
from .jobs import check_job, check_job_spec
from .workloads import Gates

Json = Mapping[str, Any]
RESOURCES_GATE = "MutablePodResourcesForSuspendedJobs"
DIRECTIVES_GATE = "MutableSchedulingDirectivesForSuspendedJobs"
_IMMUTABLE = "field is immutable"
_DIRECTIVES = ("nodeSelector", "tolerations", "schedulingGates")
_STRUCTS = {"podFailurePolicy": "PodFailurePolicy", "successPolicy": "SuccessPolicy"}


def validate_job_update(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    """A changed Job: held to the rules of new ones, and to what it was."""
    before, after = old.get("spec") or {}, Part(new.get("spec"), "spec")
    whole = Part({**new, "metadata": {**new["metadata"], "uid": old["metadata"].get("uid")}})
    check_job(whole, gates, has_prefix=_has_prefix(before))
    # A changed Job is looked at as a new one is, and its spec once more.
    check_job_spec(after, gates)
    _validate_completions(before, after)
    _keep(before, after, "selector", "LabelSelector")
    _validate_template(old, after, gates)
    for field in ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"):
        _keep(before, after, field, _STRUCTS.get(field))
    return whole.errors + after.errors


def _has_prefix(spec: Json) -> bool:
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    return JOB_NAME in labels and CONTROLLER_UID in labels


def _keep(before: Json, after: Part, field: str, struct: str | None = None) -> None:
    value = after[field]
    if before.get(field) != value:
        after.refuse(field, _IMMUTABLE, show_struct(struct, value) if struct and value is not None else value)


def _validate_completions(before: Json, after: Part) -> None:
    """Those of an Indexed Job move with its parallelism (JOB-ELASTIC-01, -03)."""
    completions = after["completions"]
    if after["completionMode"] != INDEXED:
        _keep(before, after, "completions")
    elif completions not in (None, before.get("completions"), after["parallelism"]):
        after.refuse("completions", "can only be modified in tandem with spec.parallelism")


def _validate_template(old: Json, after: Part, gates: Gates) -> None:
    """Since v1.36 more of it may change while nothing runs (registry/batch/job/strategy.go)."""
    before, status = old.get("spec") or {}, old.get("status") or {}
    was, wanted = before.get("template") or {}, after["template"] or {}
    is_suspended, has_begun = bool(before.get("suspend")), bool(status.get("startTime"))
    is_idle = is_suspended and (not has_begun or _is_told_suspended(status)) and not status.get("active")
    may_move = is_idle if is_enabled(gates, DIRECTIVES_GATE) else is_suspended and not has_begun
    if may_move:
        was = _with_directives(was, wanted)
    if is_idle and is_enabled(gates, RESOURCES_GATE):
        # Of its labels and annotations nothing is asked then (validatePodResourceUpdatesOnly).
        was = {**wanted, "spec": _with_resources(was.get("spec") or {}, wanted.get("spec") or {})}
        if not _is_same(was, wanted):
            dump = show_struct("PodSpec", wanted.get("spec") or {})
            after.refuse("template.spec", _IMMUTABLE, dump)
    elif not _is_same(was, wanted):
        after.refuse("template", _IMMUTABLE, show_struct("PodTemplateSpec", wanted))


def _is_same(was: Json, wanted: Json) -> bool:
    return is_same_template(PodTemplate.from_json(was), PodTemplate.from_json(wanted))


def _is_told_suspended(status: Json) -> bool:
    conditions = status.get("conditions") or ()
    return any((one.get("type"), one.get("status")) == (SUSPENDED, "True") for one in conditions)


def _with_resources(was: Json, wanted: Json) -> Json:
    """The former pod spec with the resources that containers of the same names are to have."""
    found = dict(was)
    for group in ("containers", "initContainers"):
        before, after = was.get(group) or (), wanted.get(group) or ()
        if len(before) == len(after) and before:
            found[group] = [_with_those_of(*pair) for pair in zip(before, after, strict=True)]
    return found


def _with_those_of(was: Json, wanted: Json) -> Json:
    if was.get("name") != wanted.get("name"):
        return was
    kept = {name: value for name, value in was.items() if name != "resources"}
    return {**kept, "resources": wanted["resources"]} if "resources" in wanted else kept


def _with_directives(was: Json, wanted: Json) -> Json:
    """The former template with what may change as long as no pod was made (JOB-SCHED-01, -02)."""
    spec, metadata = was.get("spec") or {}, was.get("metadata") or {}
    new_spec, new_metadata = wanted.get("spec") or {}, wanted.get("metadata") or {}
    return {
        **was,
        "metadata": {**metadata, **{name: new_metadata.get(name) for name in ("labels", "annotations")}},
        "spec": {
            **spec,
            **{name: new_spec.get(name) for name in _DIRECTIVES},
            "affinity": _with_node_affinity(spec.get("affinity"), new_spec.get("affinity")),
        },
    }


def _with_node_affinity(was: Json | None, wanted: Json | None) -> Json | None:
    kept = {name: value for name, value in (was or {}).items() if name != "nodeAffinity"}
    if wanted is None:
        return kept or None
    return {**kept, "nodeAffinity": wanted.get("nodeAffinity")}
