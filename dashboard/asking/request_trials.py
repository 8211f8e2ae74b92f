"""What would have kept requests of a recorded cluster: the change that lost them, lived through again.

The cluster is taken up as it was just before that change. There a cure is made first, and when all is well
the same is asked for again, at the same distances. The cluster itself hears nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.engine import ENGINE_VERSION, Command
from lifecycle.engine import Cluster as Engine
from lifecycle.engine.heart.trace import make_merge_patch
from lifecycle.engine.kinds.pod_specs import find_pod_spec
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.lean_tuples import NamedTuple
from lifecycle.lost_requests import Course
from lifecycle.models import Cluster
from lifecycle.models import Command as Asked
from lifecycle.recorded.requests import read_courses
from lifecycle.recorded.roots import find_root
from lifecycle.remedies import LONGEST_MS
from lifecycle.runs import checkpoints, upgrades
from lifecycle.simulation.request_cures import Cure, Place, Trial, Watch

Json = Mapping[str, Any]
MOST_LOSSES = 20
"""Of so many losses, the latest first, it is asked what led to them."""
CALM_MS = 120_000
"""Where something else never rests, all has come of a change so long after the workload has."""
_FAULT = "fault"
_WHOLE = ("apply", "create", "replace")
"""These bring a whole object."""


class Change(NamedTuple):
    """What somebody asked for, and all that was asked for until the last requests were lost of it."""

    commands: tuple[Asked, ...]
    span_ms: int

    @property
    def at_ms(self) -> int:
        """When it began."""
        return self.commands[0].instant_ms or 0


def find_change(cluster: Cluster, service_uid: str) -> Change | None:
    """The last change that somebody planned and that lost requests to a Service; None: there was none."""
    courses = read_courses(cluster, [service_uid]).get(service_uid)
    found = [_list_losses(one, cluster.instant_ms) for one in courses.by_sender.values()] if courses else []
    losses = sorted((loss for part in found for loss in part), reverse=True)
    for end_ms, seq in losses[:MOST_LOSSES]:
        root = find_root(cluster, seq)
        if root is not None and root.kind != _FAULT and root.instant_ms is not None:
            later = checkpoints.commands_after(cluster, root.instant_ms, root.order - 1)
            commands = tuple(later.filter(instant_ms__lte=end_ms))
            return Change(commands, end_ms - root.instant_ms)
    return None


def _list_losses(course: Course, now_ms: int) -> list[tuple[int, int]]:
    """When each ended, and the row that began it."""
    told = [(one.end_ms or now_ms, one.seq) for one in course.stretches if one.lost]
    told += [(one.at_ms, one.seq) for one in course.lumps]
    return [(end_ms, seq) for end_ms, seq in told if seq is not None]


def restore_before(cluster: Cluster, change: Change) -> dict[str, Any]:
    """The saved engine as it was when a change was about to be asked for. Raises checkpoints.Unreadable."""
    first = change.commands[0]
    if change.at_ms > 0:
        engine = upgrades.restore(cluster, change.at_ms - 1).engine
    elif cluster.replay_from_ms or cluster.engine_version != ENGINE_VERSION:
        raise checkpoints.Unreadable("it was recorded by an earlier engine version")
    else:
        engine = checkpoints.new_engine(cluster)
    before = cluster.commands.filter(state=Asked.State.DONE, instant_ms=change.at_ms, order__lt=first.order)
    engine.run_until(change.at_ms)
    for command in before.order_by("order"):
        engine.submit(checkpoints.engine_command(command))
    engine.take_changes()
    return engine.save()


class Retrial:
    """Lives through a change again with a cure for a workload; `is_late`: whether there is no more time."""

    def __init__(
        self, saved: dict[str, Any], change: Change, service: Json, place: Place, is_late: Callable[[], bool]
    ) -> None:
        self._saved, self._change, self._service = saved, change, service
        self._place, self._is_late = place, is_late

    def __call__(self, cure: Cure) -> Trial | None:
        """What comes of it; None where not all is well in the end, or what is asked for is refused then."""
        engine = Engine.load(self._saved)
        if not self._cure(engine, cure):
            return None
        before, began_ms = self._sum_up(engine), engine.now_ms
        watch = self._watch(engine)
        if not self._ask_again(engine, cure, watch):
            return None
        if not _run_until_calm(engine, watch, began_ms + self._change.span_ms):
            return None
        after = self._sum_up(engine)
        return Trial(cure, {name: after[name] - before[name] for name in after}, watch.change_ms)

    def _watch(self, engine: Engine) -> Watch:
        watch = Watch(self._place, self._service, engine.epoch_ms, self._is_late)
        watch.begin(engine)
        return watch

    def _cure(self, engine: Engine, cure: Cure) -> bool:
        """Change the workload where it is there already, and wait until all is well again."""
        found = engine.get(*self._place)
        if found is None or not cure.tell():
            return True
        order = make_order(self._place, found, cure)
        if not engine.submit(Command(id="cure", kind=order[0], payload=order[1])).ok:
            return False
        return _run_until_calm(engine, self._watch(engine), engine.now_ms)

    def _ask_again(self, engine: Engine, cure: Cure, watch: Watch) -> bool:
        later_ms = engine.now_ms - self._change.at_ms

        def look(cluster: Engine) -> bool:
            watch.take(cluster.take_changes())
            return False

        for number, asked in enumerate(self._change.commands, 1):
            engine.run_until((asked.instant_ms or 0) + later_ms, stop=look)
            payload = asked.payload
            if asked.kind in _WHOLE:
                payload = {**payload, "object": self._change_object(payload["object"], cure)}
            kind, version = asked.kind, asked.version
            result = engine.submit(Command(id=f"again-{number}", kind=kind, payload=payload, version=version))
            was_ok = ((asked.result or {}).get("code") or 0) < 400
            if was_ok and not result.ok:
                return False
        return True

    def _change_object(self, data: Json, cure: Cure) -> Json:
        """A whole object as it is asked for: the workload with the cure, whatever version there is."""
        meta = {name: value for name, value in data["metadata"].items() if name != "resourceVersion"}
        data = {**data, "metadata": meta}
        named = kind_of_json(data).id, meta.get("namespace") or "default", meta.get("name")
        is_it = named == self._place and (find_pod_spec(data) or {}).get("containers")
        return cure.change(data) if is_it else data

    def _sum_up(self, engine: Engine) -> dict[str, int]:
        meta = self._service["metadata"]
        sums = engine.sum_requests(meta["namespace"], meta["name"]) or {}
        return {name: sums.get(name, 0) for name in ("lostMs", "lost")}


def make_order(place: Place, workload: Json, cure: Cure) -> tuple[str, dict[str, Any]]:
    """The command that makes a cure."""
    kind, namespace, name = place
    patch = make_merge_patch(workload["spec"], cure.change(workload)["spec"])
    named = {"kind": kind, "namespace": namespace, "name": name}
    return "patch", {**named, "type": "merge", "patch": {"spec": patch}}


def _run_until_calm(engine: Engine, watch: Watch, least_ms: int) -> bool:
    """Look on until all that comes of what was asked has come; whether all is well then."""
    since_ms = engine.now_ms

    def look(cluster: Engine) -> bool:
        nonlocal since_ms
        watch.take(cluster.take_changes())
        if not watch.is_settled:
            since_ms = cluster.now_ms
        if cluster.now_ms < least_ms or not watch.is_settled:
            return False
        return cluster.is_idle() or cluster.now_ms - since_ms >= CALM_MS

    engine.run_until(engine.now_ms)
    if not look(engine):
        engine.run_until(least_ms + LONGEST_MS, stop=look)
    return watch.is_settled
