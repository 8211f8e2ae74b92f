"""The metrics APIs: resource metrics as of metrics-server, custom metrics and external metrics.

Usage is computed when it is requested. A container has metrics only if its usage is stated by its
behaviour, by a load on a Service of its pod, or by its script. With `metricsResolution` (metrics-server: 15
s) the value is that of the last multiple of this step, and a container has metrics once it has run for a
whole step; with 0s the value is the present one. Left out: means over the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple

from ..objects.endpoint_slice import ENDPOINT_SLICE_KIND
from ..objects.meta import StoredObject
from ..objects.pods.pod import POD_KIND, Pod
from ..programs.demand import DEMANDS, METRICS, MetricCurve, list_cpu_curves, read_metrics
from ..rules.network.services import SERVICE_NAME_LABEL
from ..store.store import Store
from .services import SERVICE, ServiceDirectory

LIVE_WINDOW_MS = 1_000
"""Over how long a sample is gathered that is taken as somebody asks."""


class Program(Protocol):
    """A running container, as far as its use is asked for."""

    started_ms: int

    @property
    def usage_points(self) -> Sequence[tuple[int, int, int]]:
        """Known beforehand: from an instant (ms) on so much CPU (milli) and memory (bytes)."""

    def usage(self, now_ms: int) -> tuple[int, int]:
        """CPU in milli and memory in bytes at an instant."""

    def next_wake_ms(self) -> int | None:
        """When it runs next: what it uses may be something else then."""


class Running(NamedTuple):
    """A container that runs: its name, its program, its CPU limit in milli (None: none)."""

    name: str
    program: Program
    cpu_limit: int | None


@dataclass(slots=True)
class PodUse:
    """What is told of one pod: CPU in milli and memory in bytes by container, and when that was."""

    at_ms: int
    window_ms: int
    containers: Mapping[str, tuple[int, int]]


class Share(NamedTuple):
    """A pod's part of the demand on a Service: it is number `place` of so many ready pods."""

    service: StoredObject
    place: int
    among: int

    def of(self, total: int) -> int:
        """Its part of a total, so that all parts together are the total: of 10 among 3, 3, 3 and 4."""
        return total * (self.place + 1) // self.among - total * self.place // self.among


class Metrics:
    """Asked by autoscalers; the kubelets say what runs, and when that changes."""

    def __init__(self, store: Store, services: ServiceDirectory, resolution_ms: int) -> None:
        self._store = store
        self._services = services
        self.resolution_ms = resolution_ms
        self.list_running: Callable[[str], Iterable[Running]] = lambda uid: ()
        """What runs of a pod, by its uid; set by the kubelets."""
        self.listeners: list[Callable[[Pod], None]] = []
        """Told of pods of which something else runs now; nobody where nobody asks for metrics"""
        # Names of the Services that have a demand, by namespace. None: nobody has asked yet.
        self._demanded: dict[str, dict[str, None]] | None = None
        store.listen(SERVICE, self._on_service)

    # --- following --------------------------------------------------------------------------------------

    def listen(self, listener: Callable[[Pod], None]) -> None:
        """Have a function told of pods of which something else runs now."""
        self.listeners.append(listener)

    def note(self, pod: Pod) -> None:
        """A container of known use has begun or ended."""
        for listener in self.listeners:
            listener(pod)

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None, "a write has an old or a new object"
        if self._demanded is not None:
            names = self._demanded.setdefault(some.meta.namespace or "", {})
            names.pop(some.meta.name, None)
            if new is not None and has_demand(new):
                names[new.meta.name] = None

    def demanded_services(self, namespace: str) -> Sequence[StoredObject]:
        """The Services of a namespace that have a demand, by name."""
        if self._demanded is None:
            self._demanded = {}
            for service in self._store.list(SERVICE):
                self._on_service(None, service)
        names = sorted(self._demanded.get(namespace, ()))
        found = (self._store.get(SERVICE, namespace, name) for name in names)
        return [service for service in found if service is not None]

    def shares(self, namespace: str) -> dict[str, list[Share]]:
        """By the uid of each pod its shares of demands: those of Services that it is a ready endpoint of."""
        found: dict[str, list[Share]] = {}
        for service in self.demanded_services(namespace):
            ready = sorted(self._ready_pods(namespace, service.meta.name))
            for place, (_name, uid) in enumerate(ready):
                found.setdefault(uid, []).append(Share(service, place, len(ready)))
        return found

    def _ready_pods(self, namespace: str, name: str) -> set[tuple[str, str]]:
        ready = set()
        for entry in self._services.slices_of(namespace, name):
            for endpoint in (entry.extra or {}).get("endpoints") or ():
                target = endpoint.get("targetRef") or {}
                if (
                    target.get("kind") == "Pod"
                    and (endpoint.get("conditions") or {}).get("ready") is not False
                ):
                    ready.add((target.get("name") or "", target.get("uid") or ""))
        return ready

    # --- use of resources -------------------------------------------------------------------------------

    def pod_use(self, pod: Pod, shares: Iterable[Share], now_ms: int) -> PodUse | None:
        """What is told of a pod's use; None where nothing is known of it, or not yet."""
        step_ms = self.resolution_ms
        at_ms = now_ms - now_ms % step_ms if step_ms else now_ms
        containers: dict[str, tuple[int, int]] = {}
        for running in self.list_running(pod.meta.uid):
            if step_ms and running.program.started_ms > at_ms - step_ms:
                continue
            use, loads = running.program.usage(at_ms), list(_loads_of(running, shares, at_ms))
            if not (running.program.usage_points or loads or any(use)):
                continue
            cpu = use[0] + sum(loads)
            if loads and running.cpu_limit is not None:
                cpu = min(cpu, max(running.cpu_limit, use[0]))
            containers[running.name] = (cpu, use[1])
        return PodUse(at_ms, step_ms or LIVE_WINDOW_MS, containers) if containers else None

    def list_uses(self, now_ms: int) -> Iterator[tuple[Pod, PodUse]]:
        """Every pod of whose use something is told."""
        shares: dict[str, dict[str, list[Share]]] = {}
        for pod in self._store.list(POD_KIND.id):
            assert isinstance(pod, Pod)
            namespace = pod.meta.namespace or ""
            if namespace not in shares:
                shares[namespace] = self.shares(namespace)
            use = self.pod_use(pod, shares[namespace].get(pod.meta.uid, ()), now_ms)
            if use is not None:
                yield pod, use

    def next_change_ms(self, pod: Pod, shares: Iterable[Share], now_ms: int) -> int | None:
        """When a pod's use is next told otherwise, as far as is known beforehand; None: it is not."""
        ends: list[int] = []
        for running in self.list_running(pod.meta.uid):
            program = running.program
            ends += [at_ms for at_ms, _, _ in program.usage_points]
            ends += [program.started_ms + self.resolution_ms]
            wake_ms = None if program.usage_points else program.next_wake_ms()
            ends += [] if wake_ms is None else [wake_ms]
        for share in shares:
            ends += _turns(share.service)
        return self.next_told_ms(ends, now_ms)

    def next_told_ms(self, turns: Iterable[int], now_ms: int) -> int | None:
        """The first instant after now at which one of these turns is told."""
        step_ms = self.resolution_ms or 1
        told = (-(-turn // step_ms) * step_ms for turn in turns)
        return min((at_ms for at_ms in told if at_ms > now_ms), default=None)


def has_demand(obj: StoredObject) -> bool:
    """Whether annotations of an object tell of a demand."""
    annotations = obj.meta.annotations
    return METRICS in annotations or (obj.kind.id == SERVICE and bool(list_cpu_curves(annotations)))


def has_other_demand(old: StoredObject | None, new: StoredObject | None) -> bool:
    """Whether a write changes what an object tells of demand."""
    before = old.meta.annotations if old is not None else {}
    after = new.meta.annotations if new is not None else {}
    return any(before.get(name) != after.get(name) for name in DEMANDS)


def service_of_slice(entry: StoredObject) -> str | None:
    """The name of the Service that a slice is of."""
    return entry.meta.labels.get(SERVICE_NAME_LABEL) if entry.kind.id == ENDPOINT_SLICE_KIND.id else None


def metrics_of(obj: StoredObject, now_ms: int) -> list[tuple[MetricCurve, int]]:
    """The metrics that an object tells of, and the value of each, in thousandths, where it has one now."""
    text = obj.meta.annotations.get(METRICS)
    curves = read_metrics(text)[0] if text else ()
    since_ms = now_ms - (obj.meta.creation_ms or 0)
    values = ((one, one.curve.value_at(since_ms)) for one in curves)
    return [(one, value) for one, value in values if value is not None]


def turns_of(obj: StoredObject) -> list[int]:
    """The instants at which what an object tells of demand changes."""
    return list(_turns(obj))


def _turns(obj: StoredObject) -> Iterator[int]:
    created_ms = obj.meta.creation_ms or 0
    annotations = obj.meta.annotations
    curves = list(list_cpu_curves(annotations).values())
    curves += [one.curve for one in read_metrics(annotations[METRICS])[0]] if annotations.get(METRICS) else []
    for curve in curves:
        yield from (created_ms + at_ms for at_ms, _ in curve.points)


def _loads_of(running: Running, shares: Iterable[Share], at_ms: int) -> Iterator[int]:
    for share in shares:
        meta = share.service.meta
        curve = list_cpu_curves(meta.annotations).get(running.name)
        total = curve.value_at(at_ms - (meta.creation_ms or 0)) if curve is not None else None
        if total is not None:
            yield share.of(total)
