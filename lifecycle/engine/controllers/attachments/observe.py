"""Seeing pods on nodes and the volumes that their claims are bound to."""

from __future__ import annotations

from ...api.context import Context
from ...objects.condition import find_condition
from ...objects.meta import StoredObject
from ...objects.node import NODE_KIND, Node
from ...objects.pods.pod import POD_KIND, Pod
from ...objects.storage import ATTACHMENT, CLAIM
from ...rules.actions import Delete
from ...rules.volumes.claims import (
    attached_node,
    attached_volume,
    claim_ref,
    is_attached,
    is_bound,
    list_claims,
    volume_name,
)
from ...store.audience import Useless
from ..act import Act
from ..loop_controller import LoopController
from .decide import (
    SOURCE,
    decide_attached,
    decide_attaching,
    decide_refusals,
    decide_wait_ms,
    needs_volumes,
)

ATTACHES, DETACHES, REFUSES = "volumeAttach", "volumeDetach", "volumeRefusal"


class AttachmentController(LoopController):
    """Keys are volumes; under names of their own attachments that come or go, and pods that wait for one."""

    name, source = "attachments", SOURCE

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._volumes = context.volumes
        context.loop.register(ATTACHES, self._attach)
        context.loop.register(DETACHES, self._detach)
        context.loop.register(REFUSES, self._refuse)
        context.store.listen_to_shape(POD_KIND.id, self._on_pod, Useless.READINESS | Useless.SIMPLE)
        context.store.listen(CLAIM, self._on_claim)
        context.store.listen(ATTACHMENT, self._on_attachment)
        context.store.listen(NODE_KIND.id, self._on_node)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The volume of that name."""
        return self._volumes.volume(name)

    # --- what happens -------------------------------------------------------------------------------------

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        if pod is None or not pod.spec.volumes:
            return
        before, after = old is not None and needs_volumes(old), new is not None and needs_volumes(new)
        if before == after:
            return
        names = self._attachable(pod)
        for name in names:
            self._context.loop.enqueue(self.name, "", name)
        if after and names:
            self._context.loop.enqueue(REFUSES, pod.meta.namespace or "", pod.meta.name)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        # A pod that was put on a node by hand may be there before its claim is bound.
        if new is not None and is_bound(new) and (old is None or not is_bound(old)):
            self._context.loop.enqueue(self.name, "", volume_name(new))

    def _on_attachment(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None, "a write has an old or a new object"
        if new is None:
            self._context.loop.enqueue(self.name, "", attached_volume(some))
        elif old is None and not is_attached(new):
            self._later(ATTACHES, new, "volume_attach")

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if isinstance(new, Node) and (not isinstance(old, Node) or _is_ready(old) == _is_ready(new)):
            return
        some = new or old
        assert some is not None, "a write has an old or a new object"
        name = some.meta.name
        for one in self._store.list(ATTACHMENT):
            if attached_node(one) == name:
                self._context.loop.enqueue(self.name, "", attached_volume(one))

    def _later(self, name: str, attachment: StoredObject, latency: str) -> None:
        self._at(name, attachment, self._context.draw_ms(latency, attachment.meta.uid))

    def _at(self, name: str, attachment: StoredObject, delay_ms: int) -> None:
        due_ms = self._context.clock.now_ms + delay_ms
        self._context.loop.enqueue_at(name, "", attachment.meta.name, due_ms)

    # --- what is seen -------------------------------------------------------------------------------------

    def _attachable(self, pod: Pod) -> list[str]:
        """The volumes of a pod that have to be attached to its node."""
        found = []
        for _name, claim_name in list_claims(pod):
            claim = self._volumes.claim(pod.meta.namespace, claim_name)
            if claim is None or not is_bound(claim):
                continue
            volume = self._volumes.volume(volume_name(claim))
            if volume is not None and self._volumes.must_be_attached(volume):
                found.append(volume.meta.name)
        return found

    def _users(self, volume: StoredObject) -> list[Pod]:
        """The pods that need a volume on their nodes."""
        ref = claim_ref(volume)
        users = self._volumes.users(ref.get("namespace"), ref.get("name") or "")
        return [pod for pod in users if needs_volumes(pod)]

    # --- looking ------------------------------------------------------------------------------------------

    def sync(self, _namespace: str, name: str) -> None:
        """Look at one volume: where it is, and where it should be."""
        volume, attachments = self._volumes.volume(name), self._volumes.attachments(name)
        wanted: list[str] = []
        if volume is not None and self._volumes.must_be_attached(volume):
            wanted = [pod.node_name for pod in self._users(volume)]
            self._do(decide_attaching(volume, wanted, attachments))
        for one in attachments:
            if attached_node(one) not in wanted:
                node = self._store.get(NODE_KIND.id, "", attached_node(one))
                latency_ms = self._context.draw_ms("volume_detach", one.meta.uid)
                self._at(DETACHES, one, decide_wait_ms(node, latency_ms))

    def _attach(self, _namespace: str, name: str) -> None:
        attachment = self._store.get(ATTACHMENT, "", name)
        if attachment is None or is_attached(attachment):
            return
        volume = self._volumes.volume(attached_volume(attachment))
        self._do(decide_attached(attachment, self._users(volume) if volume is not None else ()))

    def _detach(self, _namespace: str, name: str) -> None:
        attachment = self._store.get(ATTACHMENT, "", name)
        if attachment is None:
            return
        volume, node = self._volumes.volume(attached_volume(attachment)), attached_node(attachment)
        if volume is None or all(pod.node_name != node for pod in self._users(volume)):
            self._act(Delete(attachment))

    def _refuse(self, namespace: str, name: str) -> None:
        pod = self._store.get(POD_KIND.id, namespace, name)
        if not isinstance(pod, Pod) or not needs_volumes(pod):
            return
        others, volumes = {}, {}
        for volume_of in self._attachable(pod):
            volume = self._volumes.volume(volume_of)
            nodes = {attached_node(one) for one in self._volumes.attachments(volume_of)}
            if volume is not None and nodes and pod.node_name not in nodes:
                volumes[volume_of] = volume
                others[volume_of] = [one for one in self._users(volume) if one.node_name in nodes]
        self._do(decide_refusals(pod, others, volumes))


def _is_ready(node: Node) -> bool:
    ready = find_condition(node.status.conditions, "Ready")
    return ready is not None and ready.status == "True"
