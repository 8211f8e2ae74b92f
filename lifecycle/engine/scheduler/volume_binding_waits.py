"""Pods that have a node and wait there for their volumes: the scheduler has chosen these, others bind them.

Models the plugin VolumeBinding before the pod itself is bound: it looks at the claims once a second, and
gives up after ten minutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..api.context import Context
from ..objects.pods.pod import Pod
from ..store.store import Store
from .volume_binding import Choice, are_all_bound, write_choice

LOOK = "schedule.volumes"
TOO_LATE = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
_PATIENCE_MS = 600_000


class VolumeWaits:
    """`by_uid`: the node, since when, the number of the timer of the next look, and whether it is soon."""

    __slots__ = ("_context", "_store", "by_uid")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store: Store = context.store
        self.by_uid: dict[str, tuple[str, int, int, bool]] = {}

    def save(self) -> list[list[Any]]:
        """Plain data of each."""
        return [[uid, *wait] for uid, wait in self.by_uid.items()]

    def load(self, saved: Iterable[list[Any]]) -> None:
        """Go on from what `save` described."""
        self.by_uid = {uid: (node, since_ms, number, soon) for uid, node, since_ms, number, soon in saved}

    def node_of(self, uid: str) -> str:
        """The node that a pod waits for; "" when it waits for none."""
        return self.by_uid[uid][0] if uid in self.by_uid else ""

    def pods(self) -> Iterator[Pod]:
        """The pods that wait."""
        return (self._store.pods[uid] for uid in self.by_uid if uid in self._store.pods)

    def begin(self, pod: Pod, node_name: str, choices: Iterable[Choice]) -> None:
        """Write down which volumes a pod is to have on a node; its controller and their drivers go on."""
        node = self._store.require("Node", "", node_name)
        uid, now_ms = pod.meta.uid, self._context.clock.now_ms
        number = self._context.later(_PATIENCE_MS, LOOK, uid, is_progress=False)
        self.by_uid[uid] = node_name, now_ms, number, False
        self._store.update(pod, pod.with_status(pod.status.replace(nominated_node_name=node_name)))
        for claim, volume in choices:
            new = write_choice(claim, volume, node)  # type: ignore[arg-type]
            self._store.update(claim if volume is None else volume, new)

    def look_soon(self, uid: str) -> None:
        """A claim of a waiting pod has changed: when all are bound, the next look finds them so."""
        pod = self._store.pods.get(uid)
        node, since_ms, number, is_soon = self.by_uid[uid]
        if pod is None or is_soon or not are_all_bound(self._context.volumes, pod):
            return
        now_ms, period_ms = self._context.clock.now_ms, self._context.timing.spread("volume_bind")[1]
        wait_ms = period_ms - (now_ms - since_ms) % period_ms if period_ms else 0
        self._context.agenda.cancel(number, False)
        self.by_uid[uid] = node, since_ms, self._context.later(wait_ms, LOOK, uid), True

    def end(self, uid: str, is_look: bool) -> str:
        """A pod waits no more, for its `is_look` or before it; the node it had."""
        node, _since_ms, number, is_soon = self.by_uid.pop(uid)
        if not is_look:
            self._context.agenda.cancel(number, is_soon)
        return node
