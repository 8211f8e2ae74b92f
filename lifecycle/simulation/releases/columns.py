"""What comes out otherwise as a table with a column for each release, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lifecycle.engine.releases.known import NOT_RECORDED
from lifecycle.input.problems import list_names
from lifecycle.simulation.releases import apis
from lifecycle.simulation.releases.comparing import Compared, Lived, Step
from lifecycle.simulation.releases.facts import NOTHING, RUN, Place, find_shift_ms
from lifecycle.simulation.releases.grouping import (
    Following,
    Group,
    Moved,
    Values,
    group_differences,
    name_object,
)
from lifecycle.simulation.releases.levers import Lever
from lifecycle.simulation.releases.telling import (
    count_common,
    cut_fact,
    lever_to_json,
    list_causes,
    tell_places,
    tell_shifts,
)

POD, STATE = "Pod", "state"
MOST_ROWS = 3
"""So many alike are shown one by one."""
Json = dict[str, Any]


def make_columns(found: Compared) -> Json:
    """`releases`: the columns; `steps`: from each to the next, with a section for each change; `apis`.

    `pods` of a section: those that were in another state, or at another instant, by its change.
    """
    return {
        "releases": [_tell_release(one) for one in found.lives],
        "steps": [_tell_step(one, found.lives) for one in found.steps],
        "apis": [apis.to_json(one) for one in found.apis],
    }


def _tell_release(lived: Lived) -> Json:
    release = lived.release
    return {
        "name": release.name,
        "version": release.version,
        "isRecorded": release.name not in NOT_RECORDED,
        "refused": list(map(str, lived.problems)),
    }


def _tell_step(step: Step, lives: Sequence[Lived]) -> Json:
    return {
        "from": step.older.release.name,
        "to": step.newer.release.name,
        "isCompared": step.older.settings is not None and step.newer.settings is not None,
        "runs": step.runs,
        "sections": [_tell_section(step, cause, lives) for cause in list_causes(step)],
    }


def _tell_section(step: Step, levers: tuple[Lever, ...], lives: Sequence[Lived]) -> Json:
    own = sorted(one for one, cause in step.causes.items() if cause == levers)
    groups = list(group_differences(own, step.older, step.newer))
    places = (one.place for one in own)
    pods = dict.fromkeys(f"{one.namespace}/{one.name}" for one in places if one[0::4] == (POD, STATE))
    return {
        "because": [lever_to_json(one) for one in levers],
        "rows": [row for group in groups for row in _list_rows(group, step, lives)],
        "pods": list(pods),
    }


def _list_rows(group: Group, step: Step, lives: Sequence[Lived]) -> Iterator[Json]:
    match group:
        case Values():
            if group.said:
                cells = [_tell_cell(one, group.places[0], 0) for one in lives]
                yield {"what": "", "topic": "said before the run", "cells": cells}
                return
            common = count_common(group.old, group.new)
            yield from _list_places(group.places, common, lives)
        case Following(places, topics):
            yield {"what": tell_places(places), "topic": f"and so {list_names(topics)}", "cells": []}
        case Moved(places, shifts_ms):
            pairs = sorted(zip(places, shifts_ms, strict=True), key=lambda one: -abs(one[1]))
            for place, shift_ms in pairs[:MOST_ROWS]:
                row = _tell_place(place, _count_unmoved(place, step), lives)
                yield row | {"note": tell_shifts([shift_ms])}
            if rest := pairs[MOST_ROWS:]:
                yield _tell_rest([one for one, _ in rest], tell_shifts([shift_ms for _, shift_ms in rest]))


def _list_places(places: Sequence[Place], common: int, lives: Sequence[Lived]) -> Iterator[Json]:
    yield from (_tell_place(one, common, lives) for one in places[:MOST_ROWS])
    if rest := places[MOST_ROWS:]:
        yield _tell_rest(rest, "alike")


def _tell_rest(places: Sequence[Place], note: str) -> Json:
    topics = sorted({one.topic for one in places})
    return {"what": tell_places(places), "topic": list_names(topics), "cells": [], "note": note}


def _tell_place(place: Place, common: int, lives: Sequence[Lived]) -> Json:
    what = "the run" if place[:4] == RUN else name_object(*place[:3])
    return {"what": what, "topic": place.topic, "cells": [_tell_cell(one, place, common) for one in lives]}


def _tell_cell(lived: Lived, place: Place, common: int) -> Json:
    if lived.settings is None:
        return {"isRefused": True, "values": []}
    before, values, after = cut_fact(lived.facts.get(place, NOTHING), common)
    return {"before": before, "values": [list(one) for one in values], "after": after}


def _count_unmoved(place: Place, step: Step) -> int:
    """So many values come before the one that moved most, and are as they were."""
    old, new = (one.facts.get(place, NOTHING) for one in (step.older, step.newer))
    most_ms = find_shift_ms(old, new)
    shifts = [after - before for before, after in zip(old.instants_ms, new.instants_ms, strict=False)]
    return shifts.index(most_ms) + 1 if most_ms in shifts else 0
