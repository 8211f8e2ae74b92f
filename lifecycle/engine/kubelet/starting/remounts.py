"""ConfigMaps and Secrets that change, and the files that are mounted of them.

A kubelet brings such files up to date with its next look at the pod, which comes by itself at the latest when
its worker is due again (kubelet.go, SyncPod; the volume manager's MarkRemountRequired). What is mounted as a
part of a volume stays as it was when its container was started.
"""

from __future__ import annotations

from ...heart.chance import PART
from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...rules.volumes.sources import SOURCE_KINDS, list_sources
from ..parts import REMOUNT, Parts
from ..state.worker import PodWorker

_CONTENT = ("data", "binaryData")


class Remounts:
    """Looks again at the volumes of pods whose sources have changed."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        for kind in SOURCE_KINDS:
            parts.store.listen(kind, self._on_source)

    def _on_source(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or (old is not None and _content(old) == _content(new)):
            # The files of one that is gone stay.
            return
        parts = self._parts
        for worker in parts.pod_manager.workers_with(new.kind.name, new.meta.name):
            pod = parts.pod_manager.stored(worker)
            if pod is not None and pod.meta.namespace == new.meta.namespace:
                self.notice(worker)

    def notice(self, worker: PodWorker) -> None:
        """Look again at what a pod has mounted with the next look at it; whoever hears of nothing, later."""
        parts = self._parts
        is_out_of_reach = parts.is_left_alone(worker) or parts.is_cut_off(worker.node)
        if is_out_of_reach or not worker.volumes or worker.remount_timer is not None:
            return
        if list_sources(worker.spec):
            delay_ms = parts.context.draw_ms("mounted_source", f"{worker.uid}{PART}{parts.now_ms}")
            worker.remount_timer, _ = parts.later(delay_ms, REMOUNT, worker)

    def on_timer(self, worker: PodWorker, pod: Pod) -> None:
        """A kubelet that was cut off meanwhile notices when it is back."""
        worker.remount_timer = None
        if not self._parts.is_cut_off(worker.node):
            self.remount(worker, pod)

    def remount(self, worker: PodWorker, pod: Pod) -> None:
        """Bring files to what their sources say now."""
        self._parts.world(worker, pod, next(iter(worker.runs.values()))).remount()


def _content(source: StoredObject) -> list[object]:
    return [(source.extra or {}).get(field) for field in _CONTENT]
