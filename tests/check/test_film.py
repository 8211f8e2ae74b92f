"""The film of a counter-example."""

from __future__ import annotations

import pytest

from lifecycle.check.film import MOST_LANES, Film, Lane, Mark, Span, make_film
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.outputs.pictures import draw_film, draw_letters
from lifecycle.check.trials import list_trials
from lifecycle.simulation.pages.pictures import list_ticks
from tests.check.conftest import find


@pytest.fixture(scope="module")
def film(report):
    return report.find_film(find(report, "drain-each", "no-hard-kill"))


def test_a_lane_has_no_gap_and_no_overlap(film):
    for lane in film.pods:
        for one, after in zip(lane.spans, lane.spans[1:], strict=False):
            assert one.end_ms == after.start_ms


def test_it_begins_with_the_pods_as_they_stood(report, film):
    standing = {one["metadata"]["name"] for one in report.checked.settled.pods}
    first = {lane.name for lane in film.pods if lane.spans[0].start_ms == film.begin_ms}
    assert standing <= first


def test_a_drained_pod_ends_its_life_and_another_takes_its_place(film):
    states = [tuple(one.state for one in lane.spans) for lane in film.pods]
    assert ("terminating", "failed") in [one[-2:] for one in states]
    assert any(one[0] in ("pending", "starting") and one[-1] == "ready" for one in states)


def test_what_was_done_is_marked(film):
    assert film.marks == (Mark(film.begin_ms, "drain"),)


def test_lost_requests_have_a_lane_of_their_service(checked):
    ordeal = [one for one in list_ordeals() if one.name == "node-crash"]
    trial = list_trials(checked.settled, ordeal)[0]
    (lane,) = make_film(checked.settled, trial, 1).services
    assert lane.name == "requests lost by Service shop/web"
    assert all(one.state == "lost" for one in lane.spans)


def make_wide(pods: int) -> Film:
    lanes = [Lane(f"pod-{number}", (Span(0, 60_000, "ready"),)) for number in range(pods)]
    return Film(0, 60_000, tuple(lanes[:MOST_LANES]), (), (), max(pods - MOST_LANES, 0))


@pytest.mark.parametrize(
    "pods, told", [(3, ""), (30, ""), (31, "1 pod more is not drawn"), (70, "40 pods more are not drawn")]
)
def test_letters_say_how_many_pods_are_left_out(pods, told):
    assert (draw_letters(make_wide(pods), 0)[-1] == told) == bool(told)


@pytest.mark.parametrize(
    "begin_ms, end_ms, ticks",
    [
        pytest.param(0, 8_000, list(range(0, 8_001, 1_000)), id="seconds"),
        pytest.param(65_740, 81_000, list(range(66_000, 81_000, 2_000)), id="round instants"),
        pytest.param(0, 400_000, list(range(0, 400_001, 60_000)), id="minutes"),
        pytest.param(0, 6 * 86_400_000, [day * 86_400_000 for day in range(7)], id="days"),
    ],
)
def test_ticks_are_round_and_few(begin_ms, end_ms, ticks):
    assert list_ticks(Film(begin_ms, end_ms, (), (), ())) == ticks


@pytest.mark.parametrize(
    "spans, letters",
    [
        pytest.param([Span(0, 720, "ready")], "=" * 72, id="all the time"),
        pytest.param([Span(0, 360, "starting"), Span(360, 720, "ready")], "s" * 36 + "=" * 36, id="halves"),
        pytest.param([Span(360, 361, "crashing")], " " * 36 + "x", id="an instant is seen"),
        pytest.param([Span(719, 720, "lost")], " " * 71 + "#", id="at the end"),
    ],
)
def test_a_letter_is_a_share_of_the_time(spans, letters):
    film = Film(0, 720, (Lane("a", tuple(spans)),), (), ())
    assert draw_letters(film, 0)[1] == f"a  {letters}"


def test_names_are_text_in_the_picture():
    film = Film(0, 720, (Lane("<b>&", (Span(0, 720, "ready"),)),), (), (Mark(0, "<i>"),))
    svg = draw_film(film, 0, '"><script>')
    assert "<b>" not in svg and "<i>" not in svg and "<script>" not in svg
