"""Deployments, ReplicaSets and their kin: selector, template, strategy, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..pods.pods import validate_pod_annotations, validate_pod_spec
from ..words.field_error import FieldError
from ..words.go_structs import show_struct
from ..words.metadata import validate_annotations, validate_labels
from ..words.part import Part, gathers
from ..words.selectors import (
    check_at_most_whole,
    is_empty_selector,
    percent_of,
    validate_int_or_percent,
    validate_matches,
    validate_selector,
)

Gates = Mapping[str, bool]
_NO_DEADLINE = {
    "deployment": "activeDeadlineSeconds in ReplicaSet is not Supported",
    "statefulset": "activeDeadlineSeconds in StatefulSet is not Supported",
    "daemonset": "activeDeadlineSeconds in DaemonSet is not Supported",
    "replicationcontroller": "activeDeadlineSeconds in ReplicationController is not Supported",
}

_UNREADABLE = {"deployment": "invalid label selector", "statefulset": ""}
"""What is said, besides, of a selector that cannot be read."""


def validate_pod_template(template: Part, gates: Gates) -> None:
    """The pod template of any kind. The API server leaves `metadata` out of these paths."""
    _validate_template_metadata(template, gates)
    spec = template.part("spec")
    validate_pod_spec(spec, gates)
    if spec["ephemeralContainers"]:
        spec.forbid("ephemeralContainers", "ephemeral containers not allowed in pod template")


def _validate_template_metadata(template: Part, gates: Gates) -> None:
    metadata = template.part("metadata")
    template.errors += validate_labels(metadata["labels"], template.at("labels"))
    template.errors += validate_annotations(metadata["annotations"], template.at("annotations"))
    template.errors += validate_pod_annotations(metadata["annotations"], template.at("annotations"), gates)


def validate_plain_template(data: Mapping[str, Any], gates: Gates) -> list[FieldError]:
    """A PodTemplate, which nobody makes pods of."""
    template = Part(data.get("template"), "template")
    validate_pod_template(template, gates)
    return template.errors


def validate_template(template: Part, gates: Gates, kind: str = "deployment") -> None:
    """The template of pods that run for ever (POD-TPL-09, VALID-19)."""
    validate_pod_template(template, gates)
    if kind == "statefulset":
        # Of these the API server looks at labels and annotations twice.
        _validate_template_metadata(template, gates)
    _validate_endless(template, kind)


def _validate_endless(template: Part, kind: str) -> None:
    spec = template.part("spec")
    spec.support("restartPolicy", ("Always",))
    if spec["activeDeadlineSeconds"] is not None:
        spec.forbid("activeDeadlineSeconds", _NO_DEADLINE[kind])


def validate_selected_template(spec: Part, gates: Gates, kind: str) -> None:
    """A selector that is there, selects something, and matches the template (DEP-SPEC-03, -05, -08)."""
    selector = spec["selector"]
    malformed = validate_selector(selector, spec.at("selector"))
    spec.errors += malformed
    if selector is None:
        # Of a DaemonSet without one the API server says only that it does not match.
        if kind != "daemonset":
            spec.require("selector")
    elif is_empty_selector(selector):
        spec.refuse("selector", f"empty selector is invalid for {kind}", {})
    if malformed and kind in _UNREADABLE:
        # A selector that selects nothing that is known: its template is not looked at.
        spec.refuse("selector", _UNREADABLE[kind], show_struct("LabelSelector", selector or {}))
        if kind == "statefulset":
            _validate_endless(spec.part("template"), kind)
    else:
        template = spec.part("template")
        if not malformed:
            validate_matches(selector, template)
        validate_template(template, gates, kind=kind)


@gathers("spec")
def validate_deployment(spec: Part, gates: Gates) -> None:
    """DEP-SPEC-*, DEP-ROLL-06, DEP-ROLL-08, DEP-SEL-02, DEP-SEL-06."""
    spec.counts("replicas")
    validate_selected_template(spec, gates, "deployment")
    _validate_strategy(spec.part("strategy"))
    spec.counts("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    deadline = spec["progressDeadlineSeconds"]
    if deadline is not None and deadline <= (spec["minReadySeconds"] or 0):
        # A deadline that ends before a pod can count as available would always be missed.
        spec.refuse("progressDeadlineSeconds", "must be greater than minReadySeconds")


def _validate_strategy(strategy: Part) -> None:
    if not _is_strategy("DeploymentStrategy", strategy, ("Recreate", "RollingUpdate")):
        return
    if strategy["rollingUpdate"] is None:
        return
    if strategy["type"] == "Recreate":
        strategy.forbid("rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
    else:
        _validate_rolling(strategy.part("rollingUpdate"))


def _validate_rolling(rolling: Part) -> None:
    """Room in at least one direction, or nothing could ever move."""
    _check_amounts(rolling)
    if _is_nothing(rolling["maxUnavailable"]) and _is_nothing(rolling["maxSurge"]):
        rolling.refuse("maxUnavailable", "may not be 0 when `maxSurge` is 0")
    rolling.apply("maxUnavailable", check_at_most_whole)


def _check_amounts(rolling: Part) -> None:
    rolling.apply("maxUnavailable", validate_int_or_percent)
    rolling.apply("maxSurge", validate_int_or_percent)


def _is_strategy(struct: str, strategy: Part, types: tuple[str, ...]) -> bool:
    """Whether its type is one there is. Of one that is none the API server shows the whole strategy."""
    if strategy["type"] in (None, *types):
        return True
    strategy.support("", types, show_struct(struct, strategy.data))
    return False


def is_zero(value: Any) -> bool:
    """Whether nothing, none of them or 0 % is meant."""
    return value in (None, 0) or percent_of(value) == 0


@gathers("spec")
def validate_replica_set(spec: Part, gates: Gates) -> None:
    """RS-SPEC-*."""
    spec.counts("replicas", "minReadySeconds")
    # The API server says "deployment" for ReplicaSets too.
    validate_selected_template(spec, gates, "deployment")


@gathers("spec")
def validate_replication_controller(spec: Part, gates: Gates) -> None:
    """Its selector is a plain map of labels, defaulted from the template."""
    spec.counts("minReadySeconds")
    spec.need("selector")
    spec.counts("replicas")
    if spec["template"] is None:
        spec.require("template")
        return
    template = spec.part("template")
    if spec["selector"]:
        validate_matches({"matchLabels": spec["selector"]}, template)
    validate_template(template, gates, kind="replicationcontroller")


def validate_daemon_set_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    """Which pods it has stays for life, which is said before anything else."""
    part, selector = Part(after, "spec"), after.get("selector")
    if selector != before.get("selector"):
        shown = show_struct("LabelSelector", selector) if selector is not None else None
        part.refuse("selector", "field is immutable", shown)
    return part.errors


@gathers("spec")
def validate_daemon_set(spec: Part, gates: Gates) -> None:
    """DS-SPEC-*, DS-UPD-04: selector, template and strategy."""
    validate_selected_template(spec, gates, "daemonset")
    spec.counts("minReadySeconds")
    strategy = spec.part("updateStrategy")
    is_known = _is_strategy("DaemonSetUpdateStrategy", strategy, ("RollingUpdate", "OnDelete"))
    # How to roll is not looked at where nothing is to roll.
    if is_known and strategy["type"] != "OnDelete" and strategy["rollingUpdate"] is not None:
        _validate_daemon_rolling(strategy.part("rollingUpdate"))
    spec.counts("revisionHistoryLimit")


def _validate_daemon_rolling(rolling: Part) -> None:
    """Either old pods leave first or new ones come first, not both."""
    _check_amounts(rolling)
    rolling.apply("maxUnavailable", check_at_most_whole)
    rolling.apply("maxSurge", check_at_most_whole)
    none_leave, none_come = _is_nothing(rolling["maxUnavailable"]), _is_nothing(rolling["maxSurge"])
    if not none_leave and not none_come:
        rolling.refuse("maxSurge", "may not be set when maxUnavailable is non-zero")
    elif none_leave and none_come:
        rolling.require("maxUnavailable", "cannot be 0 when maxSurge is 0")


def _is_nothing(value: Any) -> bool:
    """Whether an amount is 0, or a text that Go reads as that."""
    is_text = isinstance(value, str) and percent_of(value) is None
    return is_zero(value) or (is_text and not value.lstrip("+-").isdigit())
