"""VolumeBinding in PreBind: pods that are assumed on a node and wait until their claims are bound there.

The claims are checked once a second. After ten minutes (bindTimeoutSeconds) the pod fails.
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
_BIND_TIMEOUT_MS = 600_000


class VolumeBindingWaits:
    """`by_uid`: node, since when in ms, number of the next timer, whether that is due before the timeout."""

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
        """The node that a pod is assumed on, or ""."""
        return self.by_uid[uid][0] if uid in self.by_uid else ""

    def pods(self) -> Iterator[Pod]:
        """The pods that wait."""
        return (self._store.pods[uid] for uid in self.by_uid if uid in self._store.pods)

    def begin(self, pod: Pod, node_name: str, choices: Iterable[Choice]) -> None:
        """BindPodVolumes: write the choices to claims and volumes, which others then bind."""
        node = self._store.require("Node", "", node_name)
        uid, now_ms = pod.meta.uid, self._context.clock.now_ms
        number = self._context.later(_BIND_TIMEOUT_MS, LOOK, uid, is_progress=False)
        self.by_uid[uid] = node_name, now_ms, number, False
        self._store.update(pod, pod.with_status(pod.status.replace(nominated_node_name=node_name)))
        for claim, volume in choices:
            new = write_choice(claim, volume, node)  # type: ignore[arg-type]
            self._store.update(claim if volume is None else volume, new)

    def look_soon(self, uid: str) -> None:
        """A claim of a waiting pod changed: if all are bound, the next check becomes progress."""
        pod = self._store.pods.get(uid)
        node, since_ms, number, is_soon = self.by_uid[uid]
        if pod is None or is_soon or not are_all_bound(self._context.volumes, pod):
            return
        now_ms, period_ms = self._context.clock.now_ms, self._context.timing.spread("volume_bind")[1]
        wait_ms = period_ms - (now_ms - since_ms) % period_ms if period_ms else 0
        self._context.agenda.cancel(number, False)
        self.by_uid[uid] = node, since_ms, self._context.later(wait_ms, LOOK, uid), True

    def end(self, uid: str, is_look: bool) -> str:
        """End the wait of a pod; returns its node. `is_look`: the timer has fired, else it is cancelled."""
        node, _since_ms, number, is_soon = self.by_uid.pop(uid)
        if not is_look:
            self._context.agenda.cancel(number, is_soon)
        return node
