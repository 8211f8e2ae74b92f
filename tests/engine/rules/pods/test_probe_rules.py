"""Thresholds, holds and check instants of probes."""

import pytest

from lifecycle.engine.objects.pods.probe import Probe
from lifecycle.engine.rules.pods.probe_rules import (
    ProbeState,
    count_checks,
    decide_probe,
    first_check_ms,
    make_probe_state,
    next_check_ms,
    verdict_ms,
)

PROBE = Probe("exec", {}, initial_delay_seconds=15)


def after(kind: str, outcomes: str, probe: Probe = PROBE) -> ProbeState:
    state = make_probe_state(kind)
    for letter in outcomes:
        state = decide_probe(kind, probe, state, {"S": "Success", "F": "Failure", "U": "Unknown"}[letter])
    return state


@pytest.mark.parametrize(
    "kind, outcomes, result",
    [
        pytest.param("liveness", "", "Success", marks=pytest.mark.spec("PROBE-14")),
        pytest.param("readiness", "", "Failure", marks=pytest.mark.spec("PROBE-17")),
        pytest.param("startup", "", "Unknown", marks=pytest.mark.spec("PROBE-19")),
        pytest.param("liveness", "FF", "Success", marks=pytest.mark.spec("PROBE-25")),
        pytest.param("liveness", "FFF", "Failure", marks=pytest.mark.spec("PROBE-13", "PROBE-25")),
        pytest.param("liveness", "FFSFFSFF", "Success", marks=pytest.mark.spec("PROBE-25")),
        pytest.param("liveness", "FFUF", "Failure", marks=pytest.mark.spec("PROBE-11")),
        pytest.param("readiness", "S", "Success", marks=pytest.mark.spec("PROBE-30")),
        pytest.param("startup", "FFF", "Failure", marks=pytest.mark.spec("PROBE-20")),
        pytest.param("startup", "FFS", "Success"),
    ],
)
def test_thresholds_count_outcomes_in_a_row(kind: str, outcomes: str, result: str) -> None:
    assert after(kind, outcomes).result == result


@pytest.mark.parametrize(
    "kind, outcomes, on_hold",
    [
        ("liveness", "FFF", True),
        ("startup", "S", True),
        ("startup", "FFF", True),
        ("readiness", "FFF", False),
    ],
)
def test_a_final_verdict_stops_the_checks_of_this_run(kind: str, outcomes: str, on_hold: bool) -> None:
    assert after(kind, outcomes).on_hold is on_hold


@pytest.mark.spec("PROBE-25")
def test_success_threshold_counts_too() -> None:
    probe = PROBE.replace(success_threshold=2)
    assert [after("readiness", text, probe).result for text in ("S", "SF", "SFS", "SFSS")] == [
        "Failure",
        "Failure",
        "Failure",
        "Success",
    ]


@pytest.mark.spec("PROBE-11")
def test_an_unknown_outcome_changes_nothing() -> None:
    state = after("liveness", "FF")
    assert decide_probe("liveness", PROBE, state, "Unknown") is state


@pytest.mark.parametrize(
    "kind, started_ms, enabled_ms, expected",
    [
        # Recorded with v1.35.6 (probe-liveness-alternating): the worker's ticks begin with the pod.
        pytest.param(
            "liveness", 40_500, 40_500, 62_000, id="after the delay", marks=pytest.mark.spec("PROBE-26")
        ),
        pytest.param("startup", 500, 500, 22_000, id="no check before the delay is over"),
        pytest.param("liveness", 500, 101_000, 102_000, id="the grid is the pod's"),
        pytest.param("liveness", 500, 102_000, 112_000, id="not at the tick of the startup probe's success"),
        pytest.param("readiness", 500, 102_000, 102_000, id="readiness is asked at once"),
    ],
)
def test_the_first_check_comes_with_a_tick(
    kind: str, started_ms: int, enabled_ms: int, expected: int
) -> None:
    assert first_check_ms(kind, PROBE, started_ms, enabled_ms, ticking_ms=2_000) == expected


@pytest.mark.spec("PROBE-22", "PROBE-26")
def test_later_checks_come_every_period() -> None:
    assert [next_check_ms(PROBE, 15_000, at) for at in (0, 15_000, 15_001, 25_000)] == [
        15_000,
        15_000,
        25_000,
        25_000,
    ]
    assert [count_checks(PROBE, 15_000, at) for at in (14_999, 15_000, 24_999, 35_000)] == [0, 1, 1, 3]


@pytest.mark.parametrize(
    "kind, outcomes, outcome, next_ms, expected",
    [
        pytest.param("liveness", "", "Failure", 15_000, 35_000, id="S18: third failure at 35"),
        pytest.param("liveness", "F", "Failure", 25_000, 35_000, id="one failure seen"),
        pytest.param("liveness", "", "Success", 15_000, None, id="already so"),
        pytest.param("liveness", "FFF", "Failure", 45_000, None, id="on hold"),
        pytest.param("readiness", "", "Success", 15_000, 15_000, id="first success"),
    ],
)
def test_the_instant_of_a_verdict_is_computed(
    kind: str, outcomes: str, outcome: str, next_ms: int, expected: int | None
) -> None:
    assert verdict_ms(kind, PROBE, after(kind, outcomes), outcome, next_ms) == expected


@pytest.mark.spec("PROBE-27")
def test_a_startup_budget_of_30_checks_ends_at_290() -> None:
    probe = Probe("http", {}, failure_threshold=30)
    assert verdict_ms("startup", probe, make_probe_state("startup"), "Failure", 0) == 290_000
