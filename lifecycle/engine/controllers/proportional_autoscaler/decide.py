"""How many replicas a cluster's size asks for, by a line or a ladder; or which requests, by steps.

The add-ons are switched on by running them: a Deployment of the image `cluster-proportional-autoscaler`,
whose flags say what is scaled and which ConfigMap holds the parameters, or of its sister for requests,
`cluster-proportional-vertical-autoscaler`, with the parameters in the flag `--default-config`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.node import Node
from ...objects.quantity import canonical_sum, parse_quantity
from ...rules.limits.json_bounds import read_json

IMAGE = "cluster-proportional-autoscaler"
VERTICAL = "cluster-proportional-vertical-autoscaler"
POLL_SECONDS = 10
KINDS = {
    "deployment": "Deployment",
    "replicaset": "ReplicaSet",
    "replicationcontroller": "ReplicationController",
}
OF_TEMPLATES = {"deployment": "Deployment", "daemonset": "DaemonSet", "replicaset": "ReplicaSet"}
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Flags:
    """What its command line says: the ConfigMap, what is scaled and where, and how often it looks.

    `source`: which of the two it is. `config`: the parameters of the one for requests.
    """

    source: str
    config_map: str
    kind: str
    name: str
    namespace: str
    poll_ms: int
    config: str = ""


@dataclass(frozen=True, slots=True)
class Size:
    """A cluster: its nodes and cores, and those of them that take pods."""

    nodes: int
    cores: int
    open_nodes: int
    open_cores: int


def read_flags(spec: Json, namespace: str) -> Flags | None:
    """The flags of the first container that runs the add-on; None where none does, or says what it scales."""
    pods = (spec.get("template") or {}).get("spec") or {}
    for container in pods.get("containers") or ():
        stem = str(container.get("image", "")).rpartition("/")[2].partition(":")[0]
        # The image of each architecture is called so with a suffix.
        source = next((name for name in (IMAGE, VERTICAL) if f"{stem}-".startswith(f"{name}-")), "")
        if source:
            words = [*(container.get("command") or ()), *(container.get("args") or ())]
            return _read_words([str(word) for word in words], namespace, source)
    return None


def _read_words(words: Iterable[str], namespace: str, source: str) -> Flags | None:
    found = dict(word.lstrip("-").split("=", 1) for word in words if word.startswith("--") and "=" in word)
    kind, _, name = found.get("target", "").partition("/")
    kinds, needed = (KINDS, "configmap") if source == IMAGE else (OF_TEMPLATES, "default-config")
    if kind.lower() not in kinds or not name or not found.get(needed):
        return None
    seconds = found.get("poll-period-seconds", "")
    period = int(seconds) if seconds.isdigit() and 0 < int(seconds) <= 86_400 else POLL_SECONDS
    where, config = found.get("namespace") or namespace, found.get("default-config", "")
    return Flags(source, found.get("configmap", ""), kinds[kind.lower()], name, where, period * 1000, config)


def measure(nodes: Iterable[Node]) -> Size:
    """The size of a cluster."""
    counted = list(nodes)
    taking = [node for node in counted if not node.spec.unschedulable]
    cores, open_cores = (
        sum(node.status.allocatable.get("cpu", 0) for node in some) // 1000 for some in (counted, taking)
    )
    return Size(len(counted), cores, len(taking), open_cores)


def decide_replicas(data: Json, size: Size) -> int:
    """The replicas that the parameters in a ConfigMap's data ask for (CPA-01, CPA-02). Raises ValueError.

    40 nodes and one replica for 16 of them: 3.
    """
    modes = [mode for mode in ("linear", "ladder") if data.get(mode)]
    if len(modes) != 1:
        raise ValueError("expects one of linear and ladder")
    try:
        params = read_json(data[modes[0]])
    except ValueError:
        raise ValueError(f"{modes[0]}: is not JSON") from None
    if not isinstance(params, dict):
        raise ValueError(f"{modes[0]}: must be an object")
    try:
        return _by_line(params, size) if modes[0] == "linear" else _by_ladder(params, size)
    except (TypeError, AttributeError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{modes[0]}: its numbers cannot be read") from None


def _by_line(params: Json, size: Size) -> int:
    all_nodes = params.get("includeUnschedulableNodes") is True
    nodes, cores = (size.nodes, size.cores) if all_nodes else (size.open_nodes, size.open_cores)
    given = ((cores, params.get("coresPerReplica")), (nodes, params.get("nodesPerReplica")))
    replicas = max((ceil(count / each) for count, each in given if each), default=0)
    least = max(params.get("min") or 1, 1)
    if params.get("preventSinglePointFailure") is True and nodes > 1:
        least = max(least, 2)
    replicas = max(replicas, least)
    return int(min(replicas, params["max"]) if params.get("max") else replicas)


def _by_ladder(params: Json, size: Size) -> int:
    """The highest step that is reached, of cores and nodes the higher; below the first step, that one."""
    all_nodes = params.get("includeUnschedulableNodes") is True
    nodes, cores = (size.nodes, size.cores) if all_nodes else (size.open_nodes, size.open_cores)
    found = []
    for count, name in ((cores, "coresToReplicas"), (nodes, "nodesToReplicas")):
        steps = sorted((int(at), int(replicas)) for at, replicas in params.get(name) or ())
        reached = [replicas for at, replicas in steps if at <= count] or [one for _, one in steps[:1]]
        found.append(reached[-1] if reached else 0)
    return max(found)


# --- requests -----------------------------------------------------------------------------------------------


def decide_resources(config: str, size: Size) -> dict[str, dict[str, dict[str, str]]]:
    """By container the requests and limits that a cluster of this size asks for (CPA-03). Raises ValueError.

    A base of 10m and a step of 1m for each node are 50m with 40 nodes.
    """
    try:
        params = read_json(config)
        return {
            str(container): {
                group: {name: _step(name, one, size) for name, one in given[group].items()}
                for group in ("requests", "limits")
                if given.get(group)
            }
            for container, given in params.items()
        }
    except (TypeError, AttributeError, KeyError, OverflowError, ZeroDivisionError):
        raise ValueError("default-config: cannot be read") from None


def _step(resource: str, given: Json, size: Size) -> str:
    counts = ((size.cores, given.get("coresPerStep")), (size.nodes, given.get("nodesPerStep")))
    steps = max((ceil(count / each) for count, each in counts if each), default=0)
    base = parse_quantity(given.get("base", 0))
    amount = base + parse_quantity(given.get("step", 0)) * steps
    if given.get("max") is not None:
        amount = min(amount, parse_quantity(given["max"]))
    return canonical_sum(amount, given.get("base") or given.get("step") or "1")
