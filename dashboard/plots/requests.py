"""Lanes of Services: a calm line while all requests are served, red as high as the share that is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.addresses import find_page
from dashboard.plots.spans import Lane, Mark, Span, hover, make_lanes, when
from dashboard.plots.theme import BAD, GOOD
from lifecycle.engine.rules.network.requests import OUTCOMES, SERVED
from lifecycle.lost_requests import (
    WHOLE,
    Course,
    Courses,
    Lump,
    Stretch,
    tell_amount,
    tell_now,
    tell_outcome,
    tell_sender,
    tell_share,
)
from lifecycle.simulation.reports.tones import TONES, Tone

SERVICE = "Service"
ALL_SERVED = Tone("requests-served", "Served", GOOD, "Every request is served")
UNREADY = Tone(
    "requests-unready",
    "Served, not ready",
    TONES["notReady"].colour,
    "Some requests are served by pods that are not ready",
    TONES["notReady"].pattern,
)
LOST = Tone("requests-lost", "Lost", BAD, "Requests are refused, reset, time out or find nobody", "x")
REQUEST_TONES = (ALL_SERVED, UNREADY, LOST)
TITLE = "Requests"
LOST_LINE = "requests lost"
MOST_LANES = 20
"""Those that lost any stay before others."""
MOST_STRETCHES = 500
"""Of the changes of one lane the latest are drawn."""
_BOTTOM, _HEIGHT, _LEAST, _LINE = 0.31, 0.62, 0.24, 0.12
_WORDS = {
    "served": "served",
    "notReady": "served by pods that are not ready",
    "refused": "refused",
    "reset": "reset",
    "timedOut": "timed out",
    "nobody": "sent to nobody",
}


@dataclass(frozen=True, slots=True)
class ServedLane:
    """A Service, as it is drawn. `per_second`: so many requests it gets, where that is said."""

    namespace: str
    name: str
    courses: Courses
    per_second: int | None = None

    def has_lost(self, now_ms: int) -> bool:
        return bool(self.courses.sum_lost(None, now_ms))


def choose_lanes(services: Iterable[ServedLane], now_ms: int) -> list[ServedLane]:
    """As many as are drawn, by namespace and name."""
    found = sorted(services, key=lambda one: (not one.has_lost(now_ms), one.namespace, one.name))
    return sorted(found[:MOST_LANES], key=lambda one: (one.namespace, one.name))


def list_lanes(services: Sequence[ServedLane], now_ms: int, with_namespace: bool) -> list[Lane]:
    """A header and a lane for each kind of senders of each Service."""
    lanes = [
        Lane(
            key=_key(service, sender),
            label=_label(service, sender, with_namespace),
            title=f"requests to {service.namespace}/{service.name} {tell_sender(sender)}",
            path=find_page(SERVICE, service.namespace, service.name),
            tone=_find_tone(course).name,
        )
        for service in services
        for sender, course in _list_courses(service)
    ]
    header = Lane(key="requests", label=TITLE, title=TITLE, note=_tell_all(services, now_ms), header=True)
    return [header, *lanes] if lanes else []


def list_bars(services: Sequence[ServedLane]) -> list[Span]:
    """The bars of these lanes."""
    return [
        _bar(service, sender, stretch)
        for service in services
        for sender, course in _list_courses(service)
        for stretch in course.stretches[-MOST_STRETCHES:]
    ]


def list_marks(services: Sequence[ServedLane]) -> list[Mark]:
    """Where requests that were under way failed at once."""
    return [
        _mark(service, sender, lump)
        for service in services
        for sender, course in _list_courses(service)
        for lump in course.lumps[-MOST_STRETCHES:]
    ]


def make_requests(service: ServedLane, now_ms: int, window_ms: int | None = None) -> dict[str, Any]:
    """The figure of one Service's page."""
    lanes, bars, marks = list_lanes([service], now_ms, False), list_bars([service]), list_marks([service])
    return make_lanes(lanes, REQUEST_TONES, bars, marks, now_ms, window_ms)


def make_lost_area(services: Sequence[ServedLane], now_ms: int, top: float) -> dict[str, Any] | None:
    """Under the lines of a rollout: as high as the greatest share that is lost; None where none ever was."""
    courses = [(one, course) for one in services for _sender, course in _list_courses(one)]
    changes = sorted({at for _, course in courses for at in _list_instants(course)})
    if not any(one.lost for _, course in courses for one in course.stretches):
        return None
    shares = [_find_worst(courses, at) for at in changes]
    last = [max(now_ms, changes[-1])]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": LOST_LINE,
        "x": changes + last,
        "y": [round(top * lost / WHOLE, 3) for lost, _ in [*shares, shares[-1]]],
        "line": {"shape": "hv", "color": BAD, "width": 1, "dash": "solid"},
        "fill": "tozeroy",
        "fillcolor": f"{BAD}59",
        "hovertext": [
            hover(told, when(at, at))
            for at, (_, told) in zip(changes + last, [*shares, shares[-1]], strict=True)
        ],
        "meta": {"grows": "line"},
    }


def _list_instants(course: Course) -> list[int]:
    held = course.stretches[-MOST_STRETCHES:]
    return [one.start_ms for one in held] + [one.end_ms for one in held if one.end_ms is not None]


def _find_worst(courses: Sequence[tuple[ServedLane, Course]], at_ms: int) -> tuple[int, str]:
    """The greatest share that is lost at an instant, with whose it is."""
    worst, told = 0, "no requests lost"
    for service, course in courses:
        held = course.find_at(at_ms)
        if held is not None and held.lost > worst:
            worst = held.lost
            told = f"{tell_share(worst)} requests to {service.name} {tell_outcome(held.reason)}"
    return worst, told


def _list_courses(service: ServedLane) -> list[tuple[str, Course]]:
    by_sender = service.courses.by_sender
    return [(sender, by_sender[sender]) for sender in service.courses.list_senders()]


def name_lane(namespace: str, name: str, sender: str) -> str:
    """The key of the lane of one kind of senders."""
    return f"requests:{namespace}/{name}/{sender}"


def _key(service: ServedLane, sender: str) -> str:
    return name_lane(service.namespace, service.name, sender)


def _label(service: ServedLane, sender: str, with_namespace: bool) -> str:
    where = f"{service.namespace}/" if with_namespace else ""
    through = f" {tell_sender(sender)}" if len(service.courses.by_sender) > 1 else ""
    return f"{where}{service.name}{through}"


def _find_tone(course: Course) -> Tone:
    """How its requests fare now."""
    last = course.stretches[-1:]
    if not last or last[0].end_ms is not None:
        return ALL_SERVED
    return LOST if last[0].lost else UNREADY if last[0].unready else ALL_SERVED


def _tell_all(services: Sequence[ServedLane], now_ms: int) -> str:
    """What the header says: of each that loses any or lost some, until there are too many."""
    told = []
    for service in services:
        if losing := tell_now(service.courses):
            told.append(f"{service.name}: {', '.join(losing)}")
        elif lost_ms := service.courses.sum_lost(None, now_ms):
            told.append(f"{service.name} lost {tell_amount(lost_ms, service.per_second)}")
    more = f", and {len(told) - 3} more" if len(told) > 3 else ""
    return f"{'; '.join(told[:3])}{more}" if told else "all served"


def _bar(service: ServedLane, sender: str, one: Stretch) -> Span:
    """As high as the share that is lost, else as that which is served by pods that are not ready."""
    tone, share, how = ALL_SERVED, 0, "served"
    if one.lost:
        tone, share, how = LOST, one.lost, tell_outcome(one.reason)
    elif one.unready:
        tone, share, how = UNREADY, one.unready, _WORDS["notReady"]
    high = max(_LEAST, round(_HEIGHT * share / WHOLE, 3)) if share else _LINE
    title = f"{service.name}: {tell_share(share) if share else 'all'} requests {how}"
    place = (_BOTTOM - high, high)
    notes = _tell_outcomes(one)
    return Span(_key(service, sender), tone, one.start_ms, one.end_ms, title, notes, one.seq, place=place)


def _tell_outcomes(one: Stretch) -> list[str]:
    """`66.7 % served, 33.3 % refused`; where all are served there is no more to say."""
    told = [f"{one.outcomes[name] / 10:g} % {_WORDS[name]}" for name in OUTCOMES if one.outcomes.get(name)]
    return [", ".join(told)] if set(one.outcomes) - {OUTCOMES[SERVED]} else []


def _mark(service: ServedLane, sender: str, lump: Lump) -> Mark:
    amount = tell_amount(lump.lost_ms, service.per_second)
    title = f"{service.name}: {amount} under way {tell_outcome(lump.reason)}"
    return Mark(_key(service, sender), "triangle-up", BAD, lump.at_ms, title, seq=lump.seq)
