"""Seeing pods with volumes of their own."""

from __future__ import annotations

from ...api.context import Context
from ...heart.errors import ApiError
from ...objects.meta import StoredObject
from ...objects.pods.pod import POD_KIND, Pod
from ...objects.storage import CLAIM
from ...store.audience import Useless
from ..act import Act
from ..loop_controller import LoopController
from .decide import SOURCE, decide_claim, decide_refusal


class EphemeralVolumeController(LoopController):
    """Keys are pods."""

    name, source = "ephemeralVolume", SOURCE
    kind = POD_KIND.id

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        context.store.listen_to_shape(POD_KIND.id, self._on_pod, Useless.READINESS | Useless.SIMPLE)
        context.store.listen(CLAIM, self._on_claim)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if old is not None or new is None or not new.spec.volumes:
            return
        if any(volume.get("ephemeral") is not None for volume in new.spec.volumes):
            self._enqueue_object(new)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        # One that was deleted under its pod, or that stood in its place, is made anew.
        if new is None and old is not None:
            for pod in self._context.volumes.users(old.meta.namespace, old.meta.name):
                self._on_pod(None, pod)

    def sync(self, namespace: str, name: str) -> None:
        """Look at one pod; what is refused is tried again, a little later each time."""
        pod = self.find(namespace, name)
        if not isinstance(pod, Pod) or pod.meta.deletion_ms is not None:
            self._context.loop.forget(self.name, namespace, name)
            return
        for volume in pod.spec.volumes:
            if volume.get("ephemeral") is None:
                continue
            claim = self._context.volumes.claim(namespace, f"{name}-{volume['name']}")
            try:
                self._do(decide_claim(pod, volume, claim))
            except ApiError as refusal:
                problem = f"create PVC {name}-{volume['name']}: {refusal.message}"
                self._act(decide_refusal(pod, volume["name"], problem))
                self._context.loop.retry(self.name, namespace, name)
                return
        self._context.loop.forget(self.name, namespace, name)
