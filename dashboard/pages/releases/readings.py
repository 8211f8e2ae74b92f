"""What the page of releases says: how far a comparison is, what came out otherwise, and how pods went."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dashboard.plots.beside import Picture, Side, make_lane, make_stretch, zoom
from dashboard.plots.theme import clock
from lifecycle.engine.releases.known import DEFAULT_RELEASE, NOT_RECORDED, VERSIONS
from lifecycle.models import Cluster, Comparison
from lifecycle.runs.comparisons.asking import MOST_RELEASES
from lifecycle.simulation.releases.levers import GATE
from lifecycle.simulation.releases.telling import NO_CHANGE

Json = dict[str, Any]
MOST_ROWS, MOST_LANES = 40, 6
SAME = "Nothing comes out otherwise"
PULL_REQUEST = re.compile(r"(kubernetes/[\w-]+)#(\d+)")


def list_choices(cluster: Cluster | None, last: Comparison | None) -> list[Json]:
    """The releases there are, the older first.

    Chosen are those of last time; at first the newest that were recorded, and the cluster's own.
    """
    own = cluster.kubernetes if cluster is not None and cluster.kubernetes else DEFAULT_RELEASE.name
    recorded = [one for one in VERSIONS if one not in NOT_RECORDED]
    chosen = last.releases if last is not None else {own, *recorded[: MOST_RELEASES - 1]}
    return [{**one, "isChosen": one["name"] in chosen} for one in list_columns(reversed(VERSIONS))]


def find_last(user: Any, cluster: Cluster | None) -> Comparison | None:
    """The user's newest one, of the cluster or of manifests."""
    return Comparison.objects.filter(user=user, cluster=cluster).defer("files").first()


def read_comparison(comparison: Comparison) -> Json:
    """All that is shown of it."""
    result: Json = comparison.result
    told: Json = {"comparison": comparison, "names": list_columns(comparison.releases)}
    if not result:
        return told
    lanes: Mapping[str, Mapping[str, list[Any]]] = result["lanes"]
    steps = [_read_step(one, lanes, number) for number, one in enumerate(result["steps"], 1)]
    return told | {
        "refused": [one for one in result["releases"] if one["refused"]],
        "steps": steps,
        "title": _tell_title(steps),
        "is_same": _tell_title(steps) == SAME,
        "apis": [_read_api(one, comparison.releases) for one in result["apis"]],
        "runs": result["runs"],
    }


def _tell_title(steps: Iterable[Json]) -> str:
    compared = [one for one in steps if one["isCompared"]]
    if not compared:
        return "Not to be compared"
    changes = sum(bool(section["because"]) for one in compared for section in one["sections"])
    if changes:
        return f"{changes} change{'s' if changes > 1 else ''} of Kubernetes show{'' if changes > 1 else 's'}"
    return "Some comes out otherwise" if any(one["sections"] for one in compared) else SAME


def list_columns(names: Iterable[str]) -> list[Json]:
    """The releases as headings."""
    return [{"name": one, "isRecorded": one not in NOT_RECORDED} for one in names]


def _read_step(step: Json, lanes: Mapping[str, Mapping[str, list[Any]]], number: int) -> Json:
    """`key`: what parts of the page are told apart by."""
    sections = [
        _read_section(one, lanes) | {"key": f"{number}-{turn}"}
        for turn, one in enumerate(step["sections"], 1)
    ]
    return {**step, "sections": sections, "key": number}


def _read_section(section: Json, lanes: Mapping[str, Mapping[str, list[Any]]]) -> Json:
    rows = [_read_row(one) for one in section["rows"][:MOST_ROWS]]
    pods = [one for one in section["pods"] if one in lanes]
    return {
        "because": [_read_lever(one) for one in section["because"]],
        "no_change": NO_CHANGE,
        "rows": rows,
        "more": len(section["rows"]) - len(rows),
        "film": draw({one: lanes[one] for one in pods[:MOST_LANES]}, len(pods) - MOST_LANES),
    }


def _read_lever(lever: Json) -> Json:
    found = PULL_REQUEST.search(lever["upstream"])
    page = f"https://github.com/{found[1]}/pull/{found[2]}" if found else ""
    return {**lever, "what": "feature gate" if lever["kind"] == GATE else "switch", "page": page}


def _read_row(row: Json) -> Json:
    return {**row, "cells": [_read_cell(one) for one in row["cells"]]}


def _read_cell(cell: Json) -> Json:
    values = [{"value": value, "at": "" if at is None else clock(at)} for value, at in cell["values"]]
    return {**cell, "values": values}


def _read_api(api: Json, names: Iterable[str]) -> Json:
    return {**api, "cells": [api["states"].get(one, "") for one in names]}


def draw(lanes: Mapping[str, Mapping[str, list[Any]]], left_out: int) -> Picture | None:
    """Pods under each release, one release under the other; None where all pods went alike."""
    if not lanes:
        return None
    begin_ms, end_ms = find_axis(lanes)
    picture = Picture(begin_ms, end_ms, ())
    names = next(iter(lanes.values()))
    sides = [
        Side(
            f"{name} (not recorded)" if name in NOT_RECORDED else name,
            [
                make_lane(picture, pod.removeprefix("default/"), [make_stretch(*one) for one in told[name]])
                for pod, told in lanes.items()
            ],
            max(left_out, 0),
        )
        for name in names
    ]
    return Picture(begin_ms, end_ms, sides)


def find_axis(lanes: Mapping[str, Mapping[str, list[Any]]]) -> tuple[int, int]:
    """From shortly before the first instant at which one goes otherwise until after the last change."""
    drawn = [lane for told in lanes.values() for lane in told.values()]
    end_ms = max((lane[-1][1] for lane in drawn if lane), default=1)
    first_ms = min(_find_parted(list(told.values())) for told in lanes.values())
    return zoom(
        [first_ms, *(at for lane in drawn for span in lane for at in span[:2] if at >= first_ms)], 0, end_ms
    )


def _find_parted(told: list[list[Any]]) -> int:
    """The first instant at which lanes of one pod are not alike."""
    boundaries = sorted({at for lane in told for span in lane for at in span[:2]})
    for at in boundaries:
        if len({_find_state(lane, at) for lane in told}) > 1:
            return int(at)
    return 0


def _find_state(lane: list[Any], at_ms: int) -> str:
    return next((state for start, end, state in lane if start <= at_ms < end), "")
