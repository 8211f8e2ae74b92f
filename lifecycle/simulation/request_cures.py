"""What may keep requests from being lost when a workload changes, and the search for the smallest that does.

A wait before pods end comes first, the shortest that helps. Where it alone does not, a readiness probe,
another strategy, a second pod and time for new pods to count are tried with it. Whoever searches says how a
change is lived through with a cure; nothing is offered that was not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.api.patching.patches import STRATEGIC, patch_object
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.objects.selector import Selector
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND
from lifecycle.engine.rules.telling.verdicts import tell_span
from lifecycle.lean_tuples import NamedTuple
from lifecycle.lost_requests import tell_loss
from lifecycle.remedies import is_whole_now

Json = Mapping[str, Any]
Place = tuple[str, str, str]
"""(kind, namespace, name)"""

LONGEST_WAIT_SECONDS = 32
"""No longer wait before pods end is tried."""
MIN_READY_SECONDS = 10
_GRACE_SECONDS = 30
_DELETED = "DELETED"
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
            containers[_find_server(pod, self.port)["name"]] = {"readinessProbe": probe}
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


class Trial(NamedTuple):
    """What came of a cure: how much was lost, and how long pods came and went after all was well first."""

    cure: Cure
    sums: Json
    change_ms: int

    @property
    def lost_ms(self) -> int:
        """How many ms' worth of all requests."""
        return int(self.sums["lostMs"])


# --- what may help ------------------------------------------------------------------------------------------


def list_cures(service: Json, workload: Json) -> list[Cure]:
    """What may help beside a wait, the smallest change first."""
    spec, kind = workload["spec"], kind_of_json(workload).id
    port = _find_port(service)
    cures = []
    if port and not _find_server(spec["template"]["spec"], port).get("readinessProbe"):
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


def list_possible(service: Json, workload: Json) -> Iterator[Cure]:
    """All that a search may come to."""
    cures = list_cures(service, workload)
    for number in range(len(cures) + 1):
        for some in combinations(cures, number):
            cure = reduce(_join, some, Cure())
            yield from (cure._replace(wait_seconds=seconds) for seconds in range(LONGEST_WAIT_SECONDS + 1))


def _find_port(service: Json) -> int | str:
    ports = service["spec"].get("ports") or ()
    port: int | str = next((one.get("targetPort") or one["port"] for one in ports), 0)
    return port


def _find_server(pod: Json, port: int | str) -> dict[str, Any]:
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


# --- what does ----------------------------------------------------------------------------------------------


class LateError(Exception):
    """There is no more time to try."""


class Watch:
    """Follows one workload and the pods of a Service through a trial."""

    def __init__(self, place: Place, service: Json, epoch_ms: int, is_late: Callable[[], bool]) -> None:
        self._place, self._epoch_ms, self._is_late = place, epoch_ms, is_late
        self._selector = Selector.of_labels(service["spec"].get("selector"))
        self._going = set[str]()
        self._is_whole = False
        self._since_ms: int | None = None
        self._was_well = False
        self.change_ms = 0

    def begin(self, cluster: Cluster) -> None:
        """See a cluster that lives already, as it stands."""
        found = cluster.get(*self._place)
        self._is_whole = found is not None and is_whole_now(self._place[0], found)
        for pod in cluster.list(POD_KIND.id, self._place[1]):
            meta = pod["metadata"]
            if meta.get("deletionTimestamp") and self._selector.matches(meta.get("labels") or {}):
                self._going.add(meta["uid"])
        self._was_well = self.is_settled

    @property
    def is_settled(self) -> bool:
        """Whether all that is wanted is there, and nothing goes."""
        return self._is_whole and not self._going

    def take(self, changes: Changes) -> None:
        """Take in what one instant changed. Raises LateError."""
        if self._is_late():
            raise LateError
        for version in changes.versions:
            new = version.new
            if new.key == self._place:
                self._is_whole = is_whole_now(self._place[0], new.to_json(self._epoch_ms))
            elif isinstance(new, Pod) and new.meta.namespace == self._place[1]:
                if version.type == _DELETED:
                    self._going.discard(new.meta.uid)
                elif new.meta.deletion_ms is not None and self._selector.matches(new.meta.labels):
                    self._going.add(new.meta.uid)
        self._follow(changes.at_ms)

    def _follow(self, now_ms: int) -> None:
        if not self.is_settled:
            if self._was_well and self._since_ms is None:
                self._since_ms = now_ms
            return
        self._was_well = True
        if self._since_ms is not None:
            self.change_ms += now_ms - self._since_ms
            self._since_ms = None


Run = Callable[[Cure], "Trial | None"]
"""Lives through the change with a cure; None where not all is well in the end. May raise LateError."""


def find_cure(run: Run, untouched: Trial, cures: Sequence[Cure]) -> Trial | None:
    """The smallest change that loses nothing; else what loses least, where that is not half as much."""
    best = run(Cure(LONGEST_WAIT_SECONDS)) or untouched
    for cure in cures:
        if not best.lost_ms:
            break
        tried = run(_join(best.cure, cure))
        if tried is not None and tried.lost_ms < best.lost_ms * _WORTH:
            best = tried
    return None if best.lost_ms * 2 > untouched.lost_ms else _shorten(run, best)


def _shorten(run: Run, best: Trial) -> Trial:
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


def _try_wait(run: Run, best: Trial, seconds: int, low: int, high: int) -> tuple[Trial, int, int]:
    tried = run(best.cure._replace(wait_seconds=seconds))
    if tried is not None and tried.lost_ms <= best.lost_ms:
        return tried, low, seconds
    return best, seconds, high


def tell_trial(service: Json, untouched: Trial, best: Trial) -> str:
    """`lost nothing instead of 1.4s of all requests; pods change for 12s instead of 9s`"""
    before = tell_loss(service, untouched.sums)
    after = tell_loss(service, best.sums) if best.lost_ms else "nothing"
    price = f"pods change for {tell_span(best.change_ms)} instead of {tell_span(untouched.change_ms)}"
    return f"lost {after} instead of {before}; {price}"


def _join(one: Cure, other: Cure) -> Cure:
    return one._replace(**{name: value for name, value in other._asdict().items() if value})
