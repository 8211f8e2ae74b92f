"""Seeing claims that want a volume or a larger one, and volumes that nobody wants any more."""

from __future__ import annotations

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.storage import ATTACHMENT, CLAIM, VOLUME
from ...rules.volumes.claims import attached_volume, class_of, volume_name
from ..act import Act
from ..loop_controller import LoopController

DELETES, GROWS = "volumeDeletion", "volumeGrowth"


class StorageDriver(LoopController):
    """Keys are claims that a volume is being made for; under names of their own volumes that go or grow.

    A key is looked at when the driver is done.
    """

    name, source = "volumeProvision", "external-provisioner"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._volumes = context.volumes
        context.loop.register(DELETES, self._delete)
        context.loop.register(GROWS, self._grow)
        context.store.listen(CLAIM, self._on_claim)
        context.store.listen(VOLUME, self._on_volume)
        context.store.listen(ATTACHMENT, self._on_attachment)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The claim of that name."""
        return self._volumes.claim(namespace, name)

    # --- what happens -------------------------------------------------------------------------------------

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        from .decide import decide_begin, wants_more, wants_volume

        if new is None:
            return
        storage_class = self._volumes.storage_class(class_of(new))
        if wants_volume(new, storage_class) and not wants_volume(old, storage_class):
            self._do(decide_begin(new))
            self._later(self.name, new, "volume_provision")
        volume = self._volumes.volume(volume_name(new))
        if wants_more(new, volume) and not wants_more(old, volume):
            self._later(GROWS, new, "volume_provision")

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        from .decide import is_to_be_deleted

        if new is None or not is_to_be_deleted(new):
            return
        if old is None or not is_to_be_deleted(old):
            self._later(DELETES, new, "volume_delete")

    def _on_attachment(self, old: StoredObject | None, new: StoredObject | None) -> None:
        from .decide import is_to_be_deleted

        if new is None and old is not None:
            volume = self._volumes.volume(attached_volume(old))
            if volume is not None and is_to_be_deleted(volume):
                self._later(DELETES, volume, "volume_delete")

    def _later(self, name: str, one: StoredObject, latency: str) -> None:
        context, meta = self._context, one.meta
        due_ms = context.clock.now_ms + context.draw_ms(latency, meta.uid)
        context.loop.enqueue_at(name, meta.namespace or "", meta.name, due_ms)

    # --- being done ---------------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """A volume has been made for a claim, if that still wants one."""
        from .decide import decide_volume, wants_volume

        claim = self.find(namespace, name)
        storage_class = self._volumes.storage_class(class_of(claim)) if claim is not None else None
        if claim is None or storage_class is None or not wants_volume(claim, storage_class):
            return
        if self._volumes.volume(f"pvc-{claim.meta.uid}") is None:
            self._do(decide_volume(claim, storage_class))

    def _delete(self, _namespace: str, name: str) -> None:
        """A volume that is still attached is deleted when it no longer is."""
        from .decide import decide_deletion, is_to_be_deleted

        volume = self._volumes.volume(name)
        while volume is not None and is_to_be_deleted(volume) and not self._volumes.attachments(name):
            actions = decide_deletion(volume)
            self._do(actions)
            volume = self._volumes.volume(name) if actions else None

    def _grow(self, namespace: str, name: str) -> None:
        from .decide import decide_growth, wants_more

        claim = self.find(namespace, name)
        volume = self._volumes.volume(volume_name(claim)) if claim is not None else None
        if claim is not None and volume is not None and wants_more(claim, volume):
            self._do(decide_growth(claim, volume))
