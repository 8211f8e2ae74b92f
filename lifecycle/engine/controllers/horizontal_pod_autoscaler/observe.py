"""Seeing autoscalers, what they scale, and metrics, once a sync period; at rest where nothing can change.

An autoscaler is looked at a whole number of periods after its creation. A look that wrote nothing would be
followed by others like it as long as nothing it sees changes: then none is made until the period in which
something has changed, or in which a known change of use, the end of a window, or a pod's age makes a
difference. What the looks between would have remembered and told is worked out when one is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lifecycle.lean_dataclasses import dataclass, field

from ...api.context import Context
from ...api.metrics import has_other_demand, service_of_slice
from ...api.scale_targets import Target, find_target, kind_of_target, target_key
from ...heart.errors import ApiError
from ...kinds.addons import SCALED_OBJECT
from ...kinds.defaults import apply_defaults
from ...kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from ...kinds.namespace import NAMESPACE
from ...objects.endpoint_slice import ENDPOINT_SLICE_KIND
from ...objects.kinds import Kind, kind_for
from ...objects.meta import StoredObject
from ...objects.pods.pod import POD_KIND, Pod
from ...objects.selector import Selector
from ...releases.gates import is_enabled
from ...rules.actions import Scale as ScaleObject
from ...rules.actions import Update
from ...rules.event_sources import HORIZONTAL_POD_AUTOSCALER as SOURCE
from ...store.selectors import SelectorIndex
from ..act import Act
from ..loop_controller import LoopController, Remembering
from .pods import PodsByLabel

if TYPE_CHECKING:
    from .decide import Past, Seen, Verdict
    from .decide.calculator import Clock
    from .sight import Sight

KIND = HORIZONTAL_POD_AUTOSCALER.kind.id


@dataclass(slots=True)
class Memory:
    """What is known of one autoscaler beside what it says: saved with the cluster.

    `selector`: that of its target, as it was read last (None: never). `told`: keys of open series of events.
    """

    past: Past | None = None
    is_recommended: bool = False
    selector: dict[str, Any] | None = None
    told: list[str] = field(default_factory=list)

    def save(self) -> list[Any]:
        """Plain data."""
        past = self.past
        kept = None if past is None else [past.recommendations, past.ups, past.downs]
        return [kept, self.is_recommended, self.selector, self.told]

    @classmethod
    def load(cls, data: list[Any]) -> Memory:
        """What `save` described."""
        from .decide import Past

        past, is_recommended, selector, told = data
        return cls(None if past is None else Past(*past), is_recommended, selector, told)


class HorizontalPodAutoscalerController(LoopController, Remembering):
    """Keys are autoscalers. All looks are upkeep."""

    name, source = "horizontalPodAutoscaler", SOURCE
    kind = KIND

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._metrics = context.metrics
        self._period_ms = context.manager_ms("horizontalPodAutoscalerSyncPeriod")
        self._spans_ms = tuple(
            context.manager_ms(f"horizontalPodAutoscaler{name}")
            for name in ("CPUInitializationPeriod", "InitialReadinessDelay", "DownscaleStabilization")
        )
        self._memories: dict[str, Memory] = {}
        # Selectors of targets as they were read last, by the autoscaler's uid.
        self._selectors = SelectorIndex()
        self._pods = PodsByLabel(context.store)
        # Names of autoscalers by namespace, and by the key of what they scale.
        self._by_namespace: dict[str, dict[str, None]] = {}
        self._by_target: dict[tuple[str, str, str], dict[str, None]] = {}
        self._followed: dict[str, None] = {}
        self._busy = ""
        self._targets: dict[tuple[str, str, str], Target] = {}
        self._read_ms = -1
        context.store.listen(KIND, self._on_autoscaler)
        # Where there is no autoscaler, no pod concerns anybody here.
        context.store.listen_to_shape(POD_KIND.id, self._on_pod, is_asleep=True)
        context.store.listen(ENDPOINT_SLICE_KIND.id, self._on_slice)

    @cached_property
    def _sight(self) -> Sight:
        from .sight import Sight

        return Sight(self._context)

    # --- saved ------------------------------------------------------------------------------------------

    def restore(self) -> None:
        """File the autoscalers again, after a cluster was loaded."""
        for autoscaler in self._store.list(KIND):
            self._file(autoscaler, True)

    def save(self) -> Any:
        """Plain data."""
        return {uid: memory.save() for uid, memory in self._memories.items()}

    def load(self, data: Any) -> None:
        """Go on from what `save` described."""
        for uid, saved in (data or {}).items():
            found = self._store.find(uid)
            if found is None:
                continue
            memory = self._memories[uid] = Memory.load(saved)
            if memory.selector is not None:
                self._selectors.add(
                    uid, found.meta.namespace or "", found.meta.name, Selector(memory.selector)
                )
        # An older engine left them alone: they are looked at from now on.
        for autoscaler in self._store.list(KIND) if data is None else ():
            self._enqueue_object(autoscaler)

    # --- what a change can affect -----------------------------------------------------------------------

    def _on_autoscaler(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None, "a write has an old or a new object"
        namespace = some.meta.namespace or ""
        if new is None:
            self._file(some, False)
            self._forget(some)
            self._wake_all(namespace)
        elif some.meta.uid != self._busy:
            if old is not None and old.spec is not new.spec:
                self._file(old, False)
            if old is None or old.spec is not new.spec:
                self._file(new, True)
            self._wake(namespace, new.meta.name)

    def _file(self, autoscaler: StoredObject, is_there: bool) -> None:
        namespace, name = autoscaler.meta.namespace or "", autoscaler.meta.name
        target = target_key(_reference_of(autoscaler), namespace)
        for shelf in (self._by_namespace.setdefault(namespace, {}), self._by_target.setdefault(target, {})):
            if is_there:
                shelf[name] = None
            else:
                shelf.pop(name, None)
        if not is_there:
            return
        if not self._followed:
            self._store.wake(self._on_pod)
            self._metrics.listen(self._on_use)
        self._follow(target[0])
        for metric in (autoscaler.spec or {}).get("metrics") or ():
            described = (metric.get("object") or {}).get("describedObject") or {}
            if described:
                self._follow(kind_for(described.get("apiVersion") or "", described.get("kind") or "").id)
            elif metric.get("external"):
                self._follow(NAMESPACE.kind.id)
                self._follow(SCALED_OBJECT.kind.id)
        self._follow("Service")

    def _follow(self, kind_id: str) -> None:
        """Be told of writes to a kind that autoscalers scale or read metrics of."""
        if kind_id not in self._followed:
            self._followed[kind_id] = None
            self._store.listen(kind_id, self._on_followed)

    def _forget(self, autoscaler: StoredObject) -> None:
        memory = self._memories.pop(autoscaler.meta.uid, None)
        self._selectors.remove(autoscaler.meta.uid)
        for key in memory.told if memory is not None else ():
            self._context.trace.close_series(key, until_ms=self._context.now_ms - 1)

    def _on_followed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None, "a write has an old or a new object"
        kind_id, namespace, name = some.key
        for one in self._by_target.get(some.key, ()):
            self._wake(namespace, one)
        if has_other_demand(old, new) or (kind_id == "Service" and old is None):
            self._wake_all(name if kind_id == NAMESPACE.kind.id else namespace)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        self._pods.follow(old, new)
        if not self._selectors.holders:
            return
        for pod in (
            (old, new) if old is not None and new is not None and old.meta is not new.meta else (new or old,)
        ):
            if pod is not None:
                self._on_use(pod)

    def _on_use(self, pod: Pod) -> None:
        namespace = pod.meta.namespace or ""
        for _uid, name in self._selectors.matching(namespace, pod.meta.labels):
            self._wake(namespace, name)

    def _on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None, "a write has an old or a new object"
        namespace = some.meta.namespace or ""
        if not self._by_namespace.get(namespace):
            return
        name = service_of_slice(some)
        if any(one.meta.name == name for one in self._metrics.demanded_services(namespace)):
            self._wake_all(namespace)

    def _wake_all(self, namespace: str) -> None:
        for name in self._by_namespace.get(namespace, ()):
            self._wake(namespace, name)

    def _wake(self, namespace: str, name: str) -> None:
        """Look at an autoscaler when its next period is over."""
        found = self.find(namespace, name)
        if found is not None:
            self._look_at(found, self._context.now_ms + 1)

    def _look_at(self, autoscaler: StoredObject, from_ms: int) -> None:
        """Look at it at the first end of a period that is not before an instant."""
        meta, period_ms = autoscaler.meta, self._period_ms
        begun_ms = self._begun_ms(autoscaler)
        periods = max(-((begun_ms - from_ms) // period_ms), 1)
        due_ms = begun_ms + periods * period_ms
        self._context.loop.enqueue_at(self.name, meta.namespace or "", meta.name, due_ms, is_progress=False)

    def _begun_ms(self, autoscaler: StoredObject) -> int:
        """The instant that its periods are counted from."""
        return (autoscaler.meta.creation_ms or 0) + self._context.timing.spread("autoscaler_look")[1]

    # --- a look at one key ------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """See, decide, scale, tell, and ask for the next look."""
        autoscaler, now_ms = self.find(namespace, name), self._context.now_ms
        if autoscaler is None:
            return
        if autoscaler.kind.api_version != HORIZONTAL_POD_AUTOSCALER.kind.api_version:
            autoscaler = self._convert(autoscaler)
        age_ms = now_ms - self._begun_ms(autoscaler)
        if age_ms <= 0 or age_ms % self._period_ms:
            self._look_at(autoscaler, now_ms + 1)
            return
        self._busy = autoscaler.meta.uid
        try:
            is_changed, changes_ms = self._look(autoscaler)
        finally:
            self._busy = ""
        if is_changed:
            self._look_at(autoscaler, now_ms + 1)
        elif changes_ms is not None:
            self._look_at(autoscaler, changes_ms)

    def _convert(self, autoscaler: StoredObject) -> StoredObject:
        """One of another version was stored by an older engine: as it is stored from now on."""
        data = apply_defaults(autoscaler.to_json(self._context.clock.epoch_ms), self._context.features)
        kind = HORIZONTAL_POD_AUTOSCALER.kind
        new = autoscaler.replace(kind=kind, spec=data["spec"], status=data.get("status"))
        self._act(Update(new))
        return new

    def _look(self, autoscaler: StoredObject) -> tuple[bool, int | None]:
        """Whether anything was written, and when the next look may come to something else by itself."""
        from .decide import Seen, decide
        from .decide.calculator import Clock

        now_ms = self._context.now_ms
        memory = self._memories.setdefault(autoscaler.meta.uid, Memory())
        if memory.past is not None and memory.is_recommended:
            # The looks that were not made since the last one would have said the same.
            memory.past.recommendations[-1][1] = max(
                memory.past.recommendations[-1][1], now_ms - self._period_ms
            )
        clock = Clock(now_ms, self._context.clock.epoch_ms, *self._spans_ms)
        reference, namespace = _reference_of(autoscaler), autoscaler.meta.namespace
        kind, name = kind_of_target(reference), str(reference.get("name") or "")
        target, scale, selector = self._find_target(kind, namespace, name)
        pods = self._see_pods(autoscaler, memory, selector)
        shares = self._metrics.shares(autoscaler.meta.namespace or "")
        readings, rivals = self._sight.read(autoscaler, pods, shares), self._list_rivals(autoscaler, pods)
        has_own = is_enabled(self._context.features, "HPAConfigurableTolerance")
        seen = Seen(autoscaler, scale, pods, readings, rivals, has_own)
        verdict = decide(seen, memory.past, clock)
        if not isinstance(scale, str):
            memory.past, memory.is_recommended = verdict.past, verdict.is_recommended
        is_told = self._tell(autoscaler, memory, verdict)
        if verdict.size is not None and target is not None:
            self._rescale(seen, target, verdict, clock)
            memory.past = verdict.past
        is_changed = verdict.status != (autoscaler.status or {})
        if is_changed:
            self._act(Update(autoscaler.replace(status=verdict.status)))
        if is_changed or verdict.size is not None or not is_told:
            return True, None
        return False, self._sight.next_change_ms(seen, shares, clock, memory.past)

    def _find_target(self, kind: Kind, namespace: str | None, name: str) -> Target:
        """What is scaled, as it was at the beginning of this instant.

        Several autoscalers are looked at at the same time (--concurrent-horizontal-pod-autoscaler-syncs), and
        each has read what it scales before another one has come to scaling it.
        """
        now_ms, key = self._context.now_ms, (kind.id, namespace or "", name)
        if self._read_ms != now_ms:
            self._read_ms, self._targets = now_ms, {}
        if key not in self._targets:
            self._targets[key] = find_target(self._context, kind, namespace, name)
        return self._targets[key]

    def _rescale(self, seen: Seen, target: StoredObject, verdict: Verdict, clock: Clock) -> None:
        from .decide import conclude

        problem = ""
        assert verdict.size is not None, verdict
        try:
            self._act(ScaleObject(target, verdict.size))
        except ApiError as refusal:
            problem = refusal.message
        event_type, (reason, message) = conclude(seen, verdict, problem, clock)
        self._context.trace.event(seen.autoscaler.subject, event_type, reason, message, SOURCE)

    def _tell(self, autoscaler: StoredObject, memory: Memory, verdict: Verdict) -> bool:
        """Warnings come again at every look: a series each, until a look comes to something else.

        Whether all are told: of one about which too much was told lately only a later look tells.
        """
        trace, now_ms, subject = self._context.trace, self._context.now_ms, autoscaler.subject
        told = [f"{autoscaler.meta.uid} {reason} {message}" for reason, message in verdict.warnings]
        for key in memory.told:
            if key not in told:
                trace.close_series(key, until_ms=now_ms - 1)
        memory.told = list(dict.fromkeys(told))
        for key, (reason, message) in zip(told, verdict.warnings, strict=True):
            trace.open_event_series(key, subject, "Warning", reason, message, SOURCE, None, self._period_ms)
        return all(key in trace.series.by_key for key in told)

    # --- what is seen -----------------------------------------------------------------------------------

    def _see_pods(self, autoscaler: StoredObject, memory: Memory, selector: Selector | None) -> list[Pod]:
        """The pods of the target's selector; another selector than before may be some other's too."""
        if selector is None:
            return []
        meta = autoscaler.meta
        pods = self._pods.list(meta.namespace or "", selector)
        if memory.selector != selector.raw:
            memory.selector = dict(selector.raw or {})
            self._selectors.add(meta.uid, meta.namespace or "", meta.name, selector)
            for _uid, name in self._selecting(autoscaler, pods):
                self._wake(meta.namespace or "", name)
        return pods

    def _selecting(self, autoscaler: StoredObject, pods: Iterable[Pod]) -> list[tuple[str, str]]:
        namespace, found = autoscaler.meta.namespace or "", dict[tuple[str, str], None]()
        seen: Mapping[str, str] | None = None
        for pod in pods:
            # Pods of one template share their labels.
            if pod.meta.labels is not seen:
                seen = pod.meta.labels
                found |= dict.fromkeys(self._selectors.matching(namespace, seen))
        return list(found)

    def _list_rivals(self, autoscaler: StoredObject, pods: Iterable[Pod]) -> list[str]:
        """Those that scale some of the pods, itself too, in the order in which they were first looked at.

        Kubernetes keeps them in maps of Go, in which of two the first one comes first mostly.
        """
        namespace, found = autoscaler.meta.namespace or "", dict(self._selecting(autoscaler, pods))
        arrived = found if len(found) < 2 else [uid for uid in self._memories if uid in found]
        return [f"{namespace}/{found[uid]}" for uid in arrived]


def _reference_of(autoscaler: StoredObject) -> Mapping[str, Any]:
    """What names the object that an autoscaler scales."""
    reference: Mapping[str, Any] = (autoscaler.spec or {}).get("scaleTargetRef") or {}
    return reference
