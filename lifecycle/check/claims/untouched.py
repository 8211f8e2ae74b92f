"""What is claimed where nothing is done: all is well, nothing restarts by itself, requests are served."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lifecycle.check.claims import requests, restarts, stuck
from lifecycle.check.scene import CRITICAL, SERIOUS, End, Scene, Violation
from lifecycle.check.settled import Workload
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.rules.telling.verdicts import tell_span
from lifecycle.lost_requests import tell_outcome
from lifecycle.simulation.readiness import is_well
from lifecycle.simulation.seen import Judged, Watch

_BEFORE = "before anything is done"
_LOOKS_AFTER_MS = 300_000
"""What crashes again and again is up for moments: so many are up as at the least after this time, when the
longest wait for a restart has begun."""


class Untouched:
    """Tells of each workload once what is at fault with it before anything is done."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._lost_ms = requests.read_all_lost_ms(scene)
        self._last: dict[str, Row] = {}
        self._least: dict[tuple[str, str, str], int] = {}

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """What was said last of the pods of each workload; what is all right is no reason."""
        for row in rows:
            owner = self._scene.find_workload(row)
            if owner is not None and (isinstance(row, Transition) or row.event_type == "Warning"):
                self._last[owner.title] = row
        if now_ms >= self._scene.begin_ms + _LOOKS_AFTER_MS:
            self._count()

    def _count(self) -> None:
        for place, level in self._scene.available.items():
            self._least[place] = min(level.now, self._least.get(place, level.now))

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each workload that is not well, or restarts; then for each Service that loses."""
        self._count()
        judged, told = Watch().judge(self._scene.cluster), set[str]()
        for one in self._scene.settled.workloads:
            for found in self._judge(one, end, judged):
                told.add(one.title)
                yield found
        yield from self._judge_services(end, told)

    def _judge(self, one: Workload, end: End, judged: Judged) -> Iterator[Violation]:
        data, level = self._scene.cluster.get(*one.place), self._scene.available.get(one.place)
        if data is None:
            return
        if one.place not in end.unwell:
            if level is not None and (times := self._scene.restarts.get(one.place)):
                span = tell_span(end.now_ms - self._scene.begin_ms)
                text = f"{times} restart{'s' if times > 1 else ''} of its containers in {span}"
                yield self._violate(restarts.CLAIM, one, SERIOUS, text, times)
        elif (level is not None and not is_well(data)) or stuck.find_failed(data):
            least = self._least.get(one.place, 0)
            severity = SERIOUS if least or level is None else CRITICAL
            yield self._violate(stuck.CLAIM, one, severity, judged.read_workload(data).sentence, least)

    def _violate(self, claim: str, one: Workload, severity: str, text: str, amount: int = 0) -> Violation:
        last = self._last.get(one.title)
        at_ms, seq = (last.at_ms, last.seq) if last is not None else (self._scene.begin_ms, None)
        return Violation(claim, one.title, severity, at_ms, f"{_BEFORE}: {text}", seq, amount)

    def _judge_services(self, end: End, told: set[str]) -> Iterator[Violation]:
        """Half of all requests are lost, and that is no workload's fault that is told already."""
        span_ms = end.now_ms - self._scene.begin_ms
        for place, before_ms in self._lost_ms.items():
            lost_ms = requests.read_lost_ms(self._scene, place) - before_ms
            behind = [one.title for one in self._scene.settled.workloads if place in one.services]
            if 2 * lost_ms < span_ms or told.intersection(behind):
                continue
            ways = self._scene.cluster.sum_outcomes(*place)
            worst = max((lost, way) for sender in ways.values() for way, lost in sender.items())[1]
            text = f"{_BEFORE}: Service {place[1]}: most requests are {tell_outcome(worst)}"
            title = requests.name_behind(self._scene.settled, place)
            yield Violation(requests.CLAIM, title, CRITICAL, self._scene.begin_ms, text, None, lost_ms)
