"""Crash-loop delays of one kubelet: where they begin, how they grow, when they are forgotten."""

from itertools import accumulate

import pytest

from lifecycle.engine.objects.pods.container import ContainerState, ContainerStatus
from lifecycle.engine.rules.pods.backoff import (
    decide_delay,
    decide_limits,
    decide_next_delay,
    duration_text,
    find_pending_delay,
)

REDUCED, OWN_CAP = "ReduceDefaultCrashLoopBackOffDecay", "KubeletCrashLoopBackOffMax"


def capped(period: str) -> dict:
    return {"crashLoopBackOff": {"maxContainerRestartPeriod": period}}


@pytest.mark.parametrize(
    "gates, configuration, first_ms, cap_ms",
    [
        pytest.param((), None, 10_000, 300_000, id="as Kubernetes has always done"),
        pytest.param((REDUCED,), None, 1_000, 60_000, id="reduced"),
        pytest.param((), capped("100s"), 10_000, 300_000, id="a node's cap without its gate"),
        pytest.param((OWN_CAP,), capped("100s"), 10_000, 100_000, id="a node's cap"),
        pytest.param((OWN_CAP,), capped("2s"), 2_000, 2_000, id="a cap below the first delay"),
        pytest.param((OWN_CAP, REDUCED), capped("100s"), 1_000, 100_000, id="both gates"),
        pytest.param((OWN_CAP,), {}, 10_000, 300_000, id="the gate alone"),
    ],
)
def test_gates_and_the_nodes_own_cap_limit_the_delay(gates, configuration, first_ms, cap_ms):
    features = {gate: gate in gates for gate in (REDUCED, OWN_CAP)}
    assert decide_limits(features, configuration) == (first_ms, cap_ms)


def test_delays_double_up_to_the_cap():
    delays = accumulate(range(7), lambda delay, _: decide_next_delay(delay, 10_000, 300_000), initial=0)
    assert [delay // 1000 for delay in delays] == [0, 10, 20, 40, 80, 160, 300, 300]


@pytest.mark.spec("RESTART-05")
@pytest.mark.parametrize("ran_ms, delay_ms", [(0, 80_000), (600_000, 80_000), (600_001, 0)])
def test_a_run_of_more_than_ten_minutes_forgets_the_delay(ran_ms, delay_ms):
    assert decide_delay(80_000, ran_ms) == delay_ms


@pytest.mark.parametrize(
    "delay_ms, text", [(0, "0s"), (10_999, "10s"), (59_999, "59s"), (80_000, "1m20s"), (300_000, "5m0s")]
)
def test_delays_read_as_go_prints_them(delay_ms, text):
    assert duration_text(delay_ms) == text


def end(started_seconds: int, finished_seconds: int) -> ContainerState:
    return ContainerState("Terminated", "Error", "", started_seconds * 1000, finished_seconds * 1000, 1)


@pytest.mark.parametrize(
    "restarts, before, last, delay_ms",
    [
        pytest.param(0, None, end(0, 5), 0, id="a first end"),
        pytest.param(1, end(0, 5), end(6, 10), 10_000, id="the second"),
        pytest.param(2, end(6, 10), end(20, 25), 20_000, id="the third"),
        pytest.param(2, end(6, 10), end(25, 30), 20_000, id="the third, seen late"),
        pytest.param(3, end(20, 25), end(51, 60), 40_000, id="the fourth"),
        pytest.param(9, end(0, 60), end(400, 460), 300_000, id="at the cap"),
        pytest.param(6, end(0, 60), end(240, 300), 300_000, id="160 s are doubled to the cap"),
        pytest.param(9, end(0, 60), end(400, 1_010), 0, id="a run of ten minutes makes it forgotten"),
        pytest.param(9, end(0, 700), end(701, 710), 10_000, id="the first end after such a run"),
        pytest.param(4, end(0, 60), end(78, 90), None, id="18 s are no delay of this kubelet"),
        pytest.param(4, None, end(78, 90), None, id="the run before is not known"),
    ],
)
def test_how_long_an_end_is_held_back_follows_from_the_run_before(restarts, before, last, delay_ms):
    status = ContainerStatus("app", last, last_state=before, restart_count=restarts)
    assert find_pending_delay(status) == delay_ms
