"""Jobs: numbers, indexes, rules, a template that comes to an end, and the selector that goes with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ....objects.selector import Selector
from ....objects.workloads.job import CONTROLLER_UID, INDEXED, JOB_NAME, NON_INDEXED
from ...defaults.jobs import default_job, name_labels
from ..words.field_error import too_long
from ..words.go_structs import show_struct
from ..words.names import check_label, check_subdomain
from ..words.part import Part, gathers
from ..words.selectors import validate_matches, validate_selector
from .workloads import Gates, validate_pod_template

_ENDING = ("OnFailure", "Never")
_MOST_INDEXED_AT_ONCE = _MOST_FAILED_INDEXES = _MANY_COMPLETIONS = 100_000
_MOST_OF_MANY = 10_000
_LONGEST_MANAGER = 63
_LARGE = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4,"
    " Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
)
_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"


@gathers("")
def validate_job(data: Part, gates: Gates) -> None:
    """A new Job that has its uid, in the API server's order (JOB-SPEC-01 to -08, JOB-SEL-03, JOB-SEL-04)."""
    check_job(data, gates, has_prefix=True)


def check_job(data: Part, gates: Gates, has_prefix: bool) -> None:
    """A Job as a whole. `has_prefix`: whether its pods have the labels with a prefix too, as all new ones."""
    spec = Part(data["spec"] or default_job({}, gates), "spec", data.errors)
    if not spec["manualSelector"] and spec["selector"] is not None:
        _validate_generated(data, spec, has_prefix)
    check_job_spec(spec, gates)
    name, last = data.part("metadata")["name"] or "", (spec["completions"] or 0) - 1
    if spec["completionMode"] == INDEXED and last >= 0 and check_label(f"{name}-{last}"):
        detail = f"will not able to create pod with invalid DNS label: {name}-{last}"
        data.part("metadata").refuse("name", detail, name)


def check_job_spec(spec: Part, gates: Gates) -> None:
    """The spec of a Job with the selector that goes with its template."""
    validate_job_spec(spec, gates)
    _validate_selected(spec)


def _validate_generated(data: Part, spec: Part, has_prefix: bool) -> None:
    """Labels and selector are those made of the Job's name and uid."""
    own, metadata = data.part("metadata"), spec.part("template").part("metadata")
    labels = name_labels(own["name"] or "", own["uid"] or "")
    if not has_prefix:
        del labels[CONTROLLER_UID], labels[JOB_NAME]
    given = metadata["labels"] or {}
    for label, value in labels.items():
        if label not in given:
            metadata.require(f"labels[{label}]", f"must be '{value}'")
        elif given[label] != value:
            metadata.refuse(f"labels[{label}]", f"must be '{value}'", given)
    if not _is_malformed(spec) and not Selector(spec["selector"]).matches(labels):
        shown = show_struct("LabelSelector", spec["selector"])
        spec.refuse("selector", "`selector` not auto-generated", shown)


def _is_malformed(spec: Part) -> bool:
    return bool(validate_selector(spec["selector"], ""))


def _validate_selected(spec: Part) -> None:
    if spec["selector"] is None:
        spec.require("selector")
    spec.errors += validate_selector(spec["selector"], spec.at("selector"))
    if not _is_malformed(spec):
        validate_matches(spec["selector"], spec.part("template"))


def validate_job_spec(spec: Part, gates: Gates) -> None:
    """What is looked at in a Job and in the template of one."""
    from .job_policies import validate_failure_policy, validate_replacement_policy, validate_success_policy

    spec.counts("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit")
    spec.counts("ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes")
    if spec["maxFailedIndexes"] is not None and spec["backoffLimitPerIndex"] is None:
        spec.require("backoffLimitPerIndex", "when maxFailedIndexes is specified")
    _validate_manager(spec)
    spec.given("completionMode", (NON_INDEXED, INDEXED))
    if spec["completionMode"] == INDEXED:
        _validate_indexed(spec)
    elif spec["completionMode"] in (None, NON_INDEXED):
        for field in spec.list_given(("backoffLimitPerIndex", "maxFailedIndexes")):
            spec.refuse(field, "requires indexed completion mode")
    validate_failure_policy(spec)
    validate_success_policy(spec)
    validate_replacement_policy(spec)
    validate_pod_template(spec.part("template"), gates)
    _validate_restarts(spec)


def _validate_manager(spec: Part) -> None:
    """A path below somebody's domain (JOB-MANAGED-03)."""
    manager = spec["managedBy"]
    if manager is None:
        return
    host, _, path = manager.partition("/")
    if not manager:
        spec.require("managedBy")
    elif not host or not path:
        spec.refuse("managedBy", 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        spec.complain("managedBy", check_subdomain(host), host)
        if not re.fullmatch(_PATH, path):
            spec.refuse("managedBy", f"Invalid path (regex used for validation is '{_PATH}')", path)
    if len(manager.encode()) > _LONGEST_MANAGER:
        spec.errors.append(too_long(spec.at("managedBy"), _LONGEST_MANAGER))


def _validate_indexed(spec: Part) -> None:
    """Bounds that keep the lists of completed and of failed indexes short enough to be stored."""
    completions, parallelism = spec["completions"], spec["parallelism"] or 0
    most = "must be less than or equal to"
    if completions is None:
        spec.require("completions", "when completion mode is Indexed")
    if parallelism > _MOST_INDEXED_AT_ONCE:
        detail = f"{most} {_MOST_INDEXED_AT_ONCE} when completion mode is Indexed"
        spec.refuse("parallelism", detail)
    failed = spec["maxFailedIndexes"]
    if completions is not None and failed is not None and failed > completions:
        spec.refuse("maxFailedIndexes", f"{most} completions")
    if failed is not None and failed > _MOST_FAILED_INDEXES:
        spec.refuse("maxFailedIndexes", f"{most} {_MOST_FAILED_INDEXES}")
    if (completions or 0) <= _MANY_COMPLETIONS or spec["backoffLimitPerIndex"] is None:
        return
    if failed is None:
        detail = f"must be specified when completions is above {_MANY_COMPLETIONS}"
        spec.require("maxFailedIndexes", detail)
    when = f"when completions are above {_MANY_COMPLETIONS} and used with backoff limit per index"
    for field, number in (("parallelism", parallelism), ("maxFailedIndexes", failed or 0)):
        if number > _MOST_OF_MANY:
            spec.refuse(field, f"{most} {_MOST_OF_MANY} {when}")


def list_job_warnings(spec: Mapping[str, Any], path: str) -> list[str]:
    """What is accepted of a Job, or of the template of one at `path`, though it may go wrong."""
    completions, parallelism = spec.get("completions") or 0, spec.get("parallelism") or 0
    is_large = completions > _MANY_COMPLETIONS and parallelism > _MOST_OF_MANY
    return [f"{path}: {_LARGE}"] if spec.get("completionMode") == INDEXED and is_large else []


def _validate_restarts(spec: Part) -> None:
    """Pods that are to end are not started again for ever; what is left out means Always (JOB-SPEC-07)."""
    pod = spec.part("template").part("spec")
    policy = pod["restartPolicy"]
    if policy in (None, "", "Always"):
        pod.require("restartPolicy", 'valid values: "OnFailure", "Never"')
    elif policy not in _ENDING:
        pod.support("restartPolicy", _ENDING)
    elif spec["podFailurePolicy"] is not None and policy != "Never":
        pod.refuse("restartPolicy", 'only "Never" is supported when podFailurePolicy is specified')
