"""The spec of a new pod or of a pod template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .containers import RESTART_POLICIES, PodFacts, validate_containers, validate_ids
from .field_error import (
    FieldError,
    check_choice,
    check_range,
    duplicate,
    each_invalid,
    forbidden,
    invalid,
    not_supported,
    required,
)
from .metadata import validate_labels
from .names import check_label, check_qualified, check_subdomain
from .security_contexts import validate_security_contexts
from .selectors import validate_selector
from .systems import validate_system
from .volumes import validate_volumes

DNS_POLICIES = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
LONGEST_DEADLINE = 2**31 - 1


def make_facts(spec: Mapping[str, Any], gates: Mapping[str, bool]) -> PodFacts:
    return PodFacts(
        volume_names=frozenset(volume.get("name") or "" for volume in spec.get("volumes") or ()),
        grace_seconds=spec.get("terminationGracePeriodSeconds"),
        os_name=(spec.get("os") or {}).get("name"),
        has_user_namespace=spec.get("hostUsers") is False,
        gates=gates,
    )


def validate_pod_spec(spec: Mapping[str, Any], gates: Mapping[str, bool], path: str) -> list[FieldError]:
    """All rules of a pod's spec but those of updates."""
    errors = validate_volumes(spec.get("volumes"), f"{path}.volumes")
    errors += validate_containers(spec, make_facts(spec, gates), path)
    errors += _validate_policies(spec, path)
    errors += _validate_names(spec, path)
    errors += _validate_host_users(spec, path)
    errors += validate_system(spec, path)
    errors += validate_security_contexts(spec, path)
    security = spec.get("securityContext") or {}
    errors += validate_ids(security, spec.get("hostUsers") is False, f"{path}.securityContext")
    errors += validate_tolerations(spec.get("tolerations") or (), f"{path}.tolerations")
    errors += _validate_gates(spec, path)
    errors += _validate_affinity(spec.get("affinity") or {}, f"{path}.affinity")
    errors += _validate_spread(
        spec.get("topologySpreadConstraints") or (), f"{path}.topologySpreadConstraints"
    )
    return errors


def _validate_policies(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """Choices and numbers (RPOL-01, VALID-06, PODOS-01)."""
    errors = check_choice(f"{path}.restartPolicy", spec.get("restartPolicy"), RESTART_POLICIES, needed=True)
    errors += check_choice(f"{path}.dnsPolicy", spec.get("dnsPolicy"), DNS_POLICIES)
    deadline = spec.get("activeDeadlineSeconds")
    errors += check_range(f"{path}.activeDeadlineSeconds", deadline, 1, LONGEST_DEADLINE)
    # Kubernetes takes any number and writes a deletionTimestamp of no use; here none is so far off.
    grace = spec.get("terminationGracePeriodSeconds")
    errors += check_range(f"{path}.terminationGracePeriodSeconds", grace, -LONGEST_DEADLINE, LONGEST_DEADLINE)
    system = spec.get("os")
    if system is not None:
        errors += check_choice(f"{path}.os.name", system.get("name"), ("linux", "windows"), needed=True)
    preemption = ("Never", "PreemptLowerPriority")
    errors += check_choice(f"{path}.preemptionPolicy", spec.get("preemptionPolicy"), preemption)
    if spec.get("dnsPolicy") == "None" and not (spec.get("dnsConfig") or {}).get("nameservers"):
        detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        errors.append(required(f"{path}.dnsConfig.nameservers", detail))
    return errors


def _validate_names(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    errors = validate_labels(spec.get("nodeSelector"), f"{path}.nodeSelector")
    checks = {
        "hostname": check_label,
        "subdomain": check_label,
        "nodeName": check_subdomain,
        "serviceAccountName": check_subdomain,
        "priorityClassName": check_subdomain,
        "runtimeClassName": check_subdomain,
    }
    for field, check in checks.items():
        value = spec.get(field)
        if value:
            errors += each_invalid(f"{path}.{field}", value, check(value))
    return errors


def _validate_host_users(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """A user namespace of its own excludes the node's other namespaces (USERNS-07, VALID-08)."""
    if spec.get("hostUsers") is not False:
        return []
    return [
        forbidden(f"{path}.{field}", "when `hostUsers` is false")
        for field in ("hostNetwork", "hostPID", "hostIPC")
        if spec.get(field)
    ]


def validate_tolerations(tolerations: Any, path: str) -> list[FieldError]:
    errors = []
    for index, toleration in enumerate(tolerations):
        place = f"{path}[{index}]"
        key, operator = toleration.get("key"), toleration.get("operator") or "Equal"
        if key:
            errors += each_invalid(f"{place}.key", key, check_qualified(key))
        elif operator != "Exists":
            detail = (
                'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            )
            errors.append(invalid(f"{place}.operator", operator, detail))
        if operator not in ("Equal", "Exists"):
            errors.append(not_supported(f"{place}.operator", operator, ("Equal", "Exists")))
        elif operator == "Exists" and toleration.get("value"):
            detail = "value must be empty when `operator` is 'Exists'"
            errors.append(invalid(f"{place}.operator", toleration, detail))
        effects = ("NoSchedule", "PreferNoSchedule", "NoExecute")
        errors += check_choice(f"{place}.effect", toleration.get("effect"), effects)
        if toleration.get("tolerationSeconds") is not None and toleration.get("effect") != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            errors.append(invalid(f"{place}.effect", toleration.get("effect") or "", detail))
    return errors


def _validate_gates(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """Readiness gates are label keys (RGATE-05, VALID-10); scheduling gates exclude a node."""
    errors = []
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        name = gate.get("conditionType") or ""
        errors += each_invalid(f"{path}.readinessGates[{index}].conditionType", name, check_qualified(name))
    seen = set()
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        name, place = gate.get("name") or "", f"{path}.schedulingGates[{index}]"
        errors += each_invalid(place, name, check_qualified(name))
        if name in seen:
            errors.append(duplicate(place, name))
        seen.add(name)
    if seen and spec.get("nodeName"):
        errors.append(
            forbidden(f"{path}.nodeName", "cannot be set until all schedulingGates have been cleared")
        )
    return errors


def _validate_affinity(affinity: Mapping[str, Any], path: str) -> list[FieldError]:
    """Pod affinity needs a topology; weights run from 1 to 100."""
    errors = []
    for name in ("podAffinity", "podAntiAffinity"):
        rules, place = affinity.get(name) or {}, f"{path}.{name}"
        for index, term in enumerate(rules.get("requiredDuringSchedulingIgnoredDuringExecution") or ()):
            term_place = f"{place}.requiredDuringSchedulingIgnoredDuringExecution[{index}]"
            errors += _validate_affinity_term(term, term_place)
        for index, weighted in enumerate(rules.get("preferredDuringSchedulingIgnoredDuringExecution") or ()):
            term_place = f"{place}.preferredDuringSchedulingIgnoredDuringExecution[{index}]"
            weight = weighted.get("weight") or 0
            if not 1 <= weight <= 100:
                errors.append(invalid(f"{term_place}.weight", weight, "must be in the range 1-100"))
            term = weighted.get("podAffinityTerm") or {}
            errors += _validate_affinity_term(term, f"{term_place}.podAffinityTerm")
    return errors


def _validate_affinity_term(term: Mapping[str, Any], path: str) -> list[FieldError]:
    errors = validate_selector(term.get("labelSelector"), f"{path}.labelSelector")
    key = term.get("topologyKey")
    if not key:
        return [*errors, required(f"{path}.topologyKey", "can not be empty")]
    return errors + each_invalid(f"{path}.topologyKey", key, check_qualified(key))


def _validate_spread(constraints: Any, path: str) -> list[FieldError]:
    errors = []
    for index, constraint in enumerate(constraints):
        place = f"{path}[{index}]"
        skew = constraint.get("maxSkew") or 0
        if skew <= 0:
            errors.append(invalid(f"{place}.maxSkew", skew, "must be greater than zero"))
        if not constraint.get("topologyKey"):
            errors.append(required(f"{place}.topologyKey", "can not be empty"))
        choices = ("DoNotSchedule", "ScheduleAnyway")
        errors += check_choice(
            f"{place}.whenUnsatisfiable", constraint.get("whenUnsatisfiable"), choices, True
        )
        errors += validate_selector(constraint.get("labelSelector"), f"{place}.labelSelector")
    return errors
