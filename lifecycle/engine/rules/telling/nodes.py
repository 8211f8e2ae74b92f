"""What nodes do to a pod: its own one is not ready, or is no more; others have taints that it does not
tolerate. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...objects.condition import find_condition
from ...objects.node import Node
from ...objects.pods.pod import Pod
from ..nodes.taint_evictions import decide_toleration_seconds, list_no_execute
from ..placement.node_filters import tolerates
from .verdicts import quote, tell_instant, tell_span

_READY = "Ready"
_KEEPING_OUT = ("NoSchedule", "NoExecute")
_BY_TAINTS = "untolerated taint"
"""What v1.35's scheduler says instead of the taints (pkg/scheduler/framework/plugins/tainttoleration)."""
_MOST_TAINTS = 3


def tell_node(pod: Pod, nodes: Mapping[str, Node]) -> str:
    """`its node node-1 is not ready since 00:01:40 (…); it is deleted when that has lasted 5m 00s`

    "" where its node is ready, or not known.
    """
    node = nodes.get(pod.node_name)
    ready = find_condition(node.status.conditions, _READY) if node is not None else None
    if node is None or ready is None or ready.status == "True":
        return ""
    since = tell_instant(ready.last_transition_ms or 0)
    why = f"its node {pod.node_name} is not ready since {since}{quote(ready.message)}"
    return "; ".join(filter(None, (why, _tell_end(pod, node))))


def _tell_end(pod: Pod, node: Node) -> str:
    """What taints that drive pods away do to it; "" where there is none yet, or it bears them for good."""
    used = [[one for one in pod.spec.tolerations if one.covers(taint)] for taint in list_no_execute(node)]
    if not used or not all(used):
        return ""
    seconds = decide_toleration_seconds(found[0] for found in used)
    return "" if seconds is None else f"it is deleted when that has lasted {tell_span(seconds * 1000)}"


def tell_taints(pod: Pod, message: str, nodes: Iterable[Node]) -> str:
    """`; not tolerated: node.kubernetes.io/memory-pressure:NoSchedule of node-1`; "" where no taint is why.

    `message`: what the scheduler says of the pod.
    """
    if _BY_TAINTS not in message:
        return ""
    found: dict[str, list[str]] = {}
    for node in nodes:
        for taint in node.spec.taints:
            if taint.effect in _KEEPING_OUT and not tolerates(pod.spec.tolerations, taint):
                value = f"={taint.value}" if taint.value else ""
                found.setdefault(f"{taint.key}{value}:{taint.effect}", []).append(node.meta.name)
    told = [f"{taint} of {_count(names)}" for taint, names in found.items()]
    more = f" and {len(told) - _MOST_TAINTS} more" if len(told) > _MOST_TAINTS else ""
    return f"; not tolerated: {', '.join(told[:_MOST_TAINTS])}{more}" if told else ""


def _count(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} nodes"
