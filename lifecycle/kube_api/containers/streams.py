"""What is asked of a container by exec, attach and port-forward, and what of it cannot be had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lifecycle.engine.rules.validation.words.field_error import required
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.containers import choice
from lifecycle.kube_api.status import Refusal, bad_request
from lifecycle.models import Cluster, StoredObject

EXEC, ATTACH, PORT_FORWARD = "exec", "attach", "portforward"
ACTIONS = (EXEC, ATTACH, PORT_FORWARD)
NO_INPUT = "a running program takes no input here: attach without -i, or use exec"
NO_PORTS = (
    "port-forward is not simulated: programs in pods answer probes and each other, but no bytes travel."
    " `kubectl exec {pod} -- wget -qO- localhost:PORT` asks from within"
)
NO_SPDY = "this server speaks WebSocket (v5.channel.k8s.io), not SPDY: use kubectl 1.31 or newer"


@dataclass(frozen=True, slots=True)
class Streamed:
    """A request that can be met: of which container, what, and with which streams."""

    pod: StoredObject
    container: str
    action: str
    command: list[str]
    has_input: bool
    is_terminal: bool
    wants_output: bool
    wants_errors: bool
    problem: str
    """What the kubelet says when it cannot be met after all; empty when it can."""


def read(cluster: Cluster, namespace: str | None, name: str, action: str, options: Options) -> Streamed:
    """What is asked. Raises Refusal, as server and kubelet refuse, or with what is not simulated."""
    pod = choice.find_pod(cluster, namespace, name)
    command = options.every("command")
    if action == PORT_FORWARD:
        _require_place(cluster, pod, action)
        raise _not_simulated(NO_PORTS.format(pod=name))
    if action == EXEC and not command:
        raise _no_command(name)
    container = choice.choose_container(pod, options.get("container") or "")
    _require_place(cluster, pod, f"{action}/{namespace}/{name}/{container}")
    asked = Streamed(
        pod,
        container,
        action,
        command,
        options.flag("stdin"),
        options.flag("tty"),
        options.flag("stdout"),
        options.flag("stderr"),
        _find_problem(pod, container, action),
    )
    if asked.problem:
        return asked
    if asked.has_input and action == ATTACH:
        raise _not_simulated(NO_INPUT)
    return asked


def refuse(cluster: Cluster, namespace: str | None, name: str, action: str, options: Options) -> Refusal:
    """Why a request that came without a WebSocket is not met."""
    try:
        problem = read(cluster, namespace, name, action, options).problem
    except Refusal as refusal:
        return refusal
    return Refusal(500, problem, "InternalError", {}) if problem else bad_request(NO_SPDY)


def _require_place(cluster: Cluster, pod: StoredObject, what: str) -> None:
    if not pod.data["spec"].get("nodeName"):
        raise bad_request(f"pod {pod.name} does not have a host assigned")
    choice.require_node(cluster, pod, what)


def _find_problem(pod: StoredObject, container: str, action: str) -> str:
    """The kubelet looks for the container only when the API server has let the client in."""
    status = choice.find_status(pod, container) or {}
    if "running" in (status.get("state") or {}):
        return ""
    if action == ATTACH:
        return f"container {container} not found in pod {pod.name}_{pod.namespace}"
    return f'container not found ("{container}")'


def _no_command(name: str) -> Refusal:
    error = required("command")
    details: dict[str, Any] = {
        "name": name,
        "kind": "PodExecOptions",
        "causes": [{"reason": error.type, "message": error.body, "field": error.path}],
    }
    return Refusal(422, f'PodExecOptions "{name}" is invalid: {error}', "Invalid", details)


def _not_simulated(message: str) -> Refusal:
    return Refusal(501, message, "NotImplemented", {})
