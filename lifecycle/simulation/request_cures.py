"""What may keep requests from being lost, and the search for the smallest change that does.

A wait before pods end comes first, the shortest that helps. Where it alone does not, a readiness probe,
another strategy, a second pod and time for new pods to count are tried with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from lifecycle.engine.api.patching.patches import STRATEGIC, patch_object
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND
from lifecycle.lean_tuples import NamedTuple

Json = Mapping[str, Any]
LONGEST_WAIT_SECONDS = 32
"""No longer wait before pods end is tried."""
MIN_READY_SECONDS = 10
_GRACE_SECONDS = 30
_WORTH = 0.9
"""What leaves more than this share of the loss is no help; alone, what leaves more than half of it."""


class Cure(NamedTuple):
    """What is changed of a workload."""

    wait_seconds: int = 0
    port: int | str = 0
    """The port that a new readiness probe asks; 0: there is no new one."""
    surges: bool = False
    replicas: int = 0
    min_ready_seconds: int = 0

    def tell(self) -> str:
        """`readiness probe of port 8080 and preStop sleep 2`"""
        words = [
            f"readiness probe of port {self.port}" if self.port else "",
            "maxSurge 1, maxUnavailable 0" if self.surges else "",
            f"{self.replicas} replicas" if self.replicas else "",
            f"minReadySeconds {self.min_ready_seconds}" if self.min_ready_seconds else "",
            f"preStop sleep {self.wait_seconds}" if self.wait_seconds else "",
        ]
        return " and ".join(word for word in words if word)

    def change(self, workload: Json) -> dict[str, Any]:
        """The workload with it."""
        return patch_object(dict(workload), {"spec": self.make_patch(workload)}, STRATEGIC)

    def make_patch(self, workload: Json) -> dict[str, Any]:
        """What it changes of the spec, as a strategic merge patch."""
        spec: dict[str, Any] = {}
        if self.replicas:
            spec["replicas"] = self.replicas
        if self.min_ready_seconds:
            spec["minReadySeconds"] = self.min_ready_seconds
        if self.surges:
            field = "updateStrategy" if workload["kind"] == DAEMON_SET_KIND.id else "strategy"
            room = {"maxSurge": 1, "maxUnavailable": 0}
            spec[field] = {"type": "RollingUpdate", "rollingUpdate": room}
        pod = self._change_pod(workload["spec"]["template"]["spec"])
        return spec | ({"template": {"spec": pod}} if pod else {})

    def _change_pod(self, pod: Json) -> dict[str, Any]:
        changed: dict[str, Any] = {}
        containers: dict[str, dict[str, Any]] = {}
        if self.port:
            probe = {"tcpSocket": {"port": self.port}, "periodSeconds": 1}
            containers[find_server(pod, self.port)["name"]] = {"readinessProbe": probe}
        if self.wait_seconds:
            hook = {"lifecycle": {"preStop": {"sleep": {"seconds": self.wait_seconds}}}}
            for container in filter(_may_wait, pod["containers"]):
                containers.setdefault(container["name"], {}).update(hook)
            grace_seconds = pod.get("terminationGracePeriodSeconds", _GRACE_SECONDS)
            if grace_seconds < 2 * self.wait_seconds:
                # The wait is part of the grace period: what comes after it keeps its time.
                changed["terminationGracePeriodSeconds"] = grace_seconds + self.wait_seconds
        if containers:
            changed["containers"] = [{"name": name, **fields} for name, fields in containers.items()]
        return changed

    def join(self, other: Cure) -> Cure:
        """Both."""
        return self._replace(**{name: value for name, value in other._asdict().items() if value})


def list_cures(service: Json, workload: Json) -> list[Cure]:
    """What may help beside a wait, the smallest change first."""
    spec, kind = workload["spec"], kind_of_json(workload).id
    port = find_port(service)
    cures = []
    if port and not find_server(spec["template"]["spec"], port).get("readinessProbe"):
        cures.append(Cure(port=port))
    strategy = spec.get("strategy") or spec.get("updateStrategy") or {}
    room = (strategy.get("rollingUpdate") or {}).get("maxUnavailable")
    if kind in (DEPLOYMENT_KIND.id, DAEMON_SET_KIND.id) and room not in (0, "0%"):
        cures.append(Cure(surges=True))
    if spec.get("replicas") == 1:
        cures.append(Cure(replicas=2))
    if kind in (DEPLOYMENT_KIND.id, DAEMON_SET_KIND.id, STATEFUL_SET_KIND.id) and not spec.get(
        "minReadySeconds"
    ):
        cures.append(Cure(min_ready_seconds=MIN_READY_SECONDS))
    return cures


def find_port(service: Json) -> int | str:
    """The port of its pods that a Service sends to; 0 for none."""
    ports = service["spec"].get("ports") or ()
    port: int | str = next((one.get("targetPort") or one["port"] for one in ports), 0)
    return port


def find_server(pod: Json, port: int | str) -> dict[str, Any]:
    """The container that has a port, else the first."""
    found = (
        one
        for one in pod["containers"]
        if any(port in (given.get("containerPort"), given.get("name")) for given in one.get("ports") or ())
    )
    server: dict[str, Any] = next(found, pod["containers"][0])
    return server


def _may_wait(container: Json) -> bool:
    """Whether it has no hook of its own, or one that only waits."""
    hook = (container.get("lifecycle") or {}).get("preStop")
    return not hook or "sleep" in hook


# --- the smallest that helps --------------------------------------------------------------------------------


class Tried(Protocol):
    """What came of a cure."""

    @property
    def cure(self) -> Cure:
        """The one that was tried."""

    @property
    def lost_ms(self) -> int:
        """How many ms' worth of all requests were lost with it."""


T = TypeVar("T", bound=Tried)
Run = Callable[[Cure], T | None]
"""Tries a cure; None where that cannot be told."""


def find_smallest(run: Run[T], untouched: T, cures: list[Cure]) -> T | None:
    """The smallest change that loses nothing; else what loses least, where that is not half as much."""
    best = run(Cure(LONGEST_WAIT_SECONDS)) or untouched
    for cure in cures:
        if not best.lost_ms:
            break
        tried = run(best.cure.join(cure))
        if tried is not None and tried.lost_ms < best.lost_ms * _WORTH:
            best = tried
    if best.lost_ms * 2 > untouched.lost_ms:
        return None
    return _shorten(run, best)


def _shorten(run: Run[T], best: T) -> T:
    """The same with the shortest wait that does as well: by doubling, then by halves."""
    # Without a wait, and without anything else, it is what was lost before.
    low = -1 if best.cure._replace(wait_seconds=0).tell() else 0
    high = best.cure.wait_seconds
    for seconds in (0, 1, 2, 4, 8, 16):
        if low < seconds < high:
            best, low, high = _try_wait(run, best, seconds, low, high)
    while high - low > 1:
        best, low, high = _try_wait(run, best, (low + high) // 2, low, high)
    return best


def _try_wait(run: Run[T], best: T, seconds: int, low: int, high: int) -> tuple[T, int, int]:
    tried = run(best.cure._replace(wait_seconds=seconds))
    if tried is not None and tried.lost_ms <= best.lost_ms:
        return tried, low, seconds
    return best, seconds, high
