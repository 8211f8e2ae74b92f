"""The film of a counter-example: how each pod was, what was lost of requests, what was done and when.

It is made of the rows of one future, which is lived through again. Times are those of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lifecycle.check.findings import Finding
from lifecycle.check.life import live
from lifecycle.check.settled import Settled
from lifecycle.check.trials import Trial
from lifecycle.engine.heart.trace import Row, Transition, row_to_json
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.rules.pods.state import decide_state
from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.lean_tuples import NamedTuple
from lifecycle.lost_requests import FIELD, Courses
from lifecycle.simulation.lost_requests import SERVICE

MOST_LANES = 60
STATE = "state"


class Span(NamedTuple):
    """From one instant until another something was so. `lost`: thousandths of the requests."""

    start_ms: int
    end_ms: int
    state: str
    lost: int = 0


class Lane(NamedTuple):
    """A pod, or a Service that lost requests."""

    name: str
    spans: tuple[Span, ...]


class Mark(NamedTuple):
    """Something was done, or seen, at an instant."""

    at_ms: int
    text: str


class Film(NamedTuple):
    """`left_out`: how many pods there were besides."""

    begin_ms: int
    end_ms: int
    pods: tuple[Lane, ...]
    services: tuple[Lane, ...]
    marks: tuple[Mark, ...]
    left_out: int = 0


@dataclass(slots=True)
class PodLife:
    """A pod as it goes: its spans so far, and the one that is open. `is_touched`: anything came to it."""

    name: str
    state: str
    since_ms: int
    is_touched: bool = False
    is_gone: bool = False
    spans: list[Span] = field(default_factory=list)

    def become(self, state: str, at_ms: int) -> None:
        """So from now on."""
        self.close(at_ms)
        self.state, self.is_touched = state, True

    def close(self, at_ms: int) -> None:
        """So it was until now."""
        if at_ms > self.since_ms and not self.is_gone:
            self.spans.append(Span(self.since_ms, at_ms, self.state))
        self.since_ms = at_ms


def make_film(settled: Settled, trial: Trial, seed: int) -> Film:
    """Live through a future again, and look at it."""
    lives, courses = _begin(settled), dict[str, Courses]()
    last_ms = settled.now_ms

    def see(rows: Sequence[Row]) -> None:
        nonlocal last_ms
        for row in rows:
            if isinstance(row, Transition):
                last_ms = max(last_ms, row.at_ms)
                take_row(row, lives, courses)

    live(settled, trial, seed, see)
    for one in lives.values():
        one.close(last_ms)
    return _cut(settled, trial, lives, courses, last_ms)


def _begin(settled: Settled) -> dict[str, PodLife]:
    """The pods as they stand at the fork, by their uids."""
    begin_ms, epoch_ms = settled.now_ms, settled.plan.epoch_ms
    return {
        one["metadata"]["uid"]: PodLife(
            one["metadata"]["name"], decide_state(Pod.from_json(dict(one), epoch_ms)).name, begin_ms
        )
        for one in settled.pods
    }


def take_row(row: Transition, lives: dict[str, PodLife], courses: dict[str, Courses]) -> None:
    """Take in what happened to a pod, by its uid, or to the requests of a Service."""
    kind, subject = kind_id(row.subject.group, row.subject.kind), row.subject
    if kind == SERVICE and row.field.startswith(FIELD):
        courses.setdefault(f"{subject.namespace}/{subject.name}", Courses()).feed(row_to_json(row))
    if kind != POD_KIND.id:
        return
    if row.field == STATE:
        life = lives.setdefault(subject.uid, PodLife(subject.name, row.new, row.at_ms))
        life.become(row.new, row.at_ms)
    elif row.field == "exists" and row.new == "deleted" and subject.uid in lives:
        life = lives[subject.uid]
        life.become(life.state, row.at_ms)
        life.is_gone = True


def _cut(
    settled: Settled, trial: Trial, lives: Mapping[str, PodLife], courses: Mapping[str, Courses], end_ms: int
) -> Film:
    """Those pods that anything came to first, where there are too many."""
    uids = {uid for one in trial.workloads for uid in one.pods}
    told = [one for uid, one in lives.items() if one.is_touched or uid in uids]
    kept = sorted(told, key=lambda one: not one.is_touched)[:MOST_LANES]
    pods = [Lane(one.name, tuple(one.spans)) for one in told if one in kept]
    marks = [Mark(settled.now_ms + step.at_ms, step.kind) for step in trial.steps]
    services = (
        Lane(f"requests lost by Service {name}", _list_lost(found, end_ms))
        for name, found in sorted(courses.items())
    )
    return Film(
        settled.now_ms,
        max(end_ms, settled.now_ms + 1),
        tuple(pods),
        tuple(one for one in services if one.spans),
        tuple(dict.fromkeys(marks)),
        len(told) - len(kept),
    )


def _list_lost(courses: Courses, end_ms: int) -> tuple[Span, ...]:
    """When requests were lost, of whichever sender; what was lost at once has no length."""
    spans: list[Span] = []
    for course in courses.by_sender.values():
        for one in course.list_stretches(None, end_ms):
            if one.lost:
                spans.append(Span(one.start_ms, one.end_ms or end_ms, "lost", one.lost))
        spans += [Span(one.at_ms, one.at_ms, "lost") for one in course.list_lumps(None, end_ms)]
    return tuple(sorted(spans))


class Films:
    """The films of one check: each future is lived through once, however many findings it has."""

    def __init__(self, settled: Settled) -> None:
        self._settled = settled
        self._known: dict[tuple[str, int], Film] = {}

    def find(self, finding: Finding) -> Film:
        """The film of a finding's counter-example."""
        trial, seed = finding.worst.trial, finding.worst.seed
        key = trial.title, seed
        if key not in self._known:
            self._known[key] = make_film(self._settled, trial, seed)
        return self._known[key]
