"""Defaults of pods and pod templates, and fields that a closed feature gate drops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ...objects.names import DEFAULT_SCHEDULER
from ...objects.pods.container import default_pull_policy
from ...releases.gates import is_enabled

Json = dict[str, Any]

TERMINATION_GRACE_SECONDS = 30
EVICTION_TOLERATION_SECONDS = 300
"""How long a pod stays bound to a node that is not ready or unreachable (admission plug-in)."""
_NOT_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_PROBE_NUMBERS = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_CONTAINER_GROUPS = ("initContainers", "containers", "ephemeralContainers")


def default_pod_spec(spec: Mapping[str, Any], gates: Mapping[str, bool]) -> Json:
    """The defaults that every pod spec gets, in a pod as in a template."""
    found = _drop_gated(dict(spec), gates)
    fill(
        found,
        restartPolicy="Always",
        terminationGracePeriodSeconds=TERMINATION_GRACE_SECONDS,
        dnsPolicy="ClusterFirst",
        schedulerName=DEFAULT_SCHEDULER,
        securityContext={},
    )
    # Both names of the account mean the same; the old one is still written for old clients.
    account = found.get("serviceAccountName") or found.get("serviceAccount")
    if account:
        found["serviceAccountName"] = found["serviceAccount"] = account
    for group in _CONTAINER_GROUPS:
        if found.get(group):
            found[group] = [_default_container(container) for container in found[group]]
    if found.get("volumes"):
        found["volumes"] = [_default_volume(volume) for volume in found["volumes"]]
    if found.get("imagePullSecrets"):
        # A reference to nothing is an empty one.
        found["imagePullSecrets"] = [
            {name: value for name, value in one.items() if value} for one in found["imagePullSecrets"]
        ]
    if found.get("hostNetwork"):
        found["containers"] = [_with_host_ports(container) for container in found.get("containers") or ()]
    return found


def default_pod(spec: Mapping[str, Any], gates: Mapping[str, bool]) -> Json:
    """The defaults of a pod itself: those of its spec, and what admission adds when it is created."""
    found = default_pod_spec(spec, gates)
    if found["terminationGracePeriodSeconds"] < 0:
        # Of a pod, not of a template, the API server reads less than nothing as the shortest time.
        found["terminationGracePeriodSeconds"] = 1
    fill(
        found,
        enableServiceLinks=True,
        serviceAccountName="default",
        serviceAccount="default",
    )
    for group in ("initContainers", "containers"):
        if found.get(group):
            found[group] = [_with_requests(container) for container in found[group]]
    found["tolerations"] = _with_not_ready(found.get("tolerations") or [])
    return found


def keep_priority(before: Mapping[str, Any], after: Mapping[str, Any]) -> Json:
    """A pod keeps what its PriorityClass gave it, though who writes it may leave that out."""
    found = dict(after)
    fill(found, priority=before.get("priority"), preemptionPolicy=before.get("preemptionPolicy"))
    return found


def fill(found: Json, **defaults: Any) -> None:
    """Set what is absent. A text of no letters is one that was not given."""
    for name, value in defaults.items():
        if found.get(name) in (None, ""):
            found[name] = value


def fill_pointers(found: Json, **defaults: Any) -> None:
    """Set what is absent. A text of no letters is there: it will be refused."""
    for name, value in defaults.items():
        if found.get(name) is None:
            found[name] = value


def _default_container(container: Mapping[str, Any]) -> Json:
    found = dict(container)
    fill(
        found,
        terminationMessagePath="/dev/termination-log",
        terminationMessagePolicy="File",
        imagePullPolicy=default_pull_policy(found.get("image") or ""),
        resources={},
    )
    if found.get("ports"):
        found["ports"] = [{**port, "protocol": port.get("protocol") or "TCP"} for port in found["ports"]]
    for name in _PROBES:
        if found.get(name) is not None:
            found[name] = _default_probe(found[name])
    if found.get("lifecycle") is not None:
        found["lifecycle"] = {
            name: _default_handler(hook) if isinstance(hook, Mapping) else hook
            for name, hook in found["lifecycle"].items()
        }
    if found.get("env"):
        found["env"] = [_default_variable(variable) for variable in found["env"]]
    return found


def _default_probe(probe: Mapping[str, Any]) -> Json:
    """0 counts as not given, so no probe can have a period or threshold of 0 (PROBE-23)."""
    found = _default_handler(probe)
    for name, value in _PROBE_NUMBERS.items():
        found[name] = found.get(name) or value
    if found.get("grpc") is not None:
        found["grpc"] = {"service": "", **found["grpc"]}
    return found


def _default_handler(handler: Mapping[str, Any]) -> Json:
    found = dict(handler)
    if found.get("httpGet") is not None:
        request = dict(found["httpGet"])
        fill(request, path="/", scheme="HTTP")
        request["path"] = request["path"] or "/"
        found["httpGet"] = request
    return found


def _default_variable(variable: Mapping[str, Any]) -> Json:
    found = dict(variable)
    if found.get("valueFrom"):
        found["valueFrom"] = _default_field(found["valueFrom"])
    return found


def _default_field(source: Mapping[str, Any]) -> Json:
    """What names a field of the pod, or an amount of one of its containers."""
    found = dict(source)
    if found.get("fieldRef") is not None:
        found["fieldRef"] = {"apiVersion": "v1", **found["fieldRef"]}
    elif found.get("resourceFieldRef") is not None:
        found["resourceFieldRef"] = {"divisor": "0", **found["resourceFieldRef"]}
    return found


def _with_requests(container: Mapping[str, Any]) -> Json:
    """What is limited and not requested is requested as limited."""
    resources = container.get("resources") or {}
    limits = resources.get("limits") or {}
    if not limits:
        return dict(container)
    requests = {**limits, **(resources.get("requests") or {})}
    return {**container, "resources": {**resources, "requests": requests}}


def _with_host_ports(container: Mapping[str, Any]) -> Json:
    """On the host's network every container port is the host's port."""
    if not container.get("ports"):
        return dict(container)
    ports = [
        {**port, "hostPort": port.get("hostPort") or port.get("containerPort")} for port in container["ports"]
    ]
    return {**container, "ports": ports}


def _default_volume(volume: Mapping[str, Any]) -> Json:
    found = dict(volume)
    if all(source is None for field, source in found.items() if field != "name"):
        # A volume without a source is an empty directory.
        found["emptyDir"] = {}
    for name in ("configMap", "secret", "downwardAPI", "projected"):
        if found.get(name) is not None:
            found[name] = {"defaultMode": 0o644, **found[name]}
    if found.get("hostPath") is not None:
        found["hostPath"] = {"type": "", **found["hostPath"]}
    if found.get("downwardAPI") is not None:
        found["downwardAPI"] = _default_files(found["downwardAPI"])
    if (found.get("projected") or {}).get("sources"):
        sources = [_default_source(source) for source in found["projected"]["sources"]]
        found["projected"] = {**found["projected"], "sources": sources}
    return found


def _default_source(source: Mapping[str, Any]) -> Json:
    """One of the sources of a projected volume."""
    found = dict(source)
    if found.get("downwardAPI") is not None:
        found["downwardAPI"] = _default_files(found["downwardAPI"])
    if found.get("serviceAccountToken") is not None:
        found["serviceAccountToken"] = {"expirationSeconds": 3600, **found["serviceAccountToken"]}
    return found


def _default_files(source: Mapping[str, Any]) -> Json:
    found = dict(source)
    if found.get("items"):
        found["items"] = [_default_field(item) for item in found["items"]]
    return found


def _with_not_ready(tolerations: list[Json]) -> list[Json]:
    """Unless the pod says otherwise it leaves a lost node after 300 s."""
    found = list(tolerations)
    for key in _NOT_READY:
        if not any(_tolerates(toleration, key) for toleration in tolerations):
            found.append(
                {
                    "key": key,
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": EVICTION_TOLERATION_SECONDS,
                }
            )
    return found


def _tolerates(toleration: Mapping[str, Any], key: str) -> bool:
    return toleration.get("key") in (None, "", key) and toleration.get("effect") in (None, "", "NoExecute")


def _drop_gated(spec: Json, gates: Mapping[str, bool]) -> Json:
    """Fields of a closed gate are not stored (CRULE-14, STOPSIG-07)."""
    if not is_enabled(gates, "HostnameOverride"):
        spec.pop("hostnameOverride", None)
    drops = [one.drop for one in _DROPS if not is_enabled(gates, one.gate)]
    for group in _CONTAINER_GROUPS if drops else ():
        if spec.get(group):
            spec[group] = [dict(container) for container in spec[group]]
            for container in spec[group]:
                for drop in drops:
                    drop(container, group)
    return spec


def _drop_rules(container: Json, group: str) -> None:
    container.pop("restartPolicyRules", None)
    # `Always` on an init container makes a sidecar, which needs no gate any more.
    if group == "containers" or container.get("restartPolicy") != "Always":
        container.pop("restartPolicy", None)


def _drop_signal(container: Json, group: str) -> None:
    lifecycle = container.get("lifecycle")
    if isinstance(lifecycle, Mapping) and "stopSignal" in lifecycle:
        rest = {name: hook for name, hook in lifecycle.items() if name != "stopSignal"}
        if rest:
            container["lifecycle"] = rest
        else:
            del container["lifecycle"]


def _drop_file_keys(container: Json, group: str) -> None:
    variables = container.get("env")
    if isinstance(variables, list):
        container["env"] = [_without_file_key(variable) for variable in variables]


def _without_file_key(variable: Any) -> Any:
    source = variable.get("valueFrom") if isinstance(variable, Mapping) else None
    if not isinstance(source, Mapping) or "fileKeyRef" not in source:
        return variable
    return {**variable, "valueFrom": {name: one for name, one in source.items() if name != "fileKeyRef"}}


class _Drop(NamedTuple):
    """What a gate that is off takes from a container of a group."""

    gate: str
    drop: Callable[[Json, str], None]


_DROPS = (
    _Drop("ContainerRestartRules", _drop_rules),
    _Drop("ContainerStopSignals", _drop_signal),
    _Drop("EnvFiles", _drop_file_keys),
)
