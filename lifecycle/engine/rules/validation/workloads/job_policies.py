"""A Job's rules for pods that fail, and for what counts as success."""

from __future__ import annotations

from ..words.field_error import OMITTED, not_supported, too_long
from ..words.go_structs import show_struct
from ..words.names import check_qualified
from ..words.part import Part
from .index_ranges import count_indexes

_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_MOST_RULES = 20
_MOST_EXIT_CODES = 255
_MOST_INDEXES_BYTES = 64 * 1024


def validate_failure_policy(spec: Part) -> None:
    """`podFailurePolicy`: each rule is about exit codes or about conditions."""
    if spec["podFailurePolicy"] is None:
        return
    policy = spec.part("podFailurePolicy")
    policy.limit("rules", _MOST_RULES)
    pod = spec.part("template").part("spec")
    containers = [*pod.parts("containers"), *pod.parts("initContainers")]
    names = [container["name"] or "" for container in containers]
    for rule in policy.parts("rules"):
        _validate_failure_rule(rule, names, spec["backoffLimitPerIndex"] is not None)


def _validate_failure_rule(rule: Part, containers: list[str], has_limit_per_index: bool) -> None:
    if rule["action"] == "FailIndex" and not has_limit_per_index:
        rule.refuse("action", "requires the backoffLimitPerIndex to be set")
    else:
        _need_one_of(rule, "action", _ACTIONS)
    by_code, by_condition = rule["onExitCodes"] is not None, bool(rule["onPodConditions"])
    if by_code:
        _validate_exit_codes(rule.part("onExitCodes"), containers)
    rule.limit("onPodConditions", _MOST_RULES)
    for pattern in rule.parts("onPodConditions"):
        pattern.complain("type", check_qualified(pattern["type"] or ""), pattern["type"] or "")
        _need_one_of(pattern, "status", _STATUSES)
    if by_code and by_condition:
        rule.refuse("", "specifying both OnExitCodes and OnPodConditions is not supported", OMITTED)
    if not by_code and not by_condition:
        rule.refuse("", "specifying one of OnExitCodes and OnPodConditions is required", OMITTED)


def _need_one_of(part: Part, field: str, values: tuple[str, ...]) -> None:
    if part[field]:
        part.support(field, values)
    else:
        quoted = " ".join(f'"{value}"' for value in values)
        part.require(field, f"valid values: [{quoted}]")


def _validate_exit_codes(codes: Part, containers: list[str]) -> None:
    _need_one_of(codes, "operator", _OPERATORS)
    if codes["containerName"] is not None and codes["containerName"] not in containers:
        detail = "must be one of the container or initContainer names in the pod template"
        codes.refuse("containerName", detail)
    values = codes["values"] or []
    if not values:
        codes.refuse("values", "at least one value is required")
    codes.limit("values", _MOST_EXIT_CODES)
    seen: set[int] = set()
    for index, value in enumerate(values):
        if codes["operator"] == "In" and value == 0:
            codes.refuse(f"values[{index}]", "must not be 0 for the In operator", value)
        codes.once(f"values[{index}]", value, seen)
    if values != sorted(values):
        codes.refuse("values", "must be ordered")


def validate_replacement_policy(spec: Part) -> None:
    """With a failure policy only pods that have failed are replaced."""
    if spec["podReplacementPolicy"] is not None:
        with_rules = spec["podFailurePolicy"] is not None
        spec.support("podReplacementPolicy", ("Failed",) if with_rules else ("Failed", "TerminatingOrFailed"))


def validate_success_policy(spec: Part) -> None:
    """`successPolicy`: which indexes, or how many, are enough."""
    if spec["successPolicy"] is None:
        return
    policy = spec.part("successPolicy")
    if spec["completionMode"] != "Indexed":
        spec.refuse(
            "successPolicy", "requires indexed completion mode", show_struct("SuccessPolicy", policy.data)
        )
        return
    policy.need("rules", "at least one rules must be specified when the successPolicy is specified")
    policy.limit("rules", _MOST_RULES)
    for rule in policy.parts("rules"):
        # Without completions an Indexed Job is refused anyway.
        _validate_success_rule(rule, spec["completions"] or 0)


def _validate_success_rule(rule: Part, completions: int) -> None:
    indexes, count = rule["succeededIndexes"], rule["succeededCount"]
    if indexes is None and count is None:
        rule.require("", "at least one of succeededCount or succeededIndexes must be specified")
    total = 0
    if indexes is not None:
        if len(indexes.encode()) > _MOST_INDEXES_BYTES:
            rule.errors.append(too_long(rule.at("succeededIndexes"), _MOST_INDEXES_BYTES))
        try:
            total = count_indexes(indexes, completions)
        except ValueError as problem:
            rule.refuse("succeededIndexes", f"error parsing succeededIndexes: {problem}")
    if count is not None:
        rule.counts("succeededCount")
        most = "must be less than or equal to"
        if count > completions:
            rule.refuse("succeededCount", f"{most} {completions} (the number of specified completions)")
        if indexes is not None and count > total:
            where = "in the specified succeededIndexes field"
            rule.refuse("succeededCount", f"{most} {total} (the number of indexes {where})")


def refuse_manual_selector(spec: Part) -> None:
    """The Jobs of a CronJob are selected by what is generated for each."""
    if spec["selector"] is not None:
        shown = show_struct("LabelSelector", spec["selector"])
        spec.refuse("selector", "`selector` will be auto-generated", shown)
    if spec["manualSelector"]:
        spec.errors.append(not_supported(spec.at("manualSelector"), True, ("nil", "false")))
