"""The spec of a new pod or of a pod template."""

from __future__ import annotations

from collections.abc import Mapping

from ..deletion_costs import DELETION_COST, read_deletion_cost
from .containers import RESTART_POLICIES, PodFacts, validate_containers
from .field_error import FieldError, invalid, not_supported
from .metadata import validate_labels
from .names import check_label, check_label_value, check_qualified, check_subdomain
from .node_affinity import validate_node_affinity
from .part import Part
from .resolution import validate_dns, validate_host_aliases
from .resources import validate_pod_resources
from .security_contexts import validate_pod_security
from .selectors import validate_selector
from .systems import validate_system
from .volumes import validate_volumes

DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
LONGEST_DEADLINE = 2**31 - 1


def make_facts(spec: Part, gates: Mapping[str, bool]) -> PodFacts:
    """What the checks of containers need to know of their pod's spec."""
    return PodFacts(
        volume_names=frozenset(volume["name"] or "" for volume in spec.parts("volumes")),
        grace_seconds=spec["terminationGracePeriodSeconds"],
        os_name=spec.part("os")["name"],
        has_user_namespace=spec["hostUsers"] is False,
        gates=gates,
    )


def validate_pod_annotations(
    annotations: Mapping[str, str] | None, path: str, gates: Mapping[str, bool]
) -> list[FieldError]:
    """What a pod's controller reads of its annotations (RS-COST-03)."""
    if annotations and gates.get("PodDeletionCost", True) and read_deletion_cost(annotations) is None:
        value, detail = annotations[DELETION_COST], "must be a 32bit integer"
        return [invalid(f"{path}[{DELETION_COST}]", value, detail)]
    return []


def validate_pod_spec(spec: Part, gates: Mapping[str, bool]) -> None:
    """All rules of a pod's spec but those of updates, in the API server's order."""
    validate_volumes(spec)
    validate_containers(spec, make_facts(spec, gates))
    validate_pod_resources(spec)
    spec.choice("restartPolicy", RESTART_POLICIES, needed=True)
    spec.choice("dnsPolicy", DNS_POLICIES)
    spec.apply("nodeSelector", validate_labels)
    validate_pod_security(spec)
    _validate_affinity(spec.part("affinity"))
    validate_dns(spec)
    _validate_gates(spec)
    _validate_spread(spec)
    _validate_host_users(spec)
    spec.text("serviceAccountName", check_subdomain)
    spec.text("nodeName", check_subdomain)
    spec.within("activeDeadlineSeconds", 1, LONGEST_DEADLINE)
    # Kubernetes takes any number and writes a deletionTimestamp of no use; here none is so far off.
    spec.within("terminationGracePeriodSeconds", -LONGEST_DEADLINE, LONGEST_DEADLINE)
    spec.text("hostname", check_label)
    spec.text("subdomain", check_label)
    validate_tolerations(spec)
    validate_host_aliases(spec)
    spec.text("priorityClassName", check_subdomain)
    spec.text("runtimeClassName", check_subdomain)
    spec.choice("preemptionPolicy", PREEMPTION_POLICIES)
    _validate_os(spec)
    validate_system(spec)


def _validate_os(spec: Part) -> None:
    """The operating system, which the API server calls wrong by another path than absent (PODOS-01)."""
    if spec["os"] is None:
        return
    name = spec["os"].get("name")
    if not name:
        spec.require("os.name")
    else:
        spec.support("os", ("linux", "windows"), name)


def _validate_host_users(spec: Part) -> None:
    """A user namespace of its own excludes the node's other namespaces (USERNS-07, VALID-08)."""
    if spec["hostUsers"] is not False:
        return
    # The API server does write two of the three with a capital.
    for field, shown in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec[field]:
            spec.forbid(shown, "when `hostUsers` is false")


def validate_tolerations(holder: Part) -> None:
    """Which taints a pod bears; an operator that is not given means Equal."""
    for toleration in holder.parts("tolerations"):
        _validate_toleration(toleration)


def _validate_toleration(toleration: Part) -> None:
    operator, value = toleration["operator"] or "", toleration["value"] or ""
    effect = toleration["effect"] or ""
    toleration.text("key", check_qualified)
    if not toleration["key"] and operator != "Exists":
        detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        toleration.refuse("operator", detail, operator)
    if toleration["tolerationSeconds"] is not None and effect != "NoExecute":
        toleration.refuse("effect", "effect must be 'NoExecute' when `tolerationSeconds` is set", effect)
    if operator in ("Lt", "Gt"):
        toleration.errors.append(
            not_supported(toleration.at("operator"), operator, ("Equal", "Exists", "Lt", "Gt"))
        )
    elif operator not in ("", "Equal", "Exists"):
        toleration.support("operator", ("Equal", "Exists"))
    elif operator == "Exists" and value:
        toleration.refuse("operator", "value must be empty when `operator` is 'Exists'", value)
    elif operator != "Exists" and (complaints := check_label_value(value)):
        # All about one value stands at the operator.
        toleration.refuse("operator", ";".join(complaints), value)
    toleration.choice("effect", EFFECTS)


def _validate_gates(spec: Part) -> None:
    """Readiness gates are label keys (RGATE-05, VALID-10); scheduling gates exclude a node."""
    for gate in spec.parts("readinessGates"):
        name = gate["conditionType"] or ""
        gate.complain("conditionType", check_qualified(name), name)
    seen: set[str] = set()
    for gate in spec.parts("schedulingGates"):
        name = gate["name"] or ""
        gate.complain("", check_qualified(name), name)
        gate.once("", name, seen)
    if seen and spec["nodeName"]:
        spec.forbid("nodeName", "cannot be set until all schedulingGates have been cleared")


def _validate_affinity(affinity: Part) -> None:
    """Pod affinity needs a topology; weights run from 1 to 100."""
    validate_node_affinity(affinity.part("nodeAffinity"))
    for name in ("podAffinity", "podAntiAffinity"):
        rules = affinity.part(name)
        for term in rules.parts("requiredDuringSchedulingIgnoredDuringExecution"):
            _validate_affinity_term(term)
        for weighted in rules.parts("preferredDuringSchedulingIgnoredDuringExecution"):
            weight = weighted["weight"] or 0
            if not 1 <= weight <= 100:
                weighted.refuse("weight", "must be in the range 1-100", weight)
            _validate_affinity_term(weighted.part("podAffinityTerm"))


def _validate_affinity_term(term: Part) -> None:
    term.apply("labelSelector", validate_selector)
    term.need("topologyKey", "can not be empty")
    term.complain("topologyKey", check_qualified(term["topologyKey"] or ""), term["topologyKey"] or "")


def _validate_spread(spec: Part) -> None:
    for constraint in spec.parts("topologySpreadConstraints"):
        skew = constraint["maxSkew"] or 0
        if skew <= 0:
            constraint.refuse("maxSkew", "must be greater than zero", skew)
        constraint.need("topologyKey", "can not be empty")
        constraint.choice("whenUnsatisfiable", ("DoNotSchedule", "ScheduleAnyway"), needed=True)
        constraint.apply("labelSelector", validate_selector)
