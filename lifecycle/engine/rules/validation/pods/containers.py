"""Containers of a pod: app, init, sidecar and ephemeral ones, each with what it may not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ....objects.names import RESTART_ALL_GATE
from ....objects.pods.container import NEVER
from ....releases.gates import is_enabled
from ..words.field_error import FieldError, duplicate, too_long
from ..words.names import check_label, check_port_name
from ..words.part import Part
from .downward import validate_env
from .probes import PROBES, validate_lifecycle, validate_probes
from .resources import validate_claim_names, validate_resources
from .security_contexts import validate_container_security
from .volumes import validate_devices, validate_mounts

RESTART_POLICIES = ("Always", "OnFailure", "Never")
CONTAINER_RESTART_POLICIES = ("Always", "Never", "OnFailure")
PULL_POLICIES = ("Always", "IfNotPresent", "Never")
MOST_RULES = 20
SIDECAR = "Always"
MOST_EXIT_CODES = 255
NOT_FOR_EPHEMERAL = "cannot be set for an Ephemeral Container"
# What an ephemeral container may not have (EPHEM-04, EPHEM-05, EPHEM-06, VALID-03).
# In the order of the Go type, by which the API server looks for them.
NOT_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    *PROBES,
    "lifecycle",
)


@dataclass(frozen=True, slots=True)
class PodFacts:
    """What the checks of a container need to know about its pod."""

    volumes: Mapping[str, Mapping[str, Any]]
    """By name, each with its source."""
    claim_names: frozenset[str]
    grace_seconds: int | None
    restart_policy: str
    os_name: str | None
    has_user_namespace: bool
    gates: Mapping[str, bool]


RESIZABLE_INIT_GATE = "InPlacePodVerticalScalingInitContainers"
NO_RESTART_OF_INIT = "must not be set to 'RestartContainer' for non-sidecar initContainers"


def validate_containers(spec: Part, facts: PodFacts) -> None:
    """All containers of a pod spec, their names unique over all three lists (VALID-01, INIT-23)."""
    names: set[str] = set()
    spec.need("containers")
    for container in spec.parts("containers"):
        _validate_common(container, facts)
        _validate_unique(container, names)
        _validate_lifecycle(container, facts)
        validate_probes(container)
        _validate_restart(container, facts)
    spec.errors += _validate_host_ports(spec["containers"] or (), spec.at("containers"))
    for container in spec.parts("initContainers"):
        _validate_common(container, facts)
        _validate_init_restart(container, facts)
        if container["name"] or ("" in names):
            # Init containers without a name are not held against each other.
            _validate_unique(container, names)
        # Init containers run one by one: none can take another's port. Its place in the list is not told.
        spec.errors += _validate_host_ports((container.data,), spec.at("initContainers"))
        _validate_init(container, facts)
    validate_ephemeral(spec, facts, names)


def validate_ephemeral(spec: Part, facts: PodFacts, names: set[str]) -> None:
    """Ephemeral containers: `names` holds those of all other containers."""
    targets = {one["name"] for group in ("containers", "initContainers") for one in spec.parts(group)}
    for container in spec.parts("ephemeralContainers"):
        _validate_common(container, facts)
        validate_image_text(container)
        _validate_unique(container, names)
        target = container["targetContainerName"]
        if target and target not in targets:
            container.miss("targetContainerName", target)
        for field in NOT_EPHEMERAL:
            # An empty `resources` is what defaulting writes; it asks for nothing.
            if container[field]:
                container.forbid(field, NOT_FOR_EPHEMERAL)
        for mount in container.parts("volumeMounts"):
            for field in ("subPath", "subPathExpr"):
                if mount[field]:
                    mount.forbid(field, NOT_FOR_EPHEMERAL)


def validate_image_text(container: Part) -> None:
    """Spaces around an image's name: allowed in a template, for what was stored long ago."""
    image = container["image"] or ""
    if image != image.strip():
        container.refuse("image", "must not have leading or trailing whitespace")


def _validate_unique(container: Part, names: set[str]) -> None:
    """A name that no other container has; having none counts as a name, too."""
    container.once("name", container["name"] or "", names)


def _validate_common(container: Part, facts: PodFacts) -> None:
    """What holds for every sort of container, in the API server's order."""
    container.text("name", check_label, needed=True)
    container.need("image")
    container.choice("terminationMessagePolicy", ("File", "FallbackToLogsOnError"))
    _validate_ports(container.parts("ports"))
    validate_env(container, facts.volumes, facts.gates)
    validate_mounts(container, facts.volumes)
    validate_devices(container, facts.volumes)
    container.choice("imagePullPolicy", PULL_POLICIES)
    container.apply("resources", validate_resources)
    _validate_claims(container, facts)
    _validate_resize_policies(container, facts.restart_policy)
    validate_container_security(container.part("securityContext"), facts.has_user_namespace)


def _validate_claims(container: Part, facts: PodFacts) -> None:
    """Which of the pod's devices a container has."""
    validate_claim_names(container.part("resources"), facts.claim_names)


def _validate_resize_policies(container: Part, restart_policy: str) -> None:
    """What a change of a resource means, said once of each. The API server names the list alone.

    A container of a pod that restarts nothing cannot ask for a restart.
    """
    seen: set[str] = set()
    for index, policy in enumerate(container["resizePolicy"] or ()):
        resource, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
        container.once(f"resizePolicy[{index}]", resource, seen)
        for value, known in ((resource, ("cpu", "memory")), (restart, ("NotRequired", "RestartContainer"))):
            if value:
                container.support("resizePolicy", known, value)
            else:
                container.require("resizePolicy")
        if restart_policy == NEVER and restart != "NotRequired":
            detail = "must be 'NotRequired' when `restartPolicy` is 'Never'"
            container.refuse("resizePolicy", detail, restart)


def _validate_ports(ports: Sequence[Part]) -> None:
    names: set[str] = set()
    for port in ports:
        name = port["name"]
        if name:
            malformed = check_port_name(name)
            port.complain("name", malformed)
            if name in names or not malformed:
                port.once("name", name, names)
        if port["containerPort"]:
            port.within("containerPort", 1, 65535)
        else:
            port.require("containerPort")
        if port["hostPort"]:
            port.within("hostPort", 1, 65535)
        port.choice("protocol", ("SCTP", "TCP", "UDP"))


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


def validate_host_network_ports(spec: Part) -> None:
    """A container in its node's network listens on the node's own port."""
    if not spec["hostNetwork"]:
        return
    for container in spec.parts("containers"):
        for port in container.parts("ports"):
            if port["hostPort"] and port["hostPort"] != port["containerPort"]:
                port.refuse("hostPort", "must match `containerPort` when `hostNetwork` is true")


def _validate_lifecycle(container: Part, facts: PodFacts) -> None:
    if container["lifecycle"] is not None:
        validate_lifecycle(container.part("lifecycle"), facts.grace_seconds, facts.os_name)


def _validate_init(container: Part, facts: PodFacts) -> None:
    """Only a sidecar runs long enough for probes and hooks (INIT-06, PROBE-37, VALID-02)."""
    if container["restartPolicy"] == SIDECAR:
        validate_probes(container)
        _validate_lifecycle(container, facts)
        return
    if is_enabled(facts.gates, RESIZABLE_INIT_GATE):
        for index, policy in enumerate(container["resizePolicy"] or ()):
            if policy.get("restartPolicy") == "RestartContainer":
                path = f"resizePolicy[{index}].restartPolicy"
                container.refuse(path, NO_RESTART_OF_INIT, "RestartContainer")
    for field in container.list_given(("lifecycle", *PROBES)):
        container.forbid(field, "may not be set for init containers without restartPolicy=Always")


def _validate_init_restart(container: Part, facts: PodFacts) -> None:
    """A sidecar starts again whatever its exit code: only the start of a whole pod is left to rules."""
    if container["restartPolicy"] is None:
        _validate_has_policy(container)
    elif container["restartPolicy"] != SIDECAR or is_enabled(facts.gates, RESTART_ALL_GATE):
        _validate_restart(container, facts)
    elif container["restartPolicyRules"]:
        detail = "restartPolicyRules are not allowed for init containers with restart policy Always"
        container.forbid("restartPolicyRules", detail)


def _validate_restart(container: Part, facts: PodFacts) -> None:
    """The container's own restart policy and its rules (CRULE-02, CRULE-05, CRULE-08, VALID-05, VALID-07)."""
    if container["restartPolicy"] is None:
        _validate_has_policy(container)
    container.given("restartPolicy", CONTAINER_RESTART_POLICIES)
    _limit(container, "restartPolicyRules", MOST_RULES)
    for rule in container.parts("restartPolicyRules"):
        _validate_rule(rule, facts)


def _validate_has_policy(container: Part) -> None:
    """Rules are exceptions to a policy that is said."""
    if container["restartPolicyRules"]:
        container.require("restartPolicy", "must specify restartPolicy when restart rules are used")


def _validate_rule(rule: Part, facts: PodFacts) -> None:
    is_restart_of_all = rule["action"] == "RestartAllContainers" and is_enabled(facts.gates, RESTART_ALL_GATE)
    if not is_restart_of_all:
        # With the gate as without it, the API server tells of this action alone.
        rule.support("action", ("Restart",), rule["action"] or "")
    if rule["exitCodes"] is None:
        rule.require("exitCodes", "must be specified")
        return
    codes = rule.part("exitCodes")
    codes.support("operator", ("In", "NotIn"), codes["operator"] or "")
    _limit(codes, "values", MOST_EXIT_CODES)


def _limit(part: Part, field: str, most: int) -> None:
    """A list that may not be longer; the API server calls its entries bytes."""
    if len(part[field] or ()) > most:
        part.errors.append(too_long(part.at(field), most, len(part[field])))
