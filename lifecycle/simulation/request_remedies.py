"""What would have kept the requests of a run from being lost: each cure tried in the same run once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lifecycle.engine import Cluster
from lifecycle.engine.kinds.pod_specs import find_pod_spec
from lifecycle.engine.kinds.registry import kind_of_json, list_workloads
from lifecycle.input.scenario_steps import Step
from lifecycle.judge import counts_failures
from lifecycle.lean_dataclasses import replace
from lifecycle.remedies import LONGEST_MS, is_small
from lifecycle.simulation.lost_requests import Lost, selects_pods_of
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.request_cures import (
    Cure,
    LateError,
    Place,
    Trial,
    Watch,
    find_cure,
    list_cures,
    tell_trial,
)
from lifecycle.simulation.run import run

Json = Mapping[str, Any]


def try_cures(plan: Plan, lost: Lost, workload: Json, is_late: Callable[[], bool]) -> Iterator[str]:
    """`preStop sleep 2: lost nothing instead of 1.4s of all requests; pods change for 12s instead of 9s`."""
    place = kind_of_json(workload).id, workload["metadata"]["namespace"], workload["metadata"]["name"]

    def run_with(cure: Cure) -> Trial | None:
        return _run_again(plan, lost.service, place, cure, is_late)

    try:
        untouched = run_with(Cure())
        best = find_cure(run_with, untouched, list_cures(lost.service, workload)) if untouched else None
    except LateError:
        return
    if untouched is not None and best is not None:
        yield f"{best.cure.tell()}: {tell_trial(lost.service, untouched, best)}"


def find_changed(cluster: Cluster, lost: Lost, is_planned: Callable[[str], bool]) -> Iterator[Json]:
    """The workloads behind a Service that went through a change that somebody planned."""
    if not is_small(cluster):
        return
    for entry in list_workloads():
        # A Job's template stays as it is.
        for data in cluster.list(entry.kind.id) if not counts_failures(entry.kind.id) else ():
            meta = data["metadata"]
            if (
                is_planned(meta["uid"])
                and not meta.get("ownerReferences")
                and selects_pods_of(lost.service, data)
            ):
                yield data


def _run_again(
    plan: Plan, service: Json, place: Place, cure: Cure, is_late: Callable[[], bool]
) -> Trial | None:
    """What comes of the plan with a cure for a workload; None where not all is well in the end."""
    changed = change_plan(plan, place, cure)
    watch = Watch(place, service, changed.epoch_ms, is_late)
    _, cluster = run(changed, watch)
    if not watch.is_settled:

        def stop(engine: Cluster) -> bool:
            watch.take(engine.take_changes())
            return watch.is_settled

        cluster.run_until(cluster.now_ms + LONGEST_MS, stop=stop)
    meta = service["metadata"]
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
