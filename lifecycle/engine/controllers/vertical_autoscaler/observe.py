"""Watching what the containers of a workload use, once a minute while there is an autoscaler for it."""

from __future__ import annotations

from typing import Any

from ...api.context import Context
from ...heart.errors import ApiError
from ...kinds.addons import VERTICAL_POD_AUTOSCALER, definition_of
from ...objects.meta import StoredObject
from ...objects.names import DEFINITION
from ...objects.pods.pod import POD_KIND, Pod
from ...objects.selector import Selector
from ...objects.times import format_time
from ...rules.actions import Evict, Update
from ...rules.scaling.vertical_scaling import OFF, RESOURCES, Counts, bucket_of
from ...rules.validation.addons import VERTICAL_POD_AUTOSCALER as SHAPE
from ...rules.validation.addons import check_shape
from ..act import Act
from ..loop_controller import LoopController, Remembering
from .decide import (
    EVICTED,
    LOOK_MS,
    SOURCE,
    decide_evictions,
    decide_recommendations,
    decide_status,
    mode_of,
    policy_of,
    read_recommendations,
)

KIND = VERTICAL_POD_AUTOSCALER.kind.id
Seen = dict[str, dict[str, Counts]]


class VerticalAutoscalerController(LoopController, Remembering):
    """Keys are VerticalPodAutoscalers, once their definition is there. All looks are upkeep."""

    name, source = "verticalAutoscaler", SOURCE
    kind = KIND

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        # What was used so far: buckets by resource, container, and the autoscaler's uid.
        self._seen: dict[str, Seen] = {}
        context.store.listen(KIND, self._on_autoscaler)
        context.store.listen(DEFINITION, self._on_definition)

    def restore(self) -> None:
        """Have pods admitted again as the statuses recommend, after a cluster was loaded."""
        for autoscaler in self._store.list(KIND):
            self._admit(autoscaler)

    def save(self) -> Any:
        """Plain data."""
        return {
            uid: {
                name: {resource: sorted(counts.items()) for resource, counts in of_container.items()}
                for name, of_container in seen.items()
            }
            for uid, seen in self._seen.items()
        }

    def load(self, data: Any) -> None:
        """Go on from what `save` described."""
        self._seen = {
            uid: {
                name: {resource: dict(map(tuple, counts)) for resource, counts in of_container.items()}
                for name, of_container in seen.items()
            }
            for uid, seen in (data or {}).items()
        }
        # An older engine left them alone.
        for autoscaler in self._store.list(KIND) if data is None else ():
            self._enqueue_object(autoscaler)

    # --- what a change can affect -----------------------------------------------------------------------

    def _on_autoscaler(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._seen.pop(old.meta.uid, None)
            self._context.recommendations.drop(old.meta.uid)
            return
        self._admit(new)
        if old is None:
            self._look_at(new)

    def _on_definition(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and old is None and new.meta.name == definition_of(VERTICAL_POD_AUTOSCALER):
            for autoscaler in self._store.list(KIND):
                self._look_at(autoscaler)

    def _look_at(self, autoscaler: StoredObject) -> None:
        created_ms, now_ms = autoscaler.meta.creation_ms or 0, self._context.now_ms
        due_ms = created_ms + ((now_ms - created_ms) // LOOK_MS + 1) * LOOK_MS
        namespace = autoscaler.meta.namespace or ""
        self._context.loop.enqueue_at(self.name, namespace, autoscaler.meta.name, due_ms, is_progress=False)

    def _admit(self, autoscaler: StoredObject) -> None:
        """Have new pods get what is recommended, unless the mode is Off."""
        from .targets import find_watched

        meta, selector = autoscaler.meta, find_watched(self._context, autoscaler).selector
        try:
            found = {} if check_shape(autoscaler.spec, SHAPE) else read_recommendations(autoscaler)
        except ValueError:
            # Somebody wrote into its status what nobody recommends.
            found = {}
        if selector is None or not found or mode_of(autoscaler) == OFF:
            self._context.recommendations.drop(meta.uid)
            return
        only = {
            name for name in found if policy_of(autoscaler, name).get("controlledValues") == "RequestsOnly"
        }
        key = meta.namespace or "", meta.name
        self._context.recommendations.put(meta.uid, key, selector, found, only)

    # --- a look -----------------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Take samples, recommend, evict."""
        from .targets import find_watched

        autoscaler = self.find(namespace, name)
        installed = self._store.get(DEFINITION, "", definition_of(VERTICAL_POD_AUTOSCALER))
        if autoscaler is None or installed is None or check_shape(autoscaler.spec, SHAPE):
            return
        self._look_at(autoscaler)
        watched = find_watched(self._context, autoscaler)
        pods = self._list_pods(namespace, watched.selector)
        seen = self._sample(autoscaler, pods)
        now_ms = self._context.now_ms
        recommended = [] if watched.problem else decide_recommendations(autoscaler, seen, now_ms)
        now = format_time(now_ms, self._context.clock.epoch_ms)
        status = decide_status(autoscaler, recommended, now, bool(pods), watched.problem)
        if status != (autoscaler.status or {}):
            self._act(Update(autoscaler.replace(status=status)))
        found = read_recommendations(autoscaler.replace(status=status))
        replicas = len(pods) if watched.replicas is None else watched.replicas
        for pod in decide_evictions(autoscaler, pods, replicas, found, now_ms):
            self._evict(pod)

    def _evict(self, pod: Pod) -> None:
        try:
            self._act(Evict(pod))
        except ApiError:
            # A budget keeps it; the next minute tries again.
            return
        self._context.trace.event(pod.subject, "Normal", *EVICTED, SOURCE)

    def _sample(self, autoscaler: StoredObject, pods: list[Pod]) -> Seen:
        """One sample of each container of each pod."""
        metrics, seen = self._context.metrics, self._seen.setdefault(autoscaler.meta.uid, {})
        shares = metrics.shares(autoscaler.meta.namespace or "")
        for pod in pods:
            use = metrics.pod_use(pod, shares.get(pod.meta.uid, ()), self._context.now_ms)
            for name, amounts in use.containers.items() if use is not None else ():
                for resource, amount in zip(RESOURCES, amounts, strict=True):
                    counts = seen.setdefault(name, {}).setdefault(resource, {})
                    bucket = bucket_of(resource, amount)
                    counts[bucket] = counts.get(bucket, 0) + 1
        return seen

    def _list_pods(self, namespace: str, selector: Selector | None) -> list[Pod]:
        if selector is None:
            return []
        pods = (pod for pod in self._store.list(POD_KIND.id, namespace) if isinstance(pod, Pod))
        return [pod for pod in pods if selector.matches(pod.meta.labels)]
