"""Owners of pods: every write to a pod is followed once, whatever kinds of owners there are."""

from __future__ import annotations

from typing import Any

from ...api.context import Context
from ...objects.meta import controller_reference
from ...objects.pods.pod import Pod
from ..act import Act
from .controller import Owner, OwnerController
from .tally import OwnerTally, PodCount, Tally


class PodOwners:
    """Tells the owners of pods what concerns them: a changed count, or a pod that nobody controls."""

    def __init__(self, context: Context) -> None:
        self._loop, self._store = context.loop, context.store
        self.tally = Tally(context.clock.epoch_ms)
        # How many owners fail: while some do, every write to a pod is listened to.
        self._failing = 0
        self._controllers: dict[str, PodOwnerController[Any]] = {}
        self._store.listen_to_shape("Pod", self._on_pod, on_binding=self._on_binding)
        self._store.listen("Pod", self._on_any, is_asleep=True)

    def add(self, controller: PodOwnerController[Any]) -> None:
        """One more kind of owner."""
        self._controllers[controller.kind] = controller
        self._loop.on_failing(controller.name, self._on_failing)

    def list_free(self, namespace: str) -> dict[str, None]:
        """uids of the pods in a namespace that nobody controls."""
        return self._store.index.orphan_pods.get(namespace, {})

    def _on_failing(self, is_failing: bool) -> None:
        self._failing += 1 if is_failing else -1
        turn = self._store.wake if self._failing else self._store.lull
        turn(self._on_any)

    def _on_any(self, old: Pod | None, new: Pod | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new pod"
        reference = some.meta.controller
        owner = self.tally.counts.get(reference.uid) if reference is not None else None
        if owner is not None:
            self._controllers[owner.key[0]].on_write(owner)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new pod"
        reference = some.meta.controller
        if old is not None and old.meta.controller is not reference:
            for owner in self.tally.on_pod_change(old, new):
                self._controllers[owner.key[0]].on_count(owner)
        elif reference is not None:
            # The usual case: whose it is stays, or it has come or gone.
            keeper = self.tally.counts.get(reference.uid)
            if keeper is not None and keeper.change(old, new):
                self._controllers[keeper.key[0]].on_count(keeper)
        if reference is None and new is not None and (old is None or old.meta is not new.meta):
            for controller in self._controllers.values():
                controller.note_orphan(new)

    def _on_binding(self, old: Pod, new: Pod) -> None:
        reference = new.meta.controller
        keeper = self.tally.counts.get(reference.uid) if reference is not None else None
        if keeper is not None and keeper.bind(old, new):
            self._controllers[keeper.key[0]].on_count(keeper)


class PodOwnerController(OwnerController[Owner]):
    """A pod's change enqueues its owner when it changes a count, and any change one whose looks fail."""

    def __init__(self, context: Context, act: Act, pods: PodOwners) -> None:
        self._tally = pods.tally
        super().__init__(context, act, pods.list_free)
        pods.add(self)

    def tally_of(self, owner: Owner) -> OwnerTally:
        """The count of the owner's pods."""
        return self._tally.of(controller_reference(owner), owner.meta.namespace or "")

    def on_count(self, owner: PodCount) -> None:
        """The count of an owner's pods has changed."""
        key = owner.key
        if not self._is_busy(key):
            self._context.loop.enqueue(self.name, key[1], key[2])

    def on_write(self, owner: PodCount) -> None:
        """A pod of an owner was written. It is looked at in vain each time: the next wait gets longer."""
        if self._context.loop.count_retries(self.name, *owner.key[1:]):
            self.on_count(owner)

    def forget(self, uid: str) -> None:
        """Drop the count of an owner that is gone."""
        self._tally.leave(uid)

    def list_controlled(self, uid: str) -> list[Pod]:
        """All pods of an owner, in the order in which they came to it."""
        children = self._store.index.children.get(uid, ())
        owned = [pod for pod in map(self._store.pods.get, children) if pod is not None]
        return [pod for pod in owned if pod.meta.controller and pod.meta.controller.uid == uid]
