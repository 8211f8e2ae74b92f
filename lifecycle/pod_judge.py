"""The judge of one pod: how it is, why, since when, and what comes next. Pure, of what was observed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.pods.state import decide_state
from lifecycle.engine.rules.telling import holds
from lifecycle.engine.rules.telling import pods as pod_words
from lifecycle.engine.rules.telling.nodes import tell_node, tell_taints
from lifecycle.engine.rules.telling.noticed import NOTHING, Noticed

Json = Mapping[str, Any]

UNWELL = ("crashing", "stuck", "unknown")
"""The states of pods that a verdict names first."""
FAILED = ("failed",)
"""The states of pods that it names behind all others: they have an end."""
WELL, SUCCEEDED = "ready", "succeeded"
"""The state of pods that are well."""
ENDED = (SUCCEEDED, *FAILED)
"""The states of pods that have an end: what they lost on the way is no coming and going any more."""
UP = (WELL, *holds.HELD)
"""The states of pods that may have been down a moment ago, and may be so again."""
HELD = holds.HELD
"""The states of pods that are looked at more closely: what holds one so, its rows tell."""
ENDING, GOING = holds.ENDING, holds.GOING
"""The states of pods that should be gone when their grace period is over; of Jobs' pods the first alone."""


class SeenPod(NamedTuple):
    """A stored pod, its `state`, and what its rows leave."""

    data: Json
    state: str
    noticed: Noticed = NOTHING


class Troubled(NamedTuple):
    """A pod that is not well, and how many others are not; what holds it, where it is not down."""

    pod: SeenPod
    others: int = 0
    hold: holds.Hold | None = None


def read_state(pod: Json, epoch_ms: int) -> str:
    """The `state` of a stored pod."""
    return decide_state(Pod.from_json(pod, epoch_ms)).name


def find_hold(pod: SeenPod, now_ms: int, epoch_ms: int, nodes: Mapping[str, Node] = {}) -> holds.Hold | None:
    """What keeps a pod from being ready, by its node, its status and its rows."""
    read = Pod.from_json(pod.data, epoch_ms)
    if why := _tell_node(read, nodes):
        return holds.Hold(why, "", is_lasting=True)
    return holds.find_hold(read, pod.noticed, now_ms)


def _tell_node(pod: Pod, nodes: Mapping[str, Node]) -> str:
    """Its node, where that is not ready: what is known of the pod is what the kubelet said before."""
    return "" if pod.meta.deletion_ms is not None or pod.is_finished else tell_node(pod, nodes)


def judge_pod(
    pod: SeenPod,
    now_ms: int,
    epoch_ms: int,
    deleted_ms: int | None = None,
    nodes: Mapping[str, Node] = {},
) -> str:
    """One sentence on a pod: how it is, since when, why, and what comes next."""
    read = Pod.from_json(pod.data, epoch_ms)
    hold = None if deleted_ms is not None else holds.find_hold(read, pod.noticed, now_ms)
    told = pod_words.tell_pod(read, now_ms, deleted_ms, hold, pod.noticed)
    if deleted_ms is not None:
        return told
    node, taints = _tell_node(read, nodes), tell_taints(read, told, nodes.values())
    also = f"{taints}; {node}" if node else taints
    return f"{told.removesuffix('.')}{also}." if also else told


def has_restarted_lately(pod: Json, now_ms: int, epoch_ms: int) -> bool:
    """Whether a pod is up, and ended so lately that its next end is still backed off from."""
    read = Pod.from_json(pod, epoch_ms)
    return decide_state(read).name in UP and pod_words.has_restarted_lately(read, now_ms)


def keeps_restarting(pod: Json, now_ms: int, epoch_ms: int) -> bool:
    """Whether a pod is up, and is likely to be down again soon."""
    read = Pod.from_json(pod, epoch_ms)
    return decide_state(read).name in UP and pod_words.keeps_restarting(read, now_ms)


def tell_troubled(troubled: Troubled, now_ms: int, epoch_ms: int, nodes: Mapping[str, Node] = {}) -> str:
    """`web-0 and 2 more pods: CrashLoopBackOff, not ready since 00:02:10, next retry in 20s: app ended …`"""
    pod, noticed = Pod.from_json(troubled.pod.data, epoch_ms), troubled.pod.noticed
    if troubled.hold is not None:
        return pod_words.tell_held(pod, troubled.others, troubled.hold.why)
    if decide_state(pod).name in UP:
        return pod_words.tell_restarted(pod, troubled.others, now_ms, noticed)
    told = pod_words.tell_trouble(pod, troubled.others, now_ms, noticed)
    return f"{told}{tell_taints(pod, told, nodes.values())}"


def find_overdue(pods: Iterable[SeenPod], now_ms: int, epoch_ms: int) -> Troubled | None:
    """Of pods the first that should be gone."""
    for one in pods:
        hold = holds.find_overdue(Pod.from_json(one.data, epoch_ms), now_ms)
        if hold is not None:
            return Troubled(one, 0, hold)
    return None


class Verdict(NamedTuple):
    """One sentence, and whether nothing is wrong: now, or in the last minutes."""

    sentence: str
    is_well: bool


def judge_lone(
    pod: SeenPod, now_ms: int, epoch_ms: int, nodes: Mapping[str, Node] = {}, condition: str = ""
) -> Verdict:
    """Of a pod that nobody controls, which has no workload's verdict.

    `condition`: what has to be true for it to be as well as it looks.
    """
    read = Pod.from_json(pod.data, epoch_ms)
    is_calm = not pod_words.has_restarted_lately(read, now_ms) and pod.noticed.refused is None
    is_up = pod.state == WELL and is_calm and find_hold(pod, now_ms, epoch_ms, nodes) is None
    told = judge_pod(pod, now_ms, epoch_ms, nodes=nodes)
    if condition and pod.state in (WELL, SUCCEEDED):
        told = f"{told.removesuffix('.')}, {condition}."
    return Verdict(told, is_up or pod.state == SUCCEEDED)
