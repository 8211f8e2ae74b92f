"""The pod page's lanes as data."""

from __future__ import annotations

import pytest

from dashboard.plots.graces import GracePeriods
from dashboard.plots.phases import make_phases
from tests.dashboard.rows import event, pod_life, transition


def lanes(figure):
    return [row["label"] for row in figure["layout"]["meta"]["rows"]]


def bars_on(figure, lane):
    """(tone, start, end) of every bar of a lane, in order."""
    found = [
        (trace["name"], base, end)
        for trace in figure["data"]
        if trace["type"] == "bar"
        for y, base, end in zip(trace["y"], trace["base"], trace["customdata"], strict=True)
        if y == lane
    ]
    return sorted(found, key=lambda bar: bar[1])


def marks_on(figure, lane):
    return [
        (trace["name"], x, text)
        for trace in figure["data"]
        if trace["type"] == "scatter"
        for x, y, text in zip(trace["x"], trace["y"], trace["hovertext"], strict=True)
        if y == lane
    ]


def container(at_ms, state, reason=None, **detail):
    return transition(at_ms, "container.app.state", state, reason=reason, detail=detail or None)


def test_lanes_come_in_the_order_kubernetes_lists_them():
    rows = [*pod_life(), transition(5000, "condition.Initialized", "True"), container(2000, "Running")]
    rows += [
        transition(6000, "condition.shop.example/gate", "True"),
        transition(7000, "deletion", "requested"),
    ]
    rows.append(event(7000, "Killing", "Stopping container app"))
    assert lanes(make_phases(rows, 9000)) == [
        *("State", "Phase", "Initialized", "Ready", "shop.example/gate", "app", "Deletion", "Events")
    ]


def test_a_container_waits_runs_ends_and_backs_off():
    rows = [
        *pod_life(),
        container(100, "Waiting", "ContainerCreating"),
        container(2000, "Running"),
        container(8000, "Terminated", "Error", exitCode=1),
        container(8500, "Waiting", "CrashLoopBackOff"),
    ]
    assert bars_on(make_phases(rows, 9000), "container.app") == [
        ("value-waiting", 100, 2000),
        ("value-good", 2000, 8000),
        ("value-bad", 8000, 8500),
        ("value-bad", 8500, None),
    ]


def signal(at_ms, name, why):
    return transition(at_ms, "signal.app", name, detail={"why": why})


@pytest.mark.parametrize(
    "rows, grace",
    [
        pytest.param([signal(8000, "SIGTERM", "LivenessProbe")], (8000, 28_000), id="still to come"),
        pytest.param(
            [signal(8000, "SIGTERM", "LivenessProbe"), container(9000, "Terminated", exitCode=0)],
            (8000, 9000),
            id="it heard",
        ),
        pytest.param(
            [signal(8000, "SIGTERM", "LivenessProbe"), signal(28_000, "SIGKILL", "LivenessProbe")],
            (8000, 28_000),
            id="killed",
        ),
        pytest.param([signal(8000, "SIGTERM", "StartupProbe")], (8000, 11_000), id="the probe's own"),
        pytest.param(
            [
                transition(6000, "deletion", "requested"),
                transition(6000, "hook.app.preStop", "Started"),
                signal(8900, "SIGTERM", "Deleted"),
            ],
            (8900, 13_900),
            id="a hook counts in whole seconds",
        ),
        pytest.param(
            [
                transition(6000, "deletion", "requested"),
                transition(6000, "hook.app.preStop", "Started"),
                signal(8000, "SIGTERM", "Deleted"),
            ],
            (8000, 13_000),
            id="the hook has used some of it",
        ),
        pytest.param(
            [transition(6000, "deletion", "requested"), signal(11_000, "SIGTERM", "Deleted")],
            (11_000, 13_000),
            id="two seconds are always left",
        ),
    ],
)
def test_the_time_until_sigkill_is_drawn_below_the_container(rows, grace):
    pod = {
        "metadata": {"deletionGracePeriodSeconds": 7 if rows[0]["at_ms"] == 6000 else None},
        "spec": {
            "terminationGracePeriodSeconds": 20,
            "containers": [{"name": "app", "startupProbe": {"terminationGracePeriodSeconds": 3}}],
        },
    }
    pod["metadata"] = {name: value for name, value in pod["metadata"].items() if value}
    life = [*pod_life(), container(2000, "Running"), *rows]
    figure = make_phases(life, 9500, periods=GracePeriods.of(pod))
    assert ("value-leaving", *grace) in bars_on(figure, "container.app")
    is_open = len(rows) == 1 or (rows[-1]["field"] == "signal.app" and rows[-1]["new"] != "SIGKILL")
    assert figure["layout"]["meta"].get("ahead") == (grace[1] if is_open else None)


def test_a_value_that_held_for_no_time_is_a_mark():
    rows = [*pod_life(), container(8000, "Terminated", "Error", exitCode=1), container(8000, "Waiting")]
    [(name, at_ms, text)] = marks_on(make_phases(rows, 9000), "container.app")
    assert (name, at_ms) == ("instants", 8000)
    assert "exitCode 1" in text


def test_containers_keep_the_order_in_which_they_are_told_of():
    names = ["web", "proxy", "metrics", "audit", "backup", "shell"]
    rows = [transition(0, "exists", "created")]
    rows += [transition(0, f"container.{name}.state", "Waiting") for name in names]
    rows += [transition(9, f"probe.{name}.liveness", "Success") for name in sorted(names)]
    lanes = [row["label"] for row in make_phases(rows, 9000)["layout"]["meta"]["rows"]]
    assert lanes[1:] == names


def test_hover_tells_reason_message_and_cause():
    first = container(8000, "Terminated", "OOMKilled", exitCode=137)
    rows = [*pod_life(), first]
    rows.append(transition(8000, "status", "OOMKilled"))
    rows.append(event(8100, "BackOff", "Back-off restarting", cause=first["seq"], eventType="Warning"))
    [(_, _, text)] = marks_on(make_phases(rows, 9000), "events")
    assert "BackOff" in text
    assert "Back-off restarting" in text
    assert f"because of container.app.state → Terminated (#{first['seq']})".replace(">", "&gt;") in text


def test_probes_hooks_and_signals_are_marks_on_their_container():
    rows = [
        *pod_life(),
        transition(3000, "probe.app.readiness", "Failure", message="statuscode: 503"),
        transition(8000, "hook.app.preStop", "Started"),
        transition(9000, "signal.app", "SIGTERM", detail={"why": "deletion"}),
    ]
    titles = [text.split("<br>")[0] for _, _, text in marks_on(make_phases(rows, 9500), "container.app")]
    assert titles == [
        "<b>readiness of app: Failure</b>",
        "<b>preStop of app: Started</b>",
        "<b>signal of app: SIGTERM</b>",
    ]


def test_everything_ends_with_the_pod():
    gone = [transition(8000, "exists", "deleted"), transition(8000, "deletion", "removed")]
    figure = make_phases([*pod_life(), *gone], 20_000)
    assert [mark[:2] for mark in marks_on(figure, "deletion")] == [("instants", 8000)]
    assert bars_on(figure, "phase")[-1] == ("value-good", 2000, 8000)
    assert (figure["layout"]["meta"]["from"], figure["layout"]["meta"]["to"]) == (0, 8000)


def test_a_pod_nobody_knows_is_an_empty_figure():
    assert lanes(make_phases([], 1000)) == ["State"]


def test_strangers_messages_are_escaped():
    rows = [*pod_life(), event(1, "<b>R</b>", "<script>alert(1)</script>")]
    [(_, _, text)] = marks_on(make_phases(rows, 9000), "events")
    assert "<script>" not in text
    assert text.startswith("<b>&lt;b&gt;R&lt;/b&gt;")
