"""`nothing-stuck`: what was begun comes to an end, and what is due begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.check.scene import CRITICAL, MINOR, SERIOUS, End, Scene, Violation
from lifecycle.check.settled import Workload
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.objects.workloads.stateful_set import ON_DELETE
from lifecycle.engine.rules.telling.surroundings import find_target
from lifecycle.simulation.readiness import is_well
from lifecycle.verdicts import judge_rollout, list_next_runs

Json = Mapping[str, Any]
CLAIM = "nothing-stuck"
_AUTOSCALER = HORIZONTAL_POD_AUTOSCALER.kind.id
MISSED = 3
"""A CronJob that has not begun so many runs that were due begins none any more."""
MANY = 4
"""So many runs of one CronJob at once pile up."""


class NothingStuck:
    """Looks at the end at what has not come to one."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._last: dict[str, Row] = {}

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """What was said last of each workload and its pods; what is all right is no reason."""
        for row in rows:
            if isinstance(row, Transition) or row.event_type == "Warning":
                owner = self._scene.find_workload(row) or self._scene.workloads.get(
                    (row.subject.kind, row.subject.namespace or "", row.subject.name)
                )
                if owner is not None:
                    self._last[owner.title] = row

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each workload that is not rolled out, has failed, or does not begin what is due."""
        for place in end.unwell:
            yield from self._judge(self._scene.workloads[place])
        for one in self._scene.settled.workloads:
            if one.kind == CRON_JOB_KIND.id:
                yield from self._judge_cron_job(one)
        yield from self._judge_autoscalers()

    def _judge(self, one: Workload) -> Iterator[Violation]:
        data = self._scene.cluster.get(*one.place)
        if data is None or is_well(data):
            return
        rollout = judge_rollout(one.kind, data)
        if rollout is not None and (rollout.is_done or not _is_rolling(one.data, data)):
            return
        level = self._scene.available.get(one.place)
        severity = CRITICAL if level is not None and not level.now else SERIOUS
        if rollout is not None:
            said = rollout.text
        else:
            failed = find_failed(data)
            if failed is None:
                return
            said = f"{one.kind} {one.name} has failed: {failed.get('reason')}: {failed.get('message')}"
        yield self._violate(one.title, severity, said.strip())

    def _judge_cron_job(self, one: Workload) -> Iterator[Violation]:
        data, cluster = self._scene.cluster.get(*one.place), self._scene.cluster
        if data is None or (data.get("spec") or {}).get("suspend"):
            return
        active = (data.get("status") or {}).get("active") or ()
        begun_ms = self._find_begun_ms(one)
        due = list_next_runs(data, begun_ms, cluster.epoch_ms, MISSED)
        if len(due) >= MISSED and due[-1] < cluster.now_ms:
            why = f"; {active[0]['name']} is not over" if active else ""
            yield self._violate(
                one.title, SERIOUS, f"no run has begun in {MISSED} times that one was due{why}"
            )
        elif len(active) >= MANY:
            yield self._violate(one.title, SERIOUS, f"{len(active)} runs go on at once")

    def _find_begun_ms(self, one: Workload) -> int:
        """When its last run began, or the ordeal, where that was later."""
        runs = [
            job.meta.creation_ms or 0
            for job in (self._scene.cluster.find("Job", one.namespace, name) for name in self._list_runs(one))
            if job is not None
        ]
        return max([*runs, self._scene.begin_ms])

    def _list_runs(self, one: Workload) -> Iterator[str]:
        for job in self._scene.cluster.list("Job", one.namespace):
            for owner in job["metadata"].get("ownerReferences") or ():
                if owner["uid"] == one.data["metadata"]["uid"]:
                    yield job["metadata"]["name"]

    def _judge_autoscalers(self) -> Iterator[Violation]:
        """An autoscaler that cannot reckon, for what its target's manifest leaves out."""
        for data in self._scene.cluster.list(_AUTOSCALER):
            condition = _find_condition(data, "ScalingActive", "False")
            if condition is None or "missing request" not in str(condition.get("message")):
                continue
            target = self._scene.workloads.get(find_target(data))
            if target is not None:
                name = data["metadata"]["name"]
                text = f"HorizontalPodAutoscaler {name} does not scale it: {condition['message']}"
                yield self._violate(target.title, MINOR, text)

    def _violate(self, title: str, severity: str, text: str) -> Violation:
        last = self._last.get(title)
        at_ms, seq = (last.at_ms, last.seq) if last is not None else (self._scene.begin_ms, None)
        return Violation(CLAIM, title, severity, at_ms, text, seq)


def _is_rolling(before: Json, now: Json) -> bool:
    """Whether a rollout goes on that a controller drives: its spec is another one than at the beginning."""
    spec = now.get("spec") or {}
    if (spec.get("updateStrategy") or {}).get("type") == ON_DELETE:
        return False
    return bool(before["metadata"].get("generation") != now["metadata"].get("generation"))


def find_failed(data: Json) -> Json | None:
    """The condition of a Job that has failed."""
    return _find_condition(data, "Failed") if data["kind"] == JOB_KIND.name else None


def _find_condition(data: Json, name: str, status: str = "True") -> Json | None:
    conditions = (data.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one["type"] == name and one["status"] == status), None)
