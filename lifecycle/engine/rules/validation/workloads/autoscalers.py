"""HorizontalPodAutoscalers: bounds, what is scaled, by which metrics, how fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....objects.quantity import canonical, parse_quantity
from ..pods.resources import validate_resource_name
from ..words.field_error import FieldError
from ..words.metadata import check_path_name
from ..words.names import check_group_version, check_label
from ..words.part import Part, gathers

_LONGEST_WINDOW, _LONGEST_PERIOD = 3600, 1800
# Types of metrics, and the field that each is described in.
_SOURCES = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
_TARGETS = ("Utilization", "Value", "AverageValue")


@gathers("spec")
def validate_autoscaler(
    spec: Part, scales_to_zero: bool = False, names_group: bool = True, reads_versions: bool = True
) -> None:
    """Everything an autoscaler says. `scales_to_zero`: whether it may say 0 (gate HPAScaleToZero).

    `names_group`: whether it has to say of which API group what it scales is; of the core group there is but
    one such kind. `reads_versions`: whether those of what its metrics are about are looked at.
    """
    least, most = spec["minReplicas"], spec["maxReplicas"] or 0
    bound = 0 if scales_to_zero else 1
    if least is not None and least < bound:
        spec.refuse("minReplicas", f"must be greater than or equal to {bound}")
    if most < 1:
        spec.refuse("maxReplicas", "must be greater than 0", most)
    if least is not None and most < least:
        spec.refuse("maxReplicas", "must be greater than or equal to `minReplicas`", most)
    _validate_object(spec.part("scaleTargetRef"))
    if names_group:
        _check_group(spec.part("scaleTargetRef"))
    for metric in spec.parts("metrics"):
        _validate_metric(metric, reads_versions)
    _require_metric_at_zero(spec)
    behavior = spec.part("behavior")
    for direction in behavior.list_given(("scaleUp", "scaleDown")):
        _validate_speed(behavior.part(direction))


def validate_autoscaler_update(
    old: Mapping[str, Any], new: Mapping[str, Any], scales_to_zero: bool
) -> list[FieldError]:
    """What was let in before is let in again: a 0, a group that is not named, a version that is none."""
    before, after = ((one.get("spec") or {}) for one in (old, new))
    was, target = ((spec.get("scaleTargetRef") or {}) for spec in (before, after))
    described = [
        (metric.get("object") or {}).get("describedObject") or {} for metric in before.get("metrics") or ()
    ]
    return validate_autoscaler(
        after,
        scales_to_zero or before.get("minReplicas") == 0,
        any(was.get(field) != target.get(field) for field in ("apiVersion", "kind")),
        not any(str(one.get("apiVersion") or "").count("/") > 1 for one in described),
    )


@gathers("status")
def validate_autoscaler_status(status: Part) -> None:
    """What is written to /status."""
    status.counts("currentReplicas", "desiredReplicas")


def _check_group(target: Part) -> None:
    version = target["apiVersion"] or ""
    group = version.rpartition("/")[0]
    if not _check_version(target) and not group and target["kind"] != "ReplicationController":
        target.refuse("apiVersion", "apiVersion must specify API group", version)


def _check_version(reference: Part) -> bool:
    """Whether a version that cannot be read was refused."""
    problems = check_group_version(reference["apiVersion"] or "")
    reference.complain("apiVersion", problems)
    return bool(problems)


def _require_metric_at_zero(spec: Part) -> None:
    """Without pods only what is no pod's own can tell that there is something to do."""
    kinds = {metric["type"] for metric in spec.parts("metrics")}
    if spec["minReplicas"] == 0 and not kinds & {"Object", "External"}:
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        spec.forbid("metrics", detail)


def _validate_object(reference: Part) -> None:
    for field in ("kind", "name"):
        reference.text(field, check_path_name, needed=True)


def _validate_metric(metric: Part, reads_versions: bool) -> None:
    """One description of a metric, that of its type."""
    kind = metric["type"] or ""
    fields = ("object", "external", "pods", "resource", "containerResource")
    given = [field for field in fields if metric[field]]
    metric.need("type", "must specify a metric source type")
    # That there is no such type is said before and after what it measures is looked at.
    metric.support("type", tuple(_SOURCES), kind)
    if given:
        _validate_source(given[0], metric.part(given[0]), reads_versions)
    if kind not in _SOURCES:
        metric.support("type", tuple(_SOURCES), kind)
    else:
        metric.need(_SOURCES[kind], "must populate information for the given metric source")
    for field in given if len(given) > 1 else ():
        if field != _SOURCES.get(kind):
            metric.forbid(field, "must populate the given metric source only")


def _validate_source(field: str, source: Part, reads_versions: bool) -> None:
    if field == "object":
        _validate_object(source.part("describedObject"))
        if reads_versions:
            _check_version(source.part("describedObject"))
    if field in ("resource", "containerResource"):
        source.need("name", "must specify a resource name")
        if field == "containerResource" and source["name"]:
            source.errors += validate_resource_name(source["name"], source.at("name"))
    else:
        source.part("metric").text("name", check_path_name, True, "must specify a metric name")
    if field == "containerResource":
        source.text("container", check_label, True, "must specify a container")
    target = source.part("target")
    _validate_target(target)
    _check_target_given(field, target)


def _check_target_given(field: str, target: Part) -> None:
    """A value of one of the sorts that a metric can be measured by, and of one only."""
    given = target.list_given(("averageValue", "value", "averageUtilization"))
    if field == "pods":
        if "averageValue" not in given:
            target.require("averageValue", "must specify a positive target averageValue")
    elif field in ("resource", "containerResource"):
        if "averageValue" in given and "averageUtilization" in given:
            target.forbid("averageValue", "may not set both a target raw value and a target utilization")
        elif "averageValue" not in given and "averageUtilization" not in given:
            detail = "must set either a target raw value or a target utilization"
            target.require("averageUtilization", detail)
    elif "averageValue" not in given and "value" not in given:
        word = "value for metric or a per-pod target" if field == "external" else "value or averageValue"
        target.require("averageValue", f"must set either a target {word}")
    elif field == "external" and "averageValue" in given and "value" in given:
        target.forbid("value", "may not set both a target value for metric and a per-pod target")


def _validate_target(target: Part) -> None:
    target.need("type", "must specify a metric target type")
    if target["type"] not in _TARGETS:
        detail = "must be either Utilization, Value, or AverageValue"
        target.refuse("type", detail, target["type"] or "")
    for field in target.list_given(("value", "averageValue")):
        if parse_quantity(target[field]) <= 0:
            target.refuse(field, "must be positive", canonical(target[field]))
    share = target["averageUtilization"]
    if share is not None and share < 1:
        target.refuse("averageUtilization", "must be greater than 0")


def _validate_speed(rules: Part) -> None:
    """How fast it may scale in one direction."""
    window = rules["stabilizationWindowSeconds"]
    if window is not None and window < 0:
        rules.refuse("stabilizationWindowSeconds", "must be greater than or equal to zero")
    if window is not None and window > _LONGEST_WINDOW:
        rules.refuse("stabilizationWindowSeconds", f"must be less than or equal to {_LONGEST_WINDOW}")
    rules.given("selectPolicy", ("Disabled", "Max", "Min"))
    if not rules["policies"]:
        rules.require("policies", "must specify at least one Policy")
    for policy in rules.parts("policies"):
        policy.support("type", ("Percent", "Pods"), policy["type"] or "")
        for field in ("value", "periodSeconds"):
            number = policy[field] or 0
            if number <= 0:
                policy.refuse(field, "must be greater than zero", number)
        if (policy["periodSeconds"] or 0) > _LONGEST_PERIOD:
            policy.refuse("periodSeconds", f"must be less than or equal to {_LONGEST_PERIOD}")
    if rules["tolerance"] is not None and parse_quantity(rules["tolerance"]) < 0:
        rules.refuse("tolerance", "must be greater than or equal to 0", canonical(rules["tolerance"]))
