"""What an autoscaler sees of metrics, and when time alone makes it see others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...api.context import Context
from ...api.metrics import Share, metrics_of, turns_of
from ...kinds.addons import SCALED_OBJECT
from ...kinds.namespace import NAMESPACE
from ...objects.kinds import kind_for
from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...programs.demand import METRICS
from ...rules.scaling.event_scaling import NAME_LABEL, Trigger, read_triggers, value_of
from ...rules.scaling.event_scaling import next_turn_ms as next_cron_turn_ms
from .decide import Past, Seen, next_expiry_ms
from .decide.calculator import Clock, next_turn_ms
from .decide.readings import PodMetrics, Readings, Series


class Sight:
    """Asks the metrics APIs for what autoscalers want to know."""

    def __init__(self, context: Context) -> None:
        self._context, self._store, self._metrics = context, context.store, context.metrics

    def read(self, autoscaler: StoredObject, pods: list[Pod], shares: dict[str, list[Share]]) -> Readings:
        """What the metrics APIs answer to what the autoscaler asks for."""
        now_ms, namespace = self._context.now_ms, autoscaler.meta.namespace or ""
        readings = Readings({}, {}, {}, ())
        asked = {metric.get("type") for metric in (autoscaler.spec or {}).get("metrics") or ()}
        if asked & {"Resource", "ContainerResource"}:
            readings.pods = {
                pod.meta.name: _as_metrics(use.at_ms, use.window_ms, use.containers)
                for pod in pods
                if (use := self._metrics.pod_use(pod, shares.get(pod.meta.uid, ()), now_ms)) is not None
            }
        described = self._described(autoscaler) if "Object" in asked else {}
        if asked & {"Pods", "Object"}:
            telling = [*pods, *described.values()]
            telling += [share.service for pod in pods for share in shares.get(pod.meta.uid, ())]
            readings.has_custom = any(METRICS in one.meta.annotations for one in telling)
        if "Pods" in asked:
            found = {pod.meta.name: self._series_of_pod(pod, shares.get(pod.meta.uid, ())) for pod in pods}
            readings.of_pods = {name: series for name, series in found.items() if series}
        readings.of_objects = {key: self._series_of(one) for key, one in described.items()}
        if "External" in asked:
            readings.external = self._external(namespace)
            readings.has_external = self._serves_external(namespace)
        return readings

    def _external(self, namespace: str) -> list[Series]:
        """The external metrics of a namespace, with those that KEDA tells for its triggers."""
        place = self._store.get(NAMESPACE.kind.id, "", namespace)
        found = self._series_of(place) if place is not None else []
        utc_ms = self._context.clock.epoch_ms + self._context.now_ms
        for scaled in self._store.list(SCALED_OBJECT.kind.id, namespace):
            told = {one.name: one.value for one in self._series_of(scaled)}
            labels = {NAME_LABEL: scaled.meta.name}
            for trigger in _triggers_of(scaled):
                value = value_of(trigger, told, utc_ms)
                found += [] if value is None else [Series(trigger.metric, value, labels)]
        return found

    def _serves_external(self, namespace: str) -> bool:
        """Whether the namespace tells of external metrics, or KEDA does for it."""
        place = self._store.get(NAMESPACE.kind.id, "", namespace)
        is_told = place is not None and METRICS in place.meta.annotations
        return is_told or any(True for _one in self._store.list(SCALED_OBJECT.kind.id, namespace))

    def _series_of(self, obj: StoredObject) -> list[Series]:
        return [Series(one.name, value, one.labels) for one, value in metrics_of(obj, self._context.now_ms)]

    def _series_of_pod(self, pod: Pod, shares: Iterable[Share]) -> list[Series]:
        found = self._series_of(pod)
        for share in shares:
            found += [one_of(one, share) for one in self._series_of(share.service)]
        return found

    def _described(self, autoscaler: StoredObject) -> dict[tuple[str, str], StoredObject]:
        """The objects that its metrics are of, as far as they are there, by kind and name."""
        found, namespace = {}, autoscaler.meta.namespace or ""
        for metric in (autoscaler.spec or {}).get("metrics") or ():
            described = (metric.get("object") or {}).get("describedObject")
            if described:
                kind = kind_for(described.get("apiVersion") or "", described.get("kind") or "")
                is_namespace = kind.id == NAMESPACE.kind.id
                # No reference leads out of a namespace: whatever it is called, its own is meant.
                named = described.get("name") or ""
                name, space = (namespace, "") if is_namespace else (named, namespace)
                one = self._store.get(kind.id, space, name)
                if one is not None:
                    found[kind.name, named] = one
        return found

    def next_change_ms(
        self, seen: Seen, shares: dict[str, list[Share]], clock: Clock, past: Past | None
    ) -> int | None:
        """When time alone next makes a difference to what a look comes to; None: it does not."""
        metrics, now_ms = self._metrics, clock.now_ms
        namespace = seen.autoscaler.meta.namespace or ""
        found = [next_expiry_ms(seen.autoscaler, past, clock)] if past is not None else []
        found += [metrics.next_change_ms(pod, shares.get(pod.meta.uid, ()), now_ms) for pod in seen.pods]
        found.append(next_turn_ms(seen.pods, metrics.resolution_ms or 1_000, clock))
        sources = [*self._described(seen.autoscaler).values(), *seen.pods]
        place = self._store.get(NAMESPACE.kind.id, "", namespace)
        scaled = list(self._store.list(SCALED_OBJECT.kind.id, namespace))
        sources += [*([place] if place is not None else []), *scaled]
        turns = [turn for one in sources for turn in turns_of(one)]
        utc_ms = clock.epoch_ms + now_ms
        crons = (next_cron_turn_ms(trigger, utc_ms) for one in scaled for trigger in _triggers_of(one))
        turns += [turn - clock.epoch_ms for turn in crons if turn is not None]
        found.append(metrics.next_told_ms(turns, now_ms))
        return min((at_ms for at_ms in found if at_ms is not None), default=None)


def one_of(series: Series, share: Share) -> Series:
    """A pod's share of a Service's metric."""
    return Series(series.name, share.of(series.value), series.labels)


def _as_metrics(at_ms: int, window_ms: int, containers: Any) -> PodMetrics:
    """In thousandths, as the replica calculator counts."""
    uses = {name: {"cpu": cpu, "memory": memory * 1000} for name, (cpu, memory) in containers.items()}
    return PodMetrics(at_ms, window_ms, uses)


def _triggers_of(scaled: StoredObject) -> list[Trigger]:
    """None of one whose triggers cannot be read: its operator says so."""
    try:
        return read_triggers(scaled.spec or {})
    except ValueError:
        return []
