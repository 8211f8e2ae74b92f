"""Pods that were made to go: by preemption, taints, pressure, a shutdown, a node that is no more. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .noticed import Disrupted, Noticed, is_lately
from .verdicts import quote, tell_instant

_BY_EVICTION = "EvictionByEvictionAPI"
"""What drains and evictions do is told with these."""
_WORDS = {
    "PreemptionByScheduler": "preempted for pods of a higher priority",
    "DeletionByTaintManager": "evicted from a node with a taint that they do not tolerate",
    "TerminationByKubelet": "ended by the kubelet",
    "DeletionByPodGC": "deleted, as their node is no more",
    _BY_EVICTION: "evicted",
}


def find_disrupted(noticed: Iterable[Noticed]) -> list[Disrupted]:
    """All that were made to go, in order, but for those that were evicted by somebody's wish."""
    found = [one.disrupted for one in noticed if one.disrupted is not None]
    return sorted(one for one in found if one.reason != _BY_EVICTION)


def tell_disrupted(noticed: Iterable[Noticed], now_ms: int) -> str:
    """`2 pods were preempted for pods of a higher priority, last at 00:05:00 (…)`; "" of none lately."""
    late = [one for one in find_disrupted(noticed) if is_lately(one.at_ms, now_ms)]
    return "; ".join(_tell(reason, late) for reason in Counter(one.reason for one in late))


def _tell(reason: str, found: list[Disrupted]) -> str:
    mine = [one for one in found if one.reason == reason]
    many = f"{len(mine)} pod{'s were' if len(mine) > 1 else ' was'}"
    last = mine[-1]
    return f"{many} {tell_how(reason)}, last at {tell_instant(last.at_ms)}{quote(last.message)}"


def tell_how(reason: str) -> str:
    """`preempted for pods of a higher priority`; a reason that nobody knows as it is."""
    return _WORDS.get(reason, f"made to go by {reason}")
