"""Seeing claims and volumes that are being deleted, and the pods that go."""

from __future__ import annotations

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.pods.pod import POD_KIND, Pod
from ...objects.storage import CLAIM, VOLUME
from ...rules.volumes.claims import list_claims
from ...store.audience import Useless
from ..act import Act
from ..loop_controller import LoopController

VOLUMES = "volumeProtection"


class StorageProtection(LoopController):
    """Keys are claims that are being deleted; under a name of their own also volumes."""

    name, source = "claimProtection", "pvc-protection-controller"
    gathers = "claim_protection"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._volumes = context.volumes
        context.loop.register(VOLUMES, self._sync_volume, "claim_protection")
        context.store.listen(CLAIM, self._on_claim)
        context.store.listen(VOLUME, self._on_volume)
        context.store.listen_to_shape(POD_KIND.id, self._on_pod, Useless.READINESS | Useless.SIMPLE)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The claim of that name."""
        return self._volumes.claim(namespace, name)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and new.meta.deletion_ms is not None:
            self._enqueue_object(new)

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and new.meta.deletion_ms is not None:
            self._context.loop.enqueue(VOLUMES, "", new.meta.name)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is not None or old is None or not old.spec.volumes:
            return
        for _volume, name in list_claims(old):
            claim = self.find(old.meta.namespace or "", name)
            if claim is not None and claim.meta.deletion_ms is not None:
                self._context.loop.enqueue(self.name, claim.meta.namespace or "", name)

    def sync(self, namespace: str, name: str) -> None:
        """Look at one claim."""
        from .decide import decide_claim_protection

        claim = self.find(namespace, name)
        if claim is not None:
            self._do(decide_claim_protection(claim, self._volumes.users(namespace, name)))

    def _sync_volume(self, _namespace: str, name: str) -> None:
        from .decide import decide_volume_protection

        volume = self._volumes.volume(name)
        if volume is not None:
            self._do(decide_volume_protection(volume))
