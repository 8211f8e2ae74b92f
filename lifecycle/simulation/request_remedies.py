"""What would have kept requests from being lost: small changes, each tried in the same run once more.

Nothing is offered that was not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.kinds.pod_specs import find_pod_spec
from lifecycle.engine.kinds.registry import kind_of_json, list_workloads
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.selector import Selector
from lifecycle.engine.rules.telling.verdicts import tell_span
from lifecycle.input.scenario_steps import Step
from lifecycle.lean_dataclasses import replace
from lifecycle.lean_tuples import NamedTuple
from lifecycle.remedies import LONGEST_MS, is_small, is_whole_now
from lifecycle.simulation.lost_requests import Lost, selects_pods_of, tell_loss
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.request_cures import Cure, find_smallest, list_cures
from lifecycle.simulation.run import run

Json = Mapping[str, Any]
Place = tuple[str, str, str]
"""(kind, namespace, name)"""

_DELETED = "DELETED"


class Trial(NamedTuple):
    """What came of a cure: how much was lost, and how long pods came and went after all was well first."""

    cure: Cure
    sums: Json
    change_ms: int

    @property
    def lost_ms(self) -> int:
        """How many ms' worth of all requests."""
        return int(self.sums["lostMs"])


def try_cures(plan: Plan, lost: Lost, workload: Json, is_late: Callable[[], bool]) -> Iterator[str]:
    """`preStop sleep 2: lost nothing instead of 1.4s of all requests; pods change for 12s instead of 9s`."""
    place = kind_of_json(workload).id, workload["metadata"]["namespace"], workload["metadata"]["name"]
    try:
        trials = _Trials(plan, lost.service, place, is_late)
        untouched = trials.run(Cure())
        best = find_smallest(trials.run, untouched, list_cures(lost.service, workload)) if untouched else None
    except _LateError:
        return
    if untouched is None or best is None:
        return
    before = tell_loss(lost.service, untouched.sums)
    after = tell_loss(lost.service, best.sums) if best.lost_ms else "nothing"
    price = f"pods change for {tell_span(best.change_ms)} instead of {tell_span(untouched.change_ms)}"
    yield f"{best.cure.tell()}: lost {after} instead of {before}; {price}"


def find_changed(cluster: Cluster, lost: Lost, is_planned: Callable[[str], bool]) -> Iterator[Json]:
    """The workloads behind a Service that went through a change that somebody planned."""
    if not is_small(cluster):
        return
    for entry in list_workloads():
        for data in cluster.list(entry.kind.id):
            meta = data["metadata"]
            if (
                is_planned(meta["uid"])
                and not meta.get("ownerReferences")
                and selects_pods_of(lost.service, data)
            ):
                yield data


# --- what does ----------------------------------------------------------------------------------------------


class _LateError(Exception):
    """There is no more time to try."""


class _Watch:
    """Follows one workload and the pods of a Service through a trial."""

    def __init__(self, place: Place, service: Json, epoch_ms: int, is_late: Callable[[], bool]) -> None:
        self._place, self._epoch_ms, self._is_late = place, epoch_ms, is_late
        self._selector = Selector.of_labels(service["spec"].get("selector"))
        self._going = set[str]()
        self._is_whole = False
        self._since_ms: int | None = None
        self._was_well = False
        self.change_ms = 0

    @property
    def is_settled(self) -> bool:
        """Whether all that is wanted is there, and nothing goes."""
        return self._is_whole and not self._going

    def take(self, changes: Changes) -> None:
        """Take in what one instant changed. Raises _LateError."""
        if self._is_late():
            raise _LateError
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


class _Trials:
    """Runs a plan again and again, each time with another cure for one workload."""

    def __init__(self, plan: Plan, service: Json, place: Place, is_late: Callable[[], bool]) -> None:
        self._plan, self._service, self._place, self._is_late = plan, service, place, is_late

    def run(self, cure: Cure) -> Trial | None:
        """What comes of it; None where not all is well in the end."""
        plan = change_plan(self._plan, self._place, cure)
        watch = _Watch(self._place, self._service, plan.epoch_ms, self._is_late)
        _, cluster = run(plan, watch)
        if not watch.is_settled:

            def stop(engine: Cluster) -> bool:
                watch.take(engine.take_changes())
                return watch.is_settled

            cluster.run_until(cluster.now_ms + LONGEST_MS, stop=stop)
        meta = self._service["metadata"]
        sums = cluster.sum_requests(meta["namespace"], meta["name"])
        if sums is None or not watch.is_settled:
            return None
        return Trial(cure, sums, watch.change_ms)


def change_plan(plan: Plan, place: Place, cure: Cure) -> Plan:
    """The plan with a cure for a workload, wherever it is applied; without claims."""

    def change(data: Json) -> Json:
        meta = data.get("metadata") or {}
        named = kind_of_json(data).id, meta.get("namespace") or "default", meta.get("name")
        # A Scenario may apply what is no workload, to see it refused.
        return cure.change(data) if named == place and find_pod_spec(data).get("containers") else data

    def change_step(step: Step) -> Step:
        applied = step.payload.get("object") if step.kind == "apply" and step.refused is None else None
        return step if applied is None else replace(step, payload={**step.payload, "object": change(applied)})

    return replace(
        plan,
        objects=tuple(map(change, plan.objects)),
        steps=tuple(map(change_step, plan.steps)),
        then=None if plan.then is None else change_plan(plan.then, place, cure),
        expects=(),
        sequences=(),
    )
