"""Containers of a pod: app, init, sidecar and ephemeral ones, each with what it may not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .downward import validate_env
from .field_error import (
    FieldError,
    check_choice,
    check_range,
    duplicate,
    each_invalid,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
    too_many,
)
from .names import check_label, check_port_name
from .probes import PROBES, validate_lifecycle, validate_probes
from .resources import validate_resources
from .security_contexts import validate_container_security
from .volumes import validate_mounts

RESTART_POLICIES = ("Always", "OnFailure", "Never")
CONTAINER_RESTART_POLICIES = ("Always", "Never", "OnFailure")
PULL_POLICIES = ("Always", "IfNotPresent", "Never")
MOST_RULES = 20
MOST_EXIT_CODES = 255
NOT_FOR_EPHEMERAL = "cannot be set for an Ephemeral Container"
RESTART_ALL_GATE = "RestartAllContainersOnContainerExits"
# What an ephemeral container may not have (EPHEM-04, EPHEM-05, EPHEM-06, VALID-03).
NOT_EPHEMERAL = (
    "ports",
    *PROBES,
    "lifecycle",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
)


@dataclass(frozen=True, slots=True)
class PodFacts:
    """What the checks of a container need to know about its pod."""

    volume_names: frozenset[str]
    grace_seconds: int | None
    os_name: str | None
    has_user_namespace: bool
    gates: Mapping[str, bool]


def validate_containers(spec: Mapping[str, Any], facts: PodFacts, path: str) -> list[FieldError]:
    """All containers of a pod spec, their names unique over all three lists (VALID-01, INIT-23)."""
    errors = []
    names: set[str] = set()
    if not spec.get("containers"):
        errors.append(required(f"{path}.containers"))
    for index, container in enumerate(spec.get("containers") or ()):
        place = f"{path}.containers[{index}]"
        errors += _validate_common(container, facts, place)
        errors += _validate_unique(container, names, place)
        errors += _validate_lifecycle(container, facts, place)
        errors += validate_probes(container, place)
        errors += _validate_restart(container, facts, place)
    errors += _validate_host_ports(spec.get("containers") or (), f"{path}.containers")
    for index, container in enumerate(spec.get("initContainers") or ()):
        place = f"{path}.initContainers[{index}]"
        errors += _validate_common(container, facts, place)
        errors += _validate_restart(container, facts, place)
        errors += _validate_unique(container, names, place)
        # Init containers run one by one: none can take another's port. Its place in the list is not told.
        errors += _validate_host_ports((container,), f"{path}.initContainers")
        errors += _validate_init(container, facts, place)
    errors += validate_ephemeral(spec, facts, path, names)
    return errors


def validate_ephemeral(
    spec: Mapping[str, Any], facts: PodFacts, path: str, names: set[str]
) -> list[FieldError]:
    """Ephemeral containers: `names` holds those of all other containers."""
    errors = []
    targets = {
        container.get("name")
        for group in ("containers", "initContainers")
        for container in spec.get(group) or ()
    }
    for index, container in enumerate(spec.get("ephemeralContainers") or ()):
        place = f"{path}.ephemeralContainers[{index}]"
        errors += _validate_common(container, facts, place)
        errors += validate_image_text(container, place)
        errors += _validate_unique(container, names, place)
        target = container.get("targetContainerName")
        if target and target not in targets:
            errors.append(not_found(f"{place}.targetContainerName", target))
        for field in NOT_EPHEMERAL:
            # An empty `resources` is what defaulting writes; it asks for nothing.
            if container.get(field):
                errors.append(forbidden(f"{place}.{field}", NOT_FOR_EPHEMERAL))
        errors += _forbid_sub_paths(container, f"{place}.volumeMounts")
    return errors


def validate_image_text(container: Mapping[str, Any], path: str) -> list[FieldError]:
    """Spaces around an image's name: allowed in a template, for what was stored long ago."""
    image = container.get("image") or ""
    if image == image.strip():
        return []
    return [invalid(f"{path}.image", image, "must not have leading or trailing whitespace")]


def _forbid_sub_paths(container: Mapping[str, Any], path: str) -> list[FieldError]:
    return [
        forbidden(f"{path}[{index}].{field}", NOT_FOR_EPHEMERAL)
        for index, mount in enumerate(container.get("volumeMounts") or ())
        for field in ("subPath", "subPathExpr")
        if mount.get(field)
    ]


def _validate_unique(container: Mapping[str, Any], names: set[str], path: str) -> list[FieldError]:
    name = container.get("name") or ""
    if name in names:
        return [duplicate(f"{path}.name", name)]
    if name:
        names.add(name)
    return []


def _validate_common(container: Mapping[str, Any], facts: PodFacts, path: str) -> list[FieldError]:
    """What holds for every sort of container, in the API server's order."""
    name, image = container.get("name"), container.get("image")
    errors = each_invalid(f"{path}.name", name, check_label(name)) if name else [required(f"{path}.name")]
    if not image:
        errors.append(required(f"{path}.image"))
    policy = container.get("terminationMessagePolicy")
    errors += check_choice(f"{path}.terminationMessagePolicy", policy, ("File", "FallbackToLogsOnError"))
    errors += _validate_ports(container.get("ports") or (), f"{path}.ports")
    errors += validate_env(container, path)
    errors += validate_mounts(container, facts.volume_names, path)
    errors += check_choice(f"{path}.imagePullPolicy", container.get("imagePullPolicy"), PULL_POLICIES)
    errors += validate_resources(container.get("resources"), f"{path}.resources")
    errors += _validate_resize_policy(container.get("resizePolicy") or (), f"{path}.resizePolicy")
    security = container.get("securityContext") or {}
    errors += validate_container_security(security, facts.has_user_namespace, f"{path}.securityContext")
    return errors


def _validate_ports(ports: Sequence[Mapping[str, Any]], path: str) -> list[FieldError]:
    errors = []
    names = set()
    for index, port in enumerate(ports):
        place = f"{path}[{index}]"
        name, number = port.get("name"), port.get("containerPort") or 0
        if name:
            malformed = each_invalid(f"{place}.name", name, check_port_name(name))
            errors += malformed
            if name in names:
                errors.append(duplicate(f"{place}.name", name))
            elif not malformed:
                names.add(name)
        errors += (
            check_range(f"{place}.containerPort", number, 1, 65535)
            if number
            else [required(f"{place}.containerPort")]
        )
        if port.get("hostPort"):
            errors += check_range(f"{place}.hostPort", port["hostPort"], 1, 65535)
        errors += check_choice(f"{place}.protocol", port.get("protocol"), ("SCTP", "TCP", "UDP"))
    return errors


def _validate_host_ports(containers: Sequence[Mapping[str, Any]], path: str) -> list[FieldError]:
    """No two containers that run together take one port of their node."""
    errors = []
    claims = set()
    for number, container in enumerate(containers):
        for index, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            claim = f"{port.get('protocol') or 'TCP'}/{port.get('hostIP') or ''}/{port['hostPort']}"
            if claim in claims:
                errors.append(duplicate(f"{path}[{number}].ports[{index}].hostPort", claim))
            claims.add(claim)
    return errors


def _validate_resize_policy(policies: Sequence[Mapping[str, Any]], path: str) -> list[FieldError]:
    errors = []
    for index, policy in enumerate(policies):
        place = f"{path}[{index}]"
        errors += check_choice(f"{place}.resourceName", policy.get("resourceName"), ("cpu", "memory"), True)
        choices = ("NotRequired", "RestartContainer")
        errors += check_choice(f"{place}.restartPolicy", policy.get("restartPolicy"), choices, True)
    return errors


def _validate_lifecycle(container: Mapping[str, Any], facts: PodFacts, path: str) -> list[FieldError]:
    lifecycle = container.get("lifecycle")
    if lifecycle is None:
        return []
    return validate_lifecycle(lifecycle, f"{path}.lifecycle", facts.grace_seconds, facts.os_name)


def _validate_init(container: Mapping[str, Any], facts: PodFacts, path: str) -> list[FieldError]:
    """Only a sidecar runs long enough for probes and hooks (INIT-06, PROBE-37, VALID-02)."""
    if container.get("restartPolicy") == "Always":
        return validate_probes(container, path) + _validate_lifecycle(container, facts, path)
    detail = "may not be set for init containers without restartPolicy=Always"
    return [
        forbidden(f"{path}.{field}", detail)
        for field in ("lifecycle", *PROBES)
        if container.get(field) is not None
    ]


def _validate_restart(container: Mapping[str, Any], facts: PodFacts, path: str) -> list[FieldError]:
    """The container's own restart policy and its rules (CRULE-02, CRULE-05, CRULE-08, VALID-05, VALID-07)."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    errors = check_choice(f"{path}.restartPolicy", policy, CONTAINER_RESTART_POLICIES)
    if rules and not policy:
        errors.append(
            required(f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used")
        )
    if len(rules) > MOST_RULES:
        errors.append(too_many(f"{path}.restartPolicyRules", len(rules), MOST_RULES))
    for index, rule in enumerate(rules):
        errors += _validate_rule(rule, facts, f"{path}.restartPolicyRules[{index}]")
    return errors


def _validate_rule(rule: Mapping[str, Any], facts: PodFacts, path: str) -> list[FieldError]:
    actions = ["Restart"]
    if facts.gates.get(RESTART_ALL_GATE):
        actions.append("RestartAllContainers")
    errors = check_choice(f"{path}.action", rule.get("action"), actions, needed=True)
    codes = rule.get("exitCodes")
    if codes is None:
        return [*errors, required(f"{path}.exitCodes", "must be specified")]
    place = f"{path}.exitCodes"
    operator = codes.get("operator")
    if operator not in ("In", "NotIn"):
        errors.append(not_supported(f"{place}.operator", operator or "", ("In", "NotIn")))
    values = codes.get("values") or ()
    if len(values) > MOST_EXIT_CODES:
        errors.append(too_many(f"{place}.values", len(values), MOST_EXIT_CODES))
    return errors
