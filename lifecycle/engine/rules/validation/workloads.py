"""Deployments, ReplicaSets and their kin: selector, template, strategy, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import (
    FieldError,
    check_choice,
    check_not_negative,
    forbidden,
    invalid,
    not_supported,
    required,
)
from .go_structs import show_struct
from .metadata import validate_annotations, validate_labels
from .pods import validate_pod_spec
from .selectors import (
    check_at_most_whole,
    is_empty_selector,
    percent_of,
    validate_int_or_percent,
    validate_matches,
    validate_selector,
)

Gates = Mapping[str, bool]
_STATEFUL_MUTABLE = (
    "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
)  # fmt: skip


def validate_template(
    template: Mapping[str, Any], gates: Gates, path: str, policies: tuple[str, ...] = ("Always",)
) -> list[FieldError]:
    """A pod template; `policies` are those its kind can live with (POD-TPL-09, VALID-19)."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    errors = validate_labels(metadata.get("labels"), f"{path}.metadata.labels")
    errors += validate_annotations(metadata.get("annotations"), f"{path}.metadata.annotations")
    errors += validate_pod_spec(spec, gates, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        detail = "ephemeral containers not allowed in pod template"
        errors.append(forbidden(f"{path}.spec.ephemeralContainers", detail))
    policy = spec.get("restartPolicy")
    if policy not in policies:
        errors.append(not_supported(f"{path}.spec.restartPolicy", policy, policies))
    if spec.get("activeDeadlineSeconds") is not None and policies == ("Always",):
        detail = "activeDeadlineSeconds in ReplicaSet is not Supported"
        errors.append(forbidden(f"{path}.spec.activeDeadlineSeconds", detail))
    return errors


def validate_selected_template(spec: Mapping[str, Any], gates: Gates, kind: str) -> list[FieldError]:
    """A selector that is there, selects something, and matches the template (DEP-SPEC-03, -05, -08)."""
    selector, template = spec.get("selector"), spec.get("template")
    malformed = validate_selector(selector, "spec.selector")
    errors = list(malformed)
    if selector is None:
        errors.append(required("spec.selector"))
    elif is_empty_selector(selector):
        errors.append(invalid("spec.selector", {}, f"empty selector is invalid for {kind}"))
    if malformed and kind == "deployment":
        # A selector that selects nothing that is known: its template is not looked at.
        shown = show_struct("LabelSelector", selector or {})
        return [*errors, invalid("spec.selector", shown, "invalid label selector")]
    if template is None:
        return [*errors, required("spec.template")]
    if not malformed:
        labels = (template.get("metadata") or {}).get("labels")
        errors += validate_matches(selector, labels, "spec.template.metadata.labels")
    return errors + validate_template(template, gates, "spec.template")


def validate_deployment(spec: Mapping[str, Any], gates: Gates) -> list[FieldError]:
    """DEP-SPEC-*, DEP-ROLL-06, DEP-ROLL-08, DEP-SEL-02, DEP-SEL-06."""
    errors = check_not_negative("spec.replicas", spec.get("replicas"))
    errors += validate_selected_template(spec, gates, "deployment")
    errors += _validate_strategy(spec.get("strategy") or {})
    ready_seconds = spec.get("minReadySeconds")
    errors += check_not_negative("spec.minReadySeconds", ready_seconds)
    errors += check_not_negative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit"))
    deadline = spec.get("progressDeadlineSeconds")
    errors += check_not_negative("spec.progressDeadlineSeconds", deadline)
    if deadline is not None and deadline <= (ready_seconds or 0):
        # A deadline that ends before a pod can count as available would always be missed.
        detail = "must be greater than minReadySeconds"
        errors.append(invalid("spec.progressDeadlineSeconds", deadline, detail))
    return errors


def _validate_strategy(strategy: Mapping[str, Any]) -> list[FieldError]:
    path = "spec.strategy"
    rolling = strategy.get("rollingUpdate")
    errors = _validate_strategy_type("DeploymentStrategy", strategy, ("Recreate", "RollingUpdate"), path)
    if errors:
        return errors
    if strategy.get("type") == "Recreate":
        if rolling is not None:
            detail = "may not be specified when strategy `type` is 'Recreate'"
            errors.append(forbidden(f"{path}.rollingUpdate", detail))
    elif rolling is not None:
        errors += _validate_rolling(rolling, f"{path}.rollingUpdate")
    return errors


def _validate_rolling(rolling: Mapping[str, Any], path: str) -> list[FieldError]:
    """Room in at least one direction, or nothing could ever move."""
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    errors = validate_int_or_percent(unavailable, f"{path}.maxUnavailable")
    errors += validate_int_or_percent(surge, f"{path}.maxSurge")
    if errors:
        return errors
    if _is_zero(unavailable) and _is_zero(surge):
        detail = "may not be 0 when `maxSurge` is 0"
        errors.append(invalid(f"{path}.maxUnavailable", unavailable, detail))
    return errors + check_at_most_whole(unavailable, f"{path}.maxUnavailable")


def _validate_strategy_type(
    struct: str, strategy: Mapping[str, Any], types: tuple[str, ...], path: str
) -> list[FieldError]:
    """A type that is none: the API server shows the whole strategy."""
    if strategy.get("type") in (None, *types):
        return []
    return [not_supported(path, show_struct(struct, strategy), types)]


def _is_zero(value: Any) -> bool:
    return value in (None, 0) or percent_of(value) == 0


def validate_replica_set(spec: Mapping[str, Any], gates: Gates) -> list[FieldError]:
    """RS-SPEC-*."""
    errors = check_not_negative("spec.replicas", spec.get("replicas"))
    errors += check_not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    # The API server says "deployment" for ReplicaSets too.
    return errors + validate_selected_template(spec, gates, "deployment")


def validate_replication_controller(spec: Mapping[str, Any], gates: Gates) -> list[FieldError]:
    """Its selector is a plain map of labels, defaulted from the template."""
    errors = check_not_negative("spec.replicas", spec.get("replicas"))
    errors += check_not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    selector, template = spec.get("selector"), spec.get("template")
    if not selector:
        errors.append(required("spec.selector"))
    if template is None:
        return [*errors, required("spec.template")]
    if selector:
        labels = (template.get("metadata") or {}).get("labels")
        errors += validate_matches({"matchLabels": selector}, labels, "spec.template.metadata.labels")
    return errors + validate_template(template, gates, "spec.template")


def validate_stateful_set(spec: Mapping[str, Any], gates: Gates) -> list[FieldError]:
    """A StatefulSet: sizes, strategy, selector and template."""
    errors = check_not_negative("spec.replicas", spec.get("replicas"))
    errors += check_not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    management = ("OrderedReady", "Parallel")
    policy = spec.get("podManagementPolicy")
    if policy and policy not in management:
        errors.append(invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"))
    strategy = spec.get("updateStrategy") or {}
    rolling = strategy.get("rollingUpdate")
    if strategy.get("type") not in (None, "OnDelete", "RollingUpdate"):
        shown = show_struct("StatefulSetUpdateStrategy", strategy)
        errors.append(invalid("spec.updateStrategy", shown, "must be 'RollingUpdate' or 'OnDelete'"))
    elif rolling is not None:
        errors += _validate_stateful_rolling(strategy, rolling)
    ordinals = spec.get("ordinals") or {}
    errors += check_not_negative("spec.ordinals.start", ordinals.get("start"))
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for field in ("whenDeleted", "whenScaled"):
        path = f"spec.persistentVolumeClaimRetentionPolicy.{field}"
        errors += check_choice(path, retention.get(field), ("Delete", "Retain"))
    return errors + validate_selected_template(spec, gates, "statefulset")


def validate_stateful_set_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    """Most of a StatefulSet's spec stays for life."""
    fields = sorted({*before, *after} - set(_STATEFUL_MUTABLE))
    if all(before.get(field) == after.get(field) for field in fields):
        return []
    names = ", ".join(f"'{field}'" for field in _STATEFUL_MUTABLE[:-1])
    allowed = f"{names} and '{_STATEFUL_MUTABLE[-1]}'"
    return [forbidden("spec", f"updates to statefulset spec for fields other than {allowed} are forbidden")]


def _validate_stateful_rolling(strategy: Mapping[str, Any], rolling: Mapping[str, Any]) -> list[FieldError]:
    path = "spec.updateStrategy.rollingUpdate"
    if strategy.get("type") == "OnDelete":
        shown = show_struct("RollingUpdateStatefulSet", rolling)
        return [invalid(path, shown, "only allowed for updateStrategy 'RollingUpdate'")]
    errors = check_not_negative(f"{path}.partition", rolling.get("partition"))
    unavailable = rolling.get("maxUnavailable")
    errors += validate_int_or_percent(unavailable, f"{path}.maxUnavailable")
    if unavailable is not None and _is_zero(unavailable):
        errors.append(invalid(f"{path}.maxUnavailable", unavailable, "cannot be 0"))
    return errors


def validate_daemon_set(spec: Mapping[str, Any], gates: Gates) -> list[FieldError]:
    """A DaemonSet: strategy, selector and template."""
    errors = check_not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    strategy = spec.get("updateStrategy") or {}
    types = ("RollingUpdate", "OnDelete")
    malformed = _validate_strategy_type("DaemonSetUpdateStrategy", strategy, types, "spec.updateStrategy")
    errors += malformed
    rolling = strategy.get("rollingUpdate")
    if rolling is not None and not malformed:
        errors += _validate_daemon_rolling(rolling)
    return errors + validate_selected_template(spec, gates, "daemonset")


def _validate_daemon_rolling(rolling: Mapping[str, Any]) -> list[FieldError]:
    """Either old pods leave first or new ones come first, not both."""
    path = "spec.updateStrategy.rollingUpdate"
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    errors = validate_int_or_percent(unavailable, f"{path}.maxUnavailable")
    errors += validate_int_or_percent(surge, f"{path}.maxSurge")
    if errors:
        return errors
    if not _is_zero(unavailable) and not _is_zero(surge):
        errors.append(invalid(f"{path}.maxSurge", surge, "may not be set when maxUnavailable is non-zero"))
    elif _is_zero(unavailable) and _is_zero(surge):
        detail = "cannot be 0 when maxSurge is 0"
        errors.append(required(f"{path}.maxUnavailable", detail))
    return errors


def validate_job_spec(spec: Mapping[str, Any], gates: Gates, path: str = "spec") -> list[FieldError]:
    """A Job's own numbers and its template, which must be able to end."""
    errors = []
    for field in (
        "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished",
        "backoffLimitPerIndex", "maxFailedIndexes",
    ):  # fmt: skip
        errors += check_not_negative(f"{path}.{field}", spec.get(field))
    errors += check_choice(f"{path}.completionMode", spec.get("completionMode"), ("Indexed", "NonIndexed"))
    if spec.get("completionMode") == "Indexed" and spec.get("completions") is None:
        errors.append(required(f"{path}.completions", "when completion mode is Indexed"))
    template = spec.get("template")
    if template is None:
        return [*errors, required(f"{path}.template")]
    return errors + validate_template(template, gates, f"{path}.template", ("OnFailure", "Never"))


def validate_cron_job(spec: Mapping[str, Any], gates: Gates) -> list[FieldError]:
    """A CronJob: schedule, limits, and the Job that it makes."""
    errors = []
    if not spec.get("schedule"):
        errors.append(required("spec.schedule"))
    policies = ("Allow", "Forbid", "Replace")
    errors += check_choice("spec.concurrencyPolicy", spec.get("concurrencyPolicy"), policies)
    for field in ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        errors += check_not_negative(f"spec.{field}", spec.get(field))
    template = spec.get("jobTemplate") or {}
    return errors + validate_job_spec(template.get("spec") or {}, gates, "spec.jobTemplate.spec")
