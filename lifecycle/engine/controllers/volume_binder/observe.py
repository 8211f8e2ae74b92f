"""Seeing claims and volumes, and what they are to each other."""

from __future__ import annotations

from ...api.context import Context
from ...heart.timing import CLAIM_RESYNC_MS
from ...objects.meta import StoredObject
from ...objects.pods.pod import POD_KIND, Pod
from ...objects.storage import AVAILABLE, CLAIM, PENDING, STORAGE_CLASS, VOLUME
from ...objects.times import format_time
from ...rules.volumes.claims import (
    claim_ref,
    class_of,
    is_bound,
    list_claims,
    phase_of,
    volume_name,
    waits_for_pod,
)
from ...store.audience import Useless
from ..act import Act
from ..loop_controller import LoopController
from .decide import SeenClaim, SeenVolume, Step, decide_claim, decide_volume
from .decide.step import SOURCE

VOLUMES, RESYNC, SHARE = VOLUME.lower(), "claimResync", "claimShare"


class VolumeBinder(LoopController):
    """Keys are claims; under names of their own also volumes, and classes whose claims wait."""

    name, source = CLAIM.lower(), SOURCE

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._volumes = context.volumes
        # Names of the claims that found nothing, by class; a claim that names a volume waits under that.
        self._waiting: dict[str, dict[tuple[str, str], None]] = {}
        self._waits_under: dict[tuple[str, str], str] = {}
        context.loop.register(VOLUMES, self._sync_volume)
        context.loop.register(RESYNC, self._resync)
        context.loop.register(SHARE, self._share)
        context.store.listen(CLAIM, self._on_claim)
        context.store.listen(VOLUME, self._on_volume)
        context.store.listen(STORAGE_CLASS, self._on_class)
        context.store.listen_to_shape(POD_KIND.id, self._on_pod, Useless.READINESS | Useless.SIMPLE)

    def restore(self) -> None:
        """Know again who waits; claims and volumes that nobody has looked at yet are looked at."""
        for claim in self._store.list(CLAIM):
            key = claim.meta.namespace or "", claim.meta.name
            if not phase_of(claim):
                self._context.loop.enqueue(self.name, *key)
            elif phase_of(claim) == PENDING:
                self._wait(claim)
        for volume in self._store.list(VOLUME):
            if not phase_of(volume):
                self._context.loop.enqueue(VOLUMES, "", volume.meta.name)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The claim of that name."""
        return self._volumes.claim(namespace, name)

    # --- what happens -------------------------------------------------------------------------------------

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        # What is new is looked at before anybody else has got to it.
        if new is not None and old is None:
            self._enqueue_object(new)
        elif new is not None:
            self._look_at(self.name, new.meta.namespace, new.meta.name)
        elif old is not None:
            self._stop_waiting(old)
            if volume_name(old):
                self._look_at(VOLUMES, "", volume_name(old))

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            if old is None:
                self._context.loop.enqueue(VOLUMES, "", new.meta.name)
            else:
                self._look_at(VOLUMES, "", new.meta.name)
                self._look_after(old, new)
            if phase_of(new) == AVAILABLE:
                self._resync_soon(class_of(new), SHARE)
                self._resync_soon(_under(new.meta.name))
        elif old is not None and claim_ref(old):
            ref = claim_ref(old)
            self._look_at(self.name, ref.get("namespace"), ref.get("name") or "")

    def _look_after(self, old: StoredObject, new: StoredObject) -> None:
        """A claim whose volume was taken off it by hand learns of that when all claims are looked at."""
        ref = claim_ref(old)
        if ref.get("uid") and ref.get("uid") != claim_ref(new).get("uid"):
            namespace, name = ref.get("namespace") or "", ref.get("name") or ""
            self._context.loop.enqueue_at(self.name, namespace, name, self._next_resync_ms())

    def _look_at(self, queue: str, namespace: str | None, name: str) -> None:
        delay_ms = self._context.timing.spread("claim_look")[1]
        self._context.loop.enqueue_at(queue, namespace or "", name, self._context.clock.now_ms + delay_ms)

    def _on_class(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._resync_soon("")
            self._resync_soon(new.meta.name)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        # What is told of a claim that waits for a pod changes with the pods, at the next look.
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        is_as_it_was = old is not None and new is not None and old.node_name == new.node_name
        if some.spec.volumes and self._waiting and not is_as_it_was:
            for _volume, name in list_claims(some):
                key = some.meta.namespace or "", name
                if waits_for_pod(self._volumes.storage_class(self._waits_under.get(key, ""))):
                    self._context.loop.enqueue_at(self.name, *key, self._next_resync_ms(), is_progress=False)

    def _resync_soon(self, class_name: str, how: str = RESYNC) -> None:
        """Have the claims of a class looked at when the controller next goes over all there are.

        It does so each period from its own beginning, which is that of the cluster.
        """
        if class_name in self._waiting:
            self._context.loop.enqueue_at(how, "", class_name, self._next_resync_ms())

    def _next_resync_ms(self) -> int:
        now_ms, period_ms = self._context.clock.now_ms, self._context.timing.spread("claim_resync")[1]
        return now_ms + period_ms - now_ms % period_ms if period_ms else now_ms

    def _resync(self, _namespace: str, class_name: str) -> None:
        for key in self._waiting.get(class_name, ()):
            self._context.loop.enqueue(self.name, *key)

    def _share(self, _namespace: str, class_name: str) -> None:
        """Look at the claims of a class that wait, for as long as a volume of it is free."""
        for key in list(self._waiting.get(class_name, ())):
            if not self._volumes.has_free(class_name):
                return
            self.sync(*key)

    # --- looking ------------------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Look at one claim, and again soon where there is more to write."""
        claim = self.find(namespace, name)
        if claim is None:
            return
        step = decide_claim(self._see_claim(claim))
        self._say(claim, step)
        self._take(step, self.name, claim)
        left = self.find(namespace, name)
        if left is not None:
            (self._wait if phase_of(left) == PENDING else self._stop_waiting)(left)

    def _sync_volume(self, _namespace: str, name: str) -> None:
        volume = self._volumes.volume(name)
        if volume is None:
            return
        ref = claim_ref(volume)
        claim = self._volumes.claim(ref.get("namespace"), ref["name"]) if ref.get("name") else None
        if claim is not None and claim.meta.uid != ref.get("uid"):
            claim = None
        step = decide_volume(SeenVolume(volume, claim, self._now()))
        self._take(step, VOLUMES, volume)
        if step.wakes and claim is not None:
            self._look_at(self.name, claim.meta.namespace, claim.meta.name)

    def _take(self, step: Step, queue: str, one: StoredObject) -> None:
        self._do(step.actions)
        if step.goes_on:
            self._look_at(queue, one.meta.namespace, one.meta.name)

    def _see_claim(self, claim: StoredObject) -> SeenClaim:
        volumes, name = self._volumes, volume_name(claim)
        storage_class = volumes.storage_class(class_of(claim))
        default = volumes.default_class()
        if name or is_bound(claim):
            volume = volumes.volume(name)
        else:
            volume = volumes.reserved(claim)
            if volume is None and not waits_for_pod(storage_class):
                volume = volumes.find_best(claim)
        waiting = [pod.meta.name for pod in self._list_waiting_pods(claim)]
        named = default.meta.name if default is not None else ""
        return SeenClaim(claim, storage_class, volume, named, waiting, self._now())

    def _list_waiting_pods(self, claim: StoredObject) -> list[Pod]:
        """The pods that use a claim and are on no node; at its first look those that were there before it."""
        pods = self._volumes.users(claim.meta.namespace, claim.meta.name)
        is_new = (claim.meta.namespace or "", claim.meta.name) not in self._waits_under
        return [
            pod
            for pod in pods
            if not (pod.node_name or pod.is_finished)
            and not (is_new and pod.resource_version > claim.resource_version)
        ]

    def _now(self) -> str:
        clock = self._context.clock
        return format_time(clock.now_ms, clock.epoch_ms)

    # --- waiting and telling ------------------------------------------------------------------------------

    def _say(self, claim: StoredObject, step: Step) -> None:
        """Tell what holds at each look as one event that repeats, until something else does."""
        trace, says = self._context.trace, step.says
        if says is None:
            trace.close_series(_series(claim))
        else:
            told = says.event_type, says.reason, says.message
            trace.open_event_series(_series(claim), claim.subject, *told, SOURCE, None, CLAIM_RESYNC_MS)

    def _wait(self, claim: StoredObject) -> None:
        key = claim.meta.namespace or "", claim.meta.name
        under = _under(volume_name(claim)) if volume_name(claim) else class_of(claim)
        if self._waits_under.get(key) != under:
            self._forget(key)
            self._waits_under[key] = under
            self._waiting.setdefault(under, {})[key] = None

    def _stop_waiting(self, claim: StoredObject) -> None:
        self._context.trace.close_series(_series(claim))
        self._forget((claim.meta.namespace or "", claim.meta.name))

    def _forget(self, key: tuple[str, str]) -> None:
        under = self._waits_under.pop(key, None)
        if under is not None:
            del self._waiting[under][key]
            if not self._waiting[under]:
                del self._waiting[under]


def _series(claim: StoredObject) -> str:
    return f"claim|{claim.meta.uid}"


def _under(volume: str) -> str:
    """No class is called so."""
    return f"volume {volume}"
