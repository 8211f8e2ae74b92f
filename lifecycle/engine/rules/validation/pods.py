"""The spec of a new pod or of a pod template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .containers import RESTART_POLICIES, PodFacts, validate_containers
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
from .names import check_label, check_label_value, check_qualified, check_subdomain
from .resources import validate_pod_resources
from .security_contexts import validate_pod_security
from .selectors import validate_selector
from .systems import validate_system
from .volumes import validate_volumes

DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
LONGEST_DEADLINE = 2**31 - 1
_LABELS = ("hostname", "subdomain")


def make_facts(spec: Mapping[str, Any], gates: Mapping[str, bool]) -> PodFacts:
    """What the checks of containers need to know of their pod's spec."""
    return PodFacts(
        volume_names=frozenset(volume.get("name") or "" for volume in spec.get("volumes") or ()),
        grace_seconds=spec.get("terminationGracePeriodSeconds"),
        os_name=(spec.get("os") or {}).get("name"),
        has_user_namespace=spec.get("hostUsers") is False,
        gates=gates,
    )


def validate_pod_spec(spec: Mapping[str, Any], gates: Mapping[str, bool], path: str) -> list[FieldError]:
    """All rules of a pod's spec but those of updates, in the API server's order."""
    errors = validate_volumes(spec.get("volumes"), f"{path}.volumes")
    errors += validate_containers(spec, make_facts(spec, gates), path)
    errors += validate_pod_resources(spec, path)
    errors += check_choice(f"{path}.restartPolicy", spec.get("restartPolicy"), RESTART_POLICIES, needed=True)
    errors += check_choice(f"{path}.dnsPolicy", spec.get("dnsPolicy"), DNS_POLICIES)
    errors += validate_labels(spec.get("nodeSelector"), f"{path}.nodeSelector")
    errors += validate_pod_security(spec, path)
    errors += _validate_affinity(spec.get("affinity") or {}, f"{path}.affinity")
    errors += _validate_name_servers(spec, path)
    errors += _validate_gates(spec, path)
    spread = spec.get("topologySpreadConstraints") or ()
    errors += _validate_spread(spread, f"{path}.topologySpreadConstraints")
    errors += _validate_host_users(spec, path)
    errors += _validate_names(spec, ("serviceAccountName", "nodeName"), path)
    errors += _validate_seconds(spec, path)
    errors += _validate_names(spec, ("hostname", "subdomain"), path)
    errors += validate_tolerations(spec.get("tolerations") or (), f"{path}.tolerations")
    errors += _validate_names(spec, ("priorityClassName", "runtimeClassName"), path)
    errors += check_choice(f"{path}.preemptionPolicy", spec.get("preemptionPolicy"), PREEMPTION_POLICIES)
    return errors + _validate_os(spec, path) + validate_system(spec, path)


def _validate_seconds(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    deadline = spec.get("activeDeadlineSeconds")
    errors = check_range(f"{path}.activeDeadlineSeconds", deadline, 1, LONGEST_DEADLINE)
    # Kubernetes takes any number and writes a deletionTimestamp of no use; here none is so far off.
    grace = spec.get("terminationGracePeriodSeconds")
    return errors + check_range(
        f"{path}.terminationGracePeriodSeconds", grace, -LONGEST_DEADLINE, LONGEST_DEADLINE
    )


def _validate_os(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """The operating system, which the API server calls wrong by another path than absent (PODOS-01)."""
    system = spec.get("os")
    if system is None:
        return []
    if not system.get("name"):
        return [required(f"{path}.os.name")]
    return check_choice(f"{path}.os", system["name"], ("linux", "windows"))


def _validate_name_servers(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    if spec.get("dnsPolicy") != "None":
        return []
    place = f"{path}.dnsConfig"
    if spec.get("dnsConfig") is None:
        return [required(place, "must provide `dnsConfig` when `dnsPolicy` is None")]
    if spec["dnsConfig"].get("nameservers"):
        return []
    detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
    return [required(f"{place}.nameservers", detail)]


def _validate_names(spec: Mapping[str, Any], fields: tuple[str, ...], path: str) -> list[FieldError]:
    errors = []
    for field in fields:
        value = spec.get(field)
        if value:
            check = check_label if field in _LABELS else check_subdomain
            errors += each_invalid(f"{path}.{field}", value, check(value))
    return errors


def _validate_host_users(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """A user namespace of its own excludes the node's other namespaces (USERNS-07, VALID-08)."""
    if spec.get("hostUsers") is not False:
        return []
    return [
        # The API server does write two of the three with a capital.
        forbidden(f"{path}.{shown}", "when `hostUsers` is false")
        for field, shown in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC"))
        if spec.get(field)
    ]


def validate_tolerations(tolerations: Any, path: str) -> list[FieldError]:
    """Which taints a pod bears; an operator that is not given means Equal."""
    return [
        error
        for index, toleration in enumerate(tolerations)
        for error in _validate_toleration(toleration, f"{path}[{index}]")
    ]


def _validate_toleration(toleration: Mapping[str, Any], path: str) -> list[FieldError]:
    key, operator = toleration.get("key"), toleration.get("operator") or ""
    effect, value = toleration.get("effect") or "", toleration.get("value") or ""
    errors = each_invalid(f"{path}.key", key, check_qualified(key)) if key else []
    if not key and operator != "Exists":
        detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        errors.append(invalid(f"{path}.operator", operator, detail))
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        errors.append(invalid(f"{path}.effect", effect, detail))
    if operator in ("Lt", "Gt"):
        errors.append(not_supported(f"{path}.operator", operator, ("Equal", "Exists", "Lt", "Gt")))
    elif operator not in ("", "Equal", "Exists"):
        errors.append(not_supported(f"{path}.operator", operator, ("Equal", "Exists")))
    elif operator == "Exists" and value:
        detail = "value must be empty when `operator` is 'Exists'"
        errors.append(invalid(f"{path}.operator", value, detail))
    elif operator != "Exists" and (complaints := check_label_value(value)):
        # All about one value stands at the operator.
        errors.append(invalid(f"{path}.operator", value, ";".join(complaints)))
    return errors + check_choice(f"{path}.effect", effect, EFFECTS)


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
