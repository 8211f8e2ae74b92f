"""The lanes of pods the engine really ran: what the specification says a timeline must show."""

from __future__ import annotations

import pytest

from dashboard.plots.phases import make_phases
from lifecycle.engine.heart.trace import row_to_json
from tests.dashboard.plots.test_phases import bars_on, marks_on
from tests.dashboard.plots.test_states import run


@pytest.fixture(scope="module")
def figures():
    """{a pod's name up to its suffix: its figure} at the end of the run."""
    rows_by_name: dict[str, list] = {}
    for row in map(row_to_json, run().rows):
        if row["kind"] == "Pod":
            rows_by_name.setdefault(row["name"], []).append(row)
    return {name: make_phases(rows, 120_000) for name, rows in rows_by_name.items()}


def values_on(figure, lane):
    """What a lane says, in order: bars, and what held for no time."""
    found = _texts(figure, lane)
    found += [(at_ms, text) for name, at_ms, text in marks_on(figure, lane) if name == "instants"]
    return [text.split("<br>")[0].partition(": ")[2].removesuffix("</b>") for _, text in sorted(found)]


def _texts(figure, lane):
    return [
        (base, text)
        for trace in figure["data"]
        if trace["type"] == "bar"
        for y, base, text in zip(trace["y"], trace["base"], trace["hovertext"], strict=True)
        if y == lane
    ]


@pytest.mark.spec("POD-LIFE-01")
def test_a_pod_that_ends_well_was_pending_then_running_then_succeeded(figures):
    assert values_on(figures["once"], "phase") == ["Pending", "Running", "Succeeded"]


@pytest.mark.spec("POD-PHASE-02")
def test_the_phase_stays_while_a_container_comes_and_goes(figures):
    crashing = figures["crashing"]
    assert values_on(crashing, "phase") == ["Pending", "Running"]
    assert values_on(crashing, "container.app").count("Running") >= 3


@pytest.mark.spec("RESTART-14")
def test_an_exit_is_shown_before_its_back_off(figures):
    values = values_on(figures["crashing"], "container.app")
    waits = [index for index, value in enumerate(values) if value == "Waiting (CrashLoopBackOff)"]
    assert waits
    assert {values[index - 1] for index in waits} == {"Terminated (Error)"}


@pytest.mark.spec("COND-23")
def test_readiness_dips_with_every_crash(figures):
    for lane in ("condition.Ready", "condition.ContainersReady"):
        values = [value.split(" ")[0] for value in values_on(figures["crashing"], lane)]
        assert "True False True False" in " ".join(values), lane


@pytest.mark.spec("INIT-33")
def test_an_init_container_ends_before_the_work_begins(figures):
    [(_, _, prepared)] = [
        bar for bar in bars_on(figures["once"], "container.prepare") if bar[0] == "value-good"
    ]
    [(_, began, _)] = [bar for bar in bars_on(figures["once"], "container.work") if bar[0] == "value-good"]
    assert prepared <= began


@pytest.mark.spec("CSTATE-15")
def test_a_stop_hook_marks_the_lane_of_its_container(figures):
    old = next(figure for name, figure in figures.items() if marks_of_hook(figure))
    assert marks_of_hook(old) == ["<b>preStop of app: Started</b>", "<b>preStop of app: Succeeded</b>"]


def marks_of_hook(figure):
    texts = [text.split("<br>")[0] for _, _, text in marks_on(figure, "container.app")]
    return [text for text in texts if text.startswith("<b>preStop")]


@pytest.mark.spec("COND-21")
def test_a_finished_pod_is_not_ready_and_stays_initialized(figures):
    last = {
        lane: values_on(figures["once"], f"condition.{lane}")[-1] for lane in ("Ready", "ContainersReady")
    }
    assert {value.split(" ")[0] for value in last.values()} == {"False"}
    assert values_on(figures["once"], "condition.Initialized")[-1].startswith("True")
