"""Crash-loop delays of one kubelet: where they begin, how they grow, when they are forgotten."""

from itertools import accumulate

import pytest

from lifecycle.engine.rules.pods.backoff import decide_delay, decide_limits, decide_next_delay, duration_text

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
