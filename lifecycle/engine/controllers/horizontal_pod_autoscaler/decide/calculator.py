"""How many replicas one metric asks for. Models Kubernetes' ReplicaCalculator.

A pod that is not ready yet counts as idle when the others ask for more, and not at all otherwise; one without
metrics as idle when they ask for more, as fully used when for less. Where that turns the direction, nothing
changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.condition import find_condition
from ....objects.pods.pod import FAILED, PENDING, RUNNING, Pod
from ....objects.quantity import parse_quantity
from ....objects.times import floor_to_second
from ....rules.pods.resources import effective_requests
from .readings import MOST_USE, Sample, UnreadableMetric

CPU_INITIALIZATION_MS = 300_000
"""So long after a pod's start its CPU counts only while it is Ready, from a whole window after that on."""
INITIAL_READINESS_DELAY_MS = 30_000
"""A pod that was last unready sooner after its start than this was never ready."""
DOWNSCALE_STABILIZATION_MS = 300_000
"""How long a high recommendation holds an autoscaler that does not say itself."""
TOLERANCE = 0.1
"""A ratio of use to target as near to 1 as this changes nothing."""
MOST_REPLICAS = (1 << 31) - 1
OVERFLOWN_REPLICAS = -(1 << 31)
"""What Go makes of a count beyond MOST_REPLICAS."""
NO_SHARE = -(1 << 63)
"""The share of each where there is none to share: a division by zero, as Go writes it in a whole number."""
CPU = "cpu"
_POD_RESOURCES = ("cpu", "memory", "hugepages-")
Samples = Mapping[str, Sample]


@dataclass(slots=True)
class Tolerances:
    """How far a ratio may be from 1 without anything being done about it."""

    up: float = TOLERANCE
    down: float = TOLERANCE

    def holds(self, ratio: float) -> bool:
        """Whether a ratio is near enough to 1."""
        return 1.0 - self.down <= ratio <= 1.0 + self.up


@dataclass(slots=True)
class Clock:
    """The instant of a look, and the settings that are spans of time; all in ms."""

    now_ms: int
    epoch_ms: int = 0
    cpu_initialization_ms: int = CPU_INITIALIZATION_MS
    initial_readiness_delay_ms: int = INITIAL_READINESS_DELAY_MS
    stabilization_ms: int = DOWNSCALE_STABILIZATION_MS

    def shown(self, instant_ms: int) -> int:
        """The instant as the API tells it."""
        return floor_to_second(instant_ms, self.epoch_ms)


@dataclass(slots=True)
class Groups:
    """Pods by what their metrics are good for."""

    ready: int = 0
    unready: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


def group_pods(pods: Iterable[Pod], samples: Samples, is_cpu: bool, clock: Clock) -> Groups:
    """Who counts, who may count later, of whom nothing is known, and who is on the way out."""
    groups = Groups()
    for pod in pods:
        name = pod.meta.name
        if pod.meta.deletion_ms is not None or pod.status.phase == FAILED:
            groups.ignored.append(name)
        elif pod.status.phase == PENDING:
            groups.unready.append(name)
        elif name not in samples:
            groups.missing.append(name)
        elif is_cpu and _is_cpu_unready(pod, samples[name], clock):
            groups.unready.append(name)
        else:
            groups.ready += 1
    return groups


def _is_cpu_unready(pod: Pod, sample: Sample, clock: Clock) -> bool:
    ready, start_ms = find_condition(pod.status.conditions, "Ready"), pod.status.start_ms
    if ready is None or start_ms is None:
        return True
    start_ms, turned_ms = clock.shown(start_ms), clock.shown(ready.last_transition_ms or 0)
    if start_ms + clock.cpu_initialization_ms > clock.now_ms:
        # While it warms up a sample counts that was gathered wholly since it became ready.
        return ready.status == "False" or sample.at_ms < turned_ms + sample.window_ms
    # Later an unready pod is left out only if it has never been ready.
    return ready.status == "False" and start_ms + clock.initial_readiness_delay_ms > turned_ms


def next_turn_ms(pods: Iterable[Pod], window_ms: int, clock: Clock) -> int | None:
    """When a pod's CPU next counts in another way, only because time passes; None: never."""
    turns = []
    for pod in pods:
        ready, start_ms = find_condition(pod.status.conditions, "Ready"), pod.status.start_ms
        if ready is not None and start_ms is not None:
            turns.append(clock.shown(start_ms) + clock.cpu_initialization_ms)
            turns.append(clock.shown(ready.last_transition_ms or 0) + window_ms)
    return min((turn for turn in turns if turn > clock.now_ms), default=None)


# --- requests ---------------------------------------------------------------------------------------------


def sum_requests(pods: Sequence[Pod], container: str, resource: str) -> dict[str, int]:
    """What each pod, or one container of it, requests, in thousandths. Raises UnreadableMetric."""
    return {pod.meta.name: _request_of(pod, container, resource) for pod in pods}


def _request_of(pod: Pod, container: str, resource: str) -> int:
    spec = pod.spec
    own = spec.resources.get("requests") or {}
    if not container and any(name.startswith(_POD_RESOURCES) for name in own):
        # Then all counts as the scheduler counts it: overhead, sidecars and init containers too.
        effective = effective_requests(spec)
        if resource not in effective:
            raise UnreadableMetric(f"missing pod-level request for {resource} in Pod {pod.meta.name}")
        return effective[resource] * (1 if resource == CPU else 1000)
    total = 0
    for one in (*spec.containers, *(init for init in spec.init_containers if init.is_sidecar)):
        if container in ("", one.name):
            given = ((one.raw.get("resources") or {}).get("requests") or {}).get(resource)
            if given is None:
                where = f"in container {one.name} of Pod {pod.meta.name}"
                raise UnreadableMetric(f"missing request for {resource} {where}")
            total += milli_of(given)
        if container == one.name:
            return total
    if container:
        raise UnreadableMetric(f"container {container} not found in Pod {pod.meta.name}")
    return total


def milli_of(quantity: object) -> int:
    """A quantity in thousandths, rounded up."""
    return ceil(parse_quantity(quantity) * 1000)


# --- ratios -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Asked:
    """What one metric asks for: replicas, use as a percentage of requests (None: not asked), use per pod."""

    replicas: int
    utilization: int | None
    usage: int


@dataclass(slots=True)
class Question:
    """What is asked of the pods' own values: `target` is a percentage, or thousandths of the metric's unit.

    `resource` and `container` are "" where the metric is of none.
    """

    current: int
    target: int
    samples: Samples
    pods: Sequence[Pod]
    tolerances: Tolerances
    clock: Clock
    resource: str = ""
    container: str = ""


Values = Mapping[str, int]


def ask_by_utilization(question: Question) -> Asked:
    """By the percentage of what the pods request. Raises UnreadableMetric."""
    groups, counted = _count(question)
    requests = sum_requests(question.pods, question.container, question.resource)

    def measure(values: Values) -> tuple[int, int]:
        known = [name for name in values if name in requests]
        requested = sum(requests[name] for name in known)
        if requested == 0:
            raise UnreadableMetric("no metrics returned matched known pods")
        used = sum(values[name] for name in known)
        return used * 100 // requested, used // len(known)

    percent, usage = measure(counted)
    assumed_percent = max(100, question.target)
    assumed = {name: requests[name] * assumed_percent // 100 for name in groups.missing}

    def ratio_of(values: Values) -> float:
        return measure(values)[0] / question.target

    return Asked(_settle(question, groups, counted, assumed, ratio_of), percent, usage)


def ask_by_value(question: Question) -> Asked:
    """By the mean value of the pods. Raises UnreadableMetric."""
    groups, counted = _count(question)

    def ratio_of(values: Values) -> float:
        return sum(values.values()) // len(values) / question.target

    assumed = dict.fromkeys(groups.missing, question.target)
    usage = sum(counted.values()) // len(counted)
    return Asked(_settle(question, groups, counted, assumed, ratio_of), None, usage)


def _count(question: Question) -> tuple[Groups, dict[str, int]]:
    if not question.pods:
        raise UnreadableMetric("no pods returned by selector while calculating replica count")
    groups = group_pods(question.pods, question.samples, question.resource == CPU, question.clock)
    left_out = {*groups.ignored, *groups.unready}
    counted = {name: one.value for name, one in question.samples.items() if name not in left_out}
    if not counted:
        raise UnreadableMetric("did not receive metrics for targeted pods (pods might be unready)")
    return groups, counted


def _settle(
    question: Question, groups: Groups, counted: Values, assumed: Values, ratio_of: Callable[[Values], float]
) -> int:
    """From the ratio of those that count to replicas, with what is assumed of the others.

    3 pods at 90 % of a target of 45 %: ratio 2, 6 replicas. With 3 more that are not ready yet the 6 are at
    45 %, and nothing changes.
    """
    ratio, current, tolerances = ratio_of(counted), question.current, question.tolerances
    adds_unready = bool(groups.unready) and ratio > 1.0
    if not adds_unready and not groups.missing:
        return current if tolerances.holds(ratio) else _count_up(ratio * groups.ready)
    values = dict(counted)
    if ratio < 1.0:
        values |= assumed
    elif ratio > 1.0:
        values |= dict.fromkeys(groups.missing, 0)
    if adds_unready:
        values |= dict.fromkeys(groups.unready, 0)
    again = ratio_of(values)
    if tolerances.holds(again) or (ratio < 1.0 < again) or (again < 1.0 < ratio):
        return current
    replicas = _count_up(again * len(values))
    # That more or fewer pods count than there are replicas must not turn the direction either.
    if (again < 1.0 and replicas > current) or (again > 1.0 and replicas < current):
        return current
    return replicas


def _count_up(replicas: float) -> int:
    """So many replicas, rounded up; Go's conversion does not stop at the most that there can be."""
    rounded = ceil(replicas)
    return rounded if rounded <= MOST_REPLICAS else OVERFLOWN_REPLICAS


def ask_by_total(current: int, target: int, usage: int, pods: Sequence[Pod], tolerances: Tolerances) -> Asked:
    """By one value for all: in proportion to the ready pods; without replicas, tolerance has no say."""
    ratio = usage / target
    if current == 0:
        return Asked(_count_up(ratio), None, usage)
    if tolerances.holds(ratio):
        return Asked(current, None, usage)
    if not pods:
        why = "no pods returned by selector while calculating replica count"
        raise UnreadableMetric(f"unable to calculate ready pods: {why}")
    return Asked(min(ceil(ratio * _count_ready(pods)), MOST_REPLICAS), None, usage)


def _count_ready(pods: Iterable[Pod]) -> int:
    found = 0
    for pod in pods:
        ready = find_condition(pod.status.conditions, "Ready")
        found += pod.status.phase == RUNNING and ready is not None and ready.status == "True"
    return found


def ask_by_share(
    replicas: int, target: int, usage: int, tolerances: Tolerances, is_external: bool = True
) -> Asked:
    """By one value that the replicas there are share. Without any replica, as many as the value asks for.

    An external metric stops at the most replicas and use that there can be; one of an object does not.
    """
    wanted = min(ceil(usage / target), MOST_REPLICAS) if is_external else _count_up(usage / target)
    is_full = is_external and usage >= MOST_USE
    if replicas == 0:
        return Asked(wanted, None, usage if is_full else NO_SHARE)
    if tolerances.holds(usage / (target * replicas)):
        wanted = replicas
    return Asked(wanted, None, usage if is_full else ceil(float(usage) / replicas))
