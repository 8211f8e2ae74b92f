"""`no-request-lost`: no request to a Service is lost in a change that somebody planned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.check.claims.alone import is_for_one
from lifecycle.check.claims.availability import AWAY_MS
from lifecycle.check.scene import CRITICAL, MINOR, SERIOUS, SEVERITIES, End, Scene, Violation
from lifecycle.check.settled import Settled, Workload
from lifecycle.engine.heart.trace import Row, Transition, row_to_json
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.rules.network.requests import PODS
from lifecycle.lost_requests import FIELD, Courses, tell_sender, tell_worst, tell_worth
from lifecycle.simulation.lost_requests import SERVICE
from lifecycle.verdicts import read_size

CLAIM = "no-request-lost"
FEW_MS, MANY_MS = 100, 10_000
"""Less than that is minor, more than that critical: ms' worth of all requests."""
_REMOVE = "remove"
"""The step that takes a node away."""


class NoRequestLost:
    """Follows what is lost of the requests to each Service."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._before = read_all_lost_ms(scene)
        self._courses: dict[tuple[str, str], Courses] = {}
        self._worst: dict[tuple[str, str], tuple[int, int, int]] = {}
        """(share, instant, row) of the worst row of each."""
        self._gone: dict[str, int] = {}
        """How many pods of each workload were asked to go."""

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """What rows tell of requests, and how often pods were asked to go."""
        for row in rows:
            owner = self._scene.find_workload(row)
            if owner is not None and _is_farewell(row):
                self._gone[owner.title] = self._gone.get(owner.title, 0) + 1
            if isinstance(row, Transition) and row.field.startswith(FIELD):
                place = row.subject.namespace or "", row.subject.name
                self._courses.setdefault(place, Courses()).feed(row_to_json(row))
                share = int(row.new or 0) or (1 if (row.detail or {}).get("atOnceMs") else 0)
                if share > self._worst.get(place, (0, 0, 0))[0]:
                    self._worst[place] = share, row.at_ms, row.seq

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each Service that lost any."""
        for place, before_ms in self._before.items():
            lost_ms = read_lost_ms(self._scene, place) - before_ms
            if lost_ms <= 0 or place not in self._courses:
                continue
            severity = self._grade(place, lost_ms)
            text = f"lost {tell_worth(lost_ms)} of all requests{self._tell_worst(place, end.now_ms)}"
            _, at_ms, seq = self._worst.get(place, (0, self._scene.begin_ms, 0))
            title, told = name_behind(self._scene.settled, place), f"Service {place[1]}: {text}"
            yield Violation(CLAIM, title, severity, at_ms, told, seq or None, lost_ms)

    def _grade(self, place: tuple[str, str], lost_ms: int) -> str:
        """By how much is lost; less grave where nothing that a manifest says would spare it."""
        severity = MINOR if lost_ms < FEW_MS else SERIOUS if lost_ms < MANY_MS else CRITICAL
        behind = [one for one in self._scene.settled.workloads if place in one.services]
        if self._asks_again(place, behind) or self._is_taken_away(behind):
            return MINOR
        # Of a bad image the only pod is away for as long as the ordeal leaves it there.
        left_ms = max((step.at_ms for step in self._scene.trial.steps), default=0)
        pauses = sum(self._gone.get(one.title, 0) for one in behind)
        spared_ms = left_ms + AWAY_MS * max(pauses, 1)
        if all(is_for_one(one, self._scene.cluster) for one in behind) and lost_ms <= spared_ms:
            return MINOR
        # One pod is no more than that: whoever wants more than a restart's pause wants two.
        is_alone = sum(read_size(one.data).wanted for one in behind) == 1
        return max(severity, SERIOUS, key=SEVERITIES.index) if is_alone else severity

    def _asks_again(self, place: tuple[str, str], behind: Sequence[Workload]) -> bool:
        """Whether it is for pods that look for each other: by their own names, or before they are ready.

        The API says so of `publishNotReadyAddresses` (core/v1 ServiceSpec): it is for peer discovery.
        """
        if any((one.data.get("spec") or {}).get("serviceName") == place[1] for one in behind):
            return True
        spec = (self._scene.cluster.get(SERVICE, *place) or {}).get("spec") or {}
        return spec.get("clusterIP") == "None" and bool(spec.get("publishNotReadyAddresses"))

    def _is_taken_away(self, behind: Sequence[Workload]) -> bool:
        """Whether they are pods that no drain evicts, on a machine that is taken away under them."""
        is_removed = any(step.kind == _REMOVE for step in self._scene.trial.steps)
        return is_removed and all(one.kind == DAEMON_SET_KIND.id for one in behind)

    def _tell_worst(self, place: tuple[str, str], now_ms: int) -> str:
        """How most were lost, of those who send the one that lost most."""
        begin_ms, courses = self._scene.begin_ms, self._courses[place].by_sender
        sender = max(courses, key=lambda one: courses[one].sum_lost(begin_ms, now_ms))
        if not courses[sender].sum_lost(begin_ms, now_ms):
            return ""
        through = f" {tell_sender(sender)}" if sender != PODS else ""
        return f"{through}, {tell_worst(courses[sender], begin_ms, now_ms)}"


def _is_farewell(row: Row) -> bool:
    """Whether a pod was asked to go."""
    return isinstance(row, Transition) and (row.field, row.new) == ("deletion", "requested")


def name_behind(settled: Settled, place: tuple[str, str]) -> str:
    """The workload whose requests those to a Service are; the Service where it has several."""
    behind = [one for one in settled.workloads if place in one.services]
    return behind[0].title if len(behind) == 1 else f"{SERVICE}/{place[0]}/{place[1]}"


def read_all_lost_ms(scene: Scene) -> dict[tuple[str, str], int]:
    """How many ms' worth of all requests were lost so far, by Service."""
    return {place: read_lost_ms(scene, place) for one in scene.settled.workloads for place in one.services}


def read_lost_ms(scene: Scene, place: tuple[str, str]) -> int:
    """How many ms' worth of all requests to a Service were lost so far."""
    sums = scene.cluster.sum_requests(*place)
    return int(sums["lostMs"]) if sums is not None else 0
