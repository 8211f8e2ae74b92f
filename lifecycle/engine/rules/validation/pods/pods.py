"""The spec of a new pod or of a pod template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....objects.names import PREFERRED, REQUIRED
from ....releases.gates import is_enabled
from ...workloads.deletion_costs import DELETION_COST, read_deletion_cost
from ..words.field_error import FieldError, duplicate, invalid, not_supported, too_long
from ..words.go_structs import show_struct
from ..words.metadata import validate_labels
from ..words.names import check_label, check_label_value, check_qualified, check_subdomain
from ..words.part import Part
from ..words.selectors import validate_selector
from .containers import RESTART_POLICIES, PodFacts, validate_containers, validate_host_network_ports
from .node_affinity import validate_node_affinity
from .resolution import validate_dns, validate_host_aliases
from .resources import validate_pod_resources
from .security_contexts import validate_pod_security
from .systems import validate_system
from .volumes import validate_volumes

DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
LONGEST_DEADLINE = 2**31 - 1
LONGEST_HOST_NAME = 64


def make_facts(
    spec: Part, gates: Mapping[str, bool], volumes: Mapping[str, Mapping[str, Any]] | None = None
) -> PodFacts:
    """What the checks of containers need to know of their pod's spec. `volumes`: those that are right."""
    if volumes is None:
        volumes = {volume["name"] or "": volume.data for volume in spec.parts("volumes")}
    return PodFacts(
        volumes=volumes,
        claim_names=frozenset(claim["name"] or "" for claim in spec.parts("resourceClaims")),
        grace_seconds=spec["terminationGracePeriodSeconds"],
        restart_policy=spec["restartPolicy"] or "",
        os_name=spec.part("os")["name"],
        has_user_namespace=spec["hostUsers"] is False,
        gates=gates,
    )


def validate_pod_annotations(
    annotations: Mapping[str, str] | None, path: str, gates: Mapping[str, bool]
) -> list[FieldError]:
    """What a pod's controller reads of its annotations (RS-COST-03)."""
    if annotations and is_enabled(gates, "PodDeletionCost") and read_deletion_cost(annotations) is None:
        value, detail = annotations[DELETION_COST], "must be a 32bit integer"
        return [invalid(f"{path}[{DELETION_COST}]", value, detail)]
    return []


def validate_pod_spec(spec: Part, gates: Mapping[str, bool]) -> None:
    """All rules of a pod's spec but those of updates, in the API server's order."""
    volumes = validate_volumes(spec)
    _validate_claims(spec)
    validate_containers(spec, make_facts(spec, gates, volumes))
    validate_pod_resources(spec)
    validate_host_network_ports(spec)
    spec.choice("restartPolicy", RESTART_POLICIES, needed=True)
    spec.choice("dnsPolicy", DNS_POLICIES)
    spec.apply("nodeSelector", validate_labels)
    validate_pod_security(spec)
    _validate_affinity(spec.part("affinity"))
    validate_dns(spec)
    _validate_gates(spec)
    _validate_spread(spec)
    _validate_host_users(spec)
    _validate_host_name(spec)
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
    spec.choice("preemptionPolicy", PREEMPTION_POLICIES, needed=spec["preemptionPolicy"] is not None)
    _validate_os(spec)
    validate_system(spec)


def _validate_host_name(spec: Part) -> None:
    """A host name of the pod's own takes the place of all that would else make one."""
    name = spec["hostnameOverride"]
    if name is None:
        return
    for field in ("setHostnameAsFQDN", "hostNetwork"):
        if spec[field]:
            spec.forbid("hostnameOverride", f"may not be specified when {field} is true")
    if len(name.encode()) > LONGEST_HOST_NAME:
        spec.errors.append(too_long(spec.at("hostnameOverride"), LONGEST_HOST_NAME))
    spec.complain("hostnameOverride", check_subdomain(name))


def _validate_os(spec: Part) -> None:
    """The operating system, which the API server calls wrong by another path than absent (PODOS-01)."""
    if spec["os"] is None:
        return
    name = spec["os"].get("name")
    if not name:
        spec.require("os.name")
    else:
        spec.support("os", ("linux", "windows"), name)


def _validate_claims(spec: Part) -> None:
    """Devices that the pod names: each by a claim of its own or by the template of one."""
    names: set[str] = set()
    for claim in spec.parts("resourceClaims"):
        claim.text("name", check_label, needed=True)
        if claim["name"]:
            claim.once("name", claim["name"], names)
        sources = claim.list_given(("resourceClaimName", "resourceClaimTemplateName"))
        shown = show_struct("PodResourceClaim", claim.data)
        if len(sources) > 1:
            detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            claim.refuse("", detail, shown)
        elif not sources:
            detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            claim.refuse("", detail, shown)
        for field in sources:
            claim.complain(field, check_subdomain(claim[field]))


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


def _validate_affinity(affinity: Part) -> None:
    """Pod affinity needs a topology; weights run from 1 to 100."""
    validate_node_affinity(affinity.part("nodeAffinity"))
    for name in ("podAffinity", "podAntiAffinity"):
        rules = affinity.part(name)
        for term in rules.parts(REQUIRED):
            _validate_affinity_term(term)
        for weighted in rules.parts(PREFERRED):
            weight = weighted["weight"] or 0
            if not 1 <= weight <= 100:
                weighted.refuse("weight", "must be in the range 1-100", weight)
            _validate_affinity_term(weighted.part("podAffinityTerm"))


def _validate_affinity_term(term: Part) -> None:
    term.apply("labelSelector", validate_selector)
    term.apply("namespaceSelector", validate_selector)
    for namespace in term["namespaces"] or ():
        term.complain("namespace", check_label(namespace), namespace)
    _validate_label_keys(term, "matchLabelKeys", "mismatchLabelKeys")
    term.need("topologyKey", "can not be empty")
    term.complain("topologyKey", check_qualified(term["topologyKey"] or ""), term["topologyKey"] or "")


def _validate_spread(spec: Part) -> None:
    constraints = spec.parts("topologySpreadConstraints")
    kinds = [f"{{{one['topologyKey'] or ''}, {one['whenUnsatisfiable'] or ''}}}" for one in constraints]
    for index, constraint in enumerate(constraints):
        skew = constraint["maxSkew"] or 0
        if skew <= 0:
            constraint.refuse("maxSkew", "must be greater than zero", skew)
        constraint.need("topologyKey", "can not be empty")
        action = constraint["whenUnsatisfiable"] or ""
        constraint.support("whenUnsatisfiable", ("DoNotSchedule", "ScheduleAnyway"), action)
        if kinds[index] in kinds[index + 1 :]:
            path = constraint.at("{topologyKey, whenUnsatisfiable}")
            constraint.errors.append(duplicate(path, kinds[index]))
        _validate_domains(constraint, action)
        for field in constraint.list_given(("nodeAffinityPolicy", "nodeTaintsPolicy")):
            constraint.support(field, ("Honor", "Ignore"))
        _validate_label_keys(constraint, "matchLabelKeys")
        constraint.apply("labelSelector", validate_selector)


def _validate_domains(constraint: Part, action: str) -> None:
    """How many topologies there have to be, where a pod waits for them."""
    least = constraint["minDomains"]
    if least is None:
        return
    if least <= 0:
        constraint.refuse("minDomains", "must be greater than zero")
    if action != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        constraint.refuse("minDomains", detail)


def _validate_label_keys(holder: Part, *fields: str) -> None:
    """Labels whose values are the pod's own: beside a selector, and not asked for and excluded at once."""
    for field in fields:
        if holder[field] and holder["labelSelector"] is None:
            holder.forbid(field, "must not be specified when labelSelector is not set")
            continue
        for index, key in enumerate(holder[field] or ()):
            holder.complain(f"{field}[{index}]", check_qualified(key), key)
    excluded = [key for field in fields[1:] for key in holder[field] or ()]
    for index, key in enumerate(holder[fields[0]] or ()):
        if key in excluded:
            holder.refuse(f"{fields[0]}[{index}]", "exists in both matchLabelKeys and mismatchLabelKeys", key)
