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
NO_UPGRADE = "Upgrade request required"
MOST_PORTS = 32


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
        _require_place(cluster, pod, f"portForward/{namespace}/{name}")
        return Streamed(pod, "", action, [], True, False, False, False, "")
    if action == EXEC and not command:
        raise _no_command(name)
    container = choice.choose_container(pod, options.get("container") or "")
    _require_place(cluster, pod, f"{action}/{namespace}/{name}/{container}")
    return Streamed(
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


def refuse(cluster: Cluster, namespace: str | None, name: str, action: str, options: Options) -> Refusal:
    """Why a request that came without a WebSocket is not met."""
    try:
        problem = read(cluster, namespace, name, action, options).problem
    except Refusal as refusal:
        return refusal
    return Refusal(500, problem, "InternalError", {}) if problem else bad_request(NO_UPGRADE)


def read_ports(options: Options) -> list[int]:
    """The ports that a WebSocket's channels are for. Raises Refusal, in the kubelet's words."""
    given = options.every("ports")
    if not given:
        raise bad_request('query parameter "port" is required')
    words = [word for text in given for word in text.split(",")]
    for word in words:
        if not word:
            raise bad_request('query parameter "port" cannot be empty')
        if not (word.isascii() and word.isdigit() and len(word) <= 5 and int(word) < 1 << 16):
            raise bad_request(f'unable to parse "{word}" as a port: use a whole number from 1 to 65535')
        if not int(word):
            raise bad_request(f'port "{word}" must be > 0')
    if len(words) > MOST_PORTS:
        raise bad_request(f"{len(words)} ports: at most {MOST_PORTS} are forwarded by one request")
    return [int(word) for word in words]


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
