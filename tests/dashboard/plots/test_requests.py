"""Lanes of Services: calm while all is served, red and as high as the share that is lost."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.plots.patches import make_patch
from dashboard.plots.replicas import Rollout, make_replicas
from dashboard.plots.requests import MOST_LANES, ServedLane, choose_lanes, list_lanes, make_requests
from dashboard.plots.stories import Stories
from dashboard.plots.timeline import make_timeline
from lifecycle.lost_requests import Courses
from tests.dashboard.requests import lost_a_third, told
from tests.dashboard.rows import pod_life

LANE = "requests:default/web/pods"


def lane(rows: list[dict[str, Any]], name: str = "web", **more: Any) -> ServedLane:
    return ServedLane("default", name, Courses(rows), **more)


def bars(figure: dict[str, Any], lane: str = LANE) -> list[tuple[str, int, int | None, float]]:
    return sorted(
        (
            (trace["name"], start, end, height)
            for trace in figure["data"]
            if trace["type"] == "bar"
            for key, start, end, height in zip(
                trace["y"], trace["base"], trace["customdata"], trace["width"], strict=True
            )
            if key == lane
        ),
        key=lambda bar: bar[1],
    )


@pytest.mark.parametrize(
    "lost, height",
    [
        pytest.param(1000, 0.62, id="all"),
        pytest.param(500, 0.31, id="half"),
        # The least share is seen as well.
        pytest.param(1, 0.24, id="one of a thousand"),
    ],
)
def test_what_is_lost_is_as_high_as_its_share(lost: int, height: float):
    figure = make_requests(lane([told(0, None, 0), told(2_000, 0, lost, "refused")]), 9_000)
    assert bars(figure) == [
        ("requests-served", 0, 2_000, 0.12),
        ("requests-lost", 2_000, None, height),
    ]
    # It stands on the line of what is served.
    (bottom,) = {
        round(offset + width, 6)
        for trace in figure["data"]
        if trace["type"] == "bar"
        for offset, width in zip(trace["offset"], trace["width"], strict=True)
    }
    assert bottom == 0.31


def test_a_bar_says_what_share_how_and_when_and_which_row_began_it():
    rows = [told(0, None, 0), told(2_000, 0, 667, "refused", refused=500, timedOut=167), told(4_500, 667, 0)]
    figure = make_requests(lane(rows), 9_000)
    (trace,) = [one for one in figure["data"] if one["name"] == "requests-lost"]
    assert trace["seqs"] == [rows[1]["seq"]]
    assert trace["hovertext"] == [
        "<b>web: 2 of 3 requests refused</b><br>+2s → +4.5s · 2.5s"
        "<br>33.3 % served, 50 % refused, 16.7 % timed out"
    ]


def test_what_pods_that_are_not_ready_serve_has_a_tone_of_its_own():
    rows = [told(0, None, 0), told(2_000, 0, 0, served=500, notReady=500), told(4_500, 0, 0)]
    figure = make_requests(lane(rows), 9_000)
    assert bars(figure) == [
        ("requests-served", 0, 2_000, 0.12),
        ("requests-unready", 2_000, 4_500, 0.31),
        ("requests-served", 4_500, None, 0.12),
    ]
    (trace,) = [one for one in figure["data"] if one["name"] == "requests-unready"]
    assert trace["hovertext"] == [
        "<b>web: 1 of 2 requests served by pods that are not ready</b><br>+2s → +4.5s · 2.5s"
        "<br>50 % served, 50 % served by pods that are not ready"
    ]


def test_what_was_lost_at_once_is_a_mark():
    figure = make_requests(
        lane([told(0, None, 0), told(3_000, 0, 0, "reset", atOnceMs=80)], per_second=100), 9_000
    )
    (marks,) = [one for one in figure["data"] if one["name"] == "events"]
    assert (marks["x"], marks["y"]) == ([3_000], [LANE])
    assert "web: 8 requests (80ms of all) under way reset" in marks["hovertext"][0]


def test_lanes_tell_in_words_what_they_draw():
    rows = [*lost_a_third(), told(0, None, 0, sender="ingress")]
    header, *lanes = list_lanes([lane(rows)], 9_000, with_namespace=True)
    # Half of 999 ms: two send.
    assert (header.label, header.note) == ("Requests", "web lost 500ms of all requests")
    assert [(one.label, one.tone) for one in lanes] == [
        ("default/web from pods", "requests-served"),
        ("default/web through the ingress", "requests-served"),
    ]
    assert lanes[0].path == "services/default/web/"
    header, one = list_lanes([lane(lost_a_third()[:2])], 9_000, with_namespace=False)
    assert (header.note, one.label, one.tone) == (
        "web: 1 of 3 refused since 00:00:02.0",
        "web",
        "requests-lost",
    )
    assert list_lanes([lane([told(0, None, 0)])], 9_000, with_namespace=False)[0].note == "all served"
    assert list_lanes([], 9_000, with_namespace=False) == []


def test_of_many_services_those_that_lost_any_stay():
    many = [lane([told(0, None, 0, name=f"a-{at:02}")], f"a-{at:02}") for at in range(MOST_LANES)]
    chosen = choose_lanes([*many, lane(lost_a_third("web"))], 9_000)
    assert len(chosen) == MOST_LANES
    assert [one.name for one in chosen][-2:] == ["a-18", "web"]


def test_services_stand_above_the_pods_of_a_timeline():
    stories = Stories()
    for row in pod_life():
        stories.feed(row)
    figure = make_timeline(stories, 9_000, services=[lane(lost_a_third())])
    keys = [row["key"] for row in figure["layout"]["meta"]["rows"]]
    assert keys == ["requests", LANE, "group:default/Pod", "default/web-1"]
    assert [one[:3] for one in bars(figure)] == [
        ("requests-served", 1_000, 2_000),
        ("requests-lost", 2_000, 5_000),
        ("requests-served", 5_000, None),
    ]
    # Pods are counted without them.
    assert figure["layout"]["meta"]["counts"] == {"ready": 1}
    before = make_timeline(stories, 9_000, services=[lane(lost_a_third()[:1])])
    patch = make_patch(before, figure)
    assert patch is not None and patch["traces"], "what is new is sent alone"


def test_a_rollout_shows_where_requests_were_lost():
    rollout = Rollout("Deployment", "web")
    rollout.numbers["replicas"].add(0, 3)
    rollout.numbers["availableReplicas"].add(0, 3)
    rows = [told(0, None, 0), told(2_000, 0, 500, "refused"), told(4_000, 500, 0)]
    figure = make_replicas(rollout, 9_000, services=[lane(rows)])
    (area,) = [one for one in figure["data"] if one["name"] == "requests lost"]
    # Half of them: half as high as the three pods.
    assert list(zip(area["x"], area["y"], strict=True)) == [(0, 0), (2_000, 1.5), (4_000, 0), (9_000, 0)]
    assert area["hovertext"][1].startswith("<b>1 of 2 requests to web refused</b>")
    assert "requests lost" in [row["label"] for row in figure["layout"]["meta"]["rows"]]
    calm = make_replicas(rollout, 9_000, services=[lane(rows[:1])])
    assert "requests lost" not in [one["name"] for one in calm["data"]]
    assert "requests lost" not in [row["label"] for row in calm["layout"]["meta"]["rows"]]
