"""The grace-period tables S25, S26 and S27, row by row."""

import pytest

from lifecycle.engine.rules.pods.grace import (
    decide_deletion_grace_seconds,
    decide_effective_grace_seconds,
    decide_eviction_grace_seconds,
    decide_eviction_override_seconds,
    decide_eviction_wait_seconds,
    decide_kill_grace_seconds,
    decide_shortened_grace_seconds,
    decide_stop_timeout_seconds,
)


@pytest.mark.parametrize(
    "requested, spec, is_bound, phase, expected",
    [
        pytest.param(10, 45, True, "Running", 10, id="request", marks=pytest.mark.spec("GRACE-01")),
        pytest.param(None, 45, True, "Running", 45, id="spec", marks=pytest.mark.spec("GRACE-02")),
        pytest.param(None, 30, True, "Running", 30, id="defaulted spec"),
        pytest.param(None, None, True, "Running", 0, id="nothing", marks=pytest.mark.spec("GRACE-02")),
        pytest.param(60, 45, False, "Pending", 0, id="not scheduled", marks=pytest.mark.spec("GRACE-03")),
        pytest.param(60, 45, True, "Succeeded", 0, id="succeeded", marks=pytest.mark.spec("GRACE-04")),
        pytest.param(60, 45, True, "Failed", 0, id="failed", marks=pytest.mark.spec("GRACE-04")),
        pytest.param(-5, 45, True, "Running", 1, id="below zero", marks=pytest.mark.spec("GRACE-05")),
        pytest.param(-5, 45, False, "Pending", 0, id="not scheduled beats below zero"),
    ],
)
def test_the_api_server_decides_the_stored_grace_period(
    requested: int | None, spec: int | None, is_bound: bool, phase: str, expected: int
) -> None:
    assert decide_deletion_grace_seconds(requested, spec, is_bound=is_bound, phase=phase) == expected


@pytest.mark.spec("GRACE-07")
def test_without_delete_options_nothing_is_graceful() -> None:
    without = decide_deletion_grace_seconds(None, 45, is_bound=True, phase="Running", has_options=False)
    assert without is None


@pytest.mark.parametrize(
    "current, requested, expected",
    [
        pytest.param(30, 5, 5, id="shorter"),
        pytest.param(30, 60, None, id="longer"),
        pytest.param(30, 30, None, id="equal"),
        pytest.param(30, None, None, id="no value"),
        pytest.param(30, 0, 0, id="force"),
        pytest.param(30, -1, 1, id="below zero"),
    ],
)
@pytest.mark.spec("GRACE-21")
def test_a_second_delete_only_shortens(current: int, requested: int | None, expected: int | None) -> None:
    assert decide_shortened_grace_seconds(current, requested) == expected


@pytest.mark.parametrize(
    "deletion, spec, reason, probe, hook_ms, expected",
    [
        pytest.param(30, 30, "Deleted", None, 0, 30, id="no hook", marks=pytest.mark.spec("GRACE-14")),
        pytest.param(30, 30, "Deleted", None, 12_000, 18, id="hook", marks=pytest.mark.spec("GRACE-11")),
        pytest.param(30, 30, "Deleted", None, 30_000, 2, id="hook cut", marks=pytest.mark.spec("GRACE-12")),
        pytest.param(0, 30, "Deleted", None, 0, 2, id="forced", marks=pytest.mark.spec("GRACE-09")),
        pytest.param(None, 30, "LivenessProbe", 5, 0, 5, id="liveness", marks=pytest.mark.spec("GRACE-10")),
        pytest.param(None, 30, "StartupProbe", 60, 0, 60, id="startup", marks=pytest.mark.spec("GRACE-10")),
        pytest.param(None, 30, "LivenessProbe", None, 0, 30, id="liveness without its own"),
        pytest.param(
            30, 30, "LivenessProbe", 5, 0, 30, id="deletion wins", marks=pytest.mark.spec("GRACE-09")
        ),
        pytest.param(None, None, "Unknown", None, 0, 2, id="minimum", marks=pytest.mark.spec("GRACE-08")),
        pytest.param(
            None,
            30,
            "LivenessProbe",
            5,
            4_000,
            2,
            id="hook in probe grace",
            marks=pytest.mark.spec("GRACE-12"),
        ),
        pytest.param(30, 30, "Deleted", None, 12_900, 18, id="hook time is cut down to seconds"),
    ],
)
def test_one_container_gets_what_its_kill_reason_and_hook_leave(
    deletion: int | None, spec: int | None, reason: str, probe: int | None, hook_ms: int, expected: int
) -> None:
    grace = decide_kill_grace_seconds(deletion, spec, reason=reason, probe_seconds=probe)
    assert decide_stop_timeout_seconds(grace, hook_ms=hook_ms) == expected


@pytest.mark.parametrize(
    "is_last, hook_budget, hook_ms, expected",
    [
        pytest.param(False, 3, 3_000, 2, id="override before the hook, floor after it"),
        pytest.param(True, 30, 12_000, 3, id="until v1.27: override last"),
    ],
)
@pytest.mark.spec("GRACE-13", "PRESTOP-08")
def test_an_override_of_3_meets_a_hook_of_12(
    is_last: bool, hook_budget: int, hook_ms: int, expected: int
) -> None:
    grace = decide_kill_grace_seconds(30, 30, override_seconds=3, override_is_last=is_last)
    assert grace == hook_budget
    timeout = decide_stop_timeout_seconds(
        grace, hook_ms=hook_ms, override_seconds=3, override_is_last=is_last
    )
    assert timeout == expected


@pytest.mark.spec("PRESTOP-02")
def test_a_forced_deletion_leaves_no_time_for_a_hook() -> None:
    assert decide_kill_grace_seconds(0, 30, override_seconds=1) == 0


@pytest.mark.spec("SCTERM-09")
def test_waiting_for_a_turn_comes_out_of_the_same_budget_in_whole_seconds() -> None:
    assert decide_stop_timeout_seconds(30, waited_ms=20_700) == 10


@pytest.mark.parametrize(
    "earlier, deletion, override, spec, expected, shortened",
    [
        pytest.param(0, 30, None, 30, 30, False, id="first", marks=pytest.mark.spec("GRACE-15", "GRACE-16")),
        pytest.param(
            30, 5, None, 30, 5, True, id="shortened", marks=pytest.mark.spec("GRACE-20", "GRACE-21")
        ),
        pytest.param(5, 30, None, 30, 5, False, id="never longer", marks=pytest.mark.spec("GRACE-21")),
        pytest.param(0, None, 10, 60, 10, False, id="override", marks=pytest.mark.spec("GRACE-17")),
        pytest.param(0, 30, 10, 30, 10, False, id="override beats deletion"),
        pytest.param(
            0, 30, 50, 30, 30, False, id="override only speeds up", marks=pytest.mark.spec("GRACE-17")
        ),
        pytest.param(0, None, 0, 60, 60, False, id="0 is unset", marks=pytest.mark.spec("GRACE-22")),
        pytest.param(0, None, 1, 60, 1, False, id="override of 1"),
        pytest.param(0, 0, None, None, 1, False, id="never 0", marks=pytest.mark.spec("GRACE-19")),
        pytest.param(30, None, 0, 30, 30, False, id="0 is unset again", marks=pytest.mark.spec("GRACE-22")),
        pytest.param(0, None, None, 45, 45, False, id="spec", marks=pytest.mark.spec("GRACE-18")),
    ],
)
def test_the_effective_value_of_a_pod_in_v1_23_1(
    earlier: int, deletion: int | None, override: int | None, spec: int | None, expected: int, shortened: bool
) -> None:
    seen = decide_effective_grace_seconds(earlier, deletion, override, spec, override_is_last=True)
    assert seen == (expected, shortened)


@pytest.mark.parametrize(
    "deletion, override, expected",
    [
        pytest.param(5, 0, 1, id="override 0"),
        pytest.param(0, None, 1, id="forced deletion"),
        pytest.param(0, 60, 60, id="an override lengthens a 0"),
        pytest.param(None, None, 30, id="nothing said"),
    ],
)
@pytest.mark.spec("FORCE-07")
def test_by_default_an_explicit_0_is_meant(deletion: int | None, override: int | None, expected: int) -> None:
    assert decide_effective_grace_seconds(0, deletion, override, 30) == (expected, False)


@pytest.mark.parametrize(
    "kind, spec, ignores_pod, override, wait",
    [
        pytest.param("soft", 60, False, 20, 30, id="soft", marks=pytest.mark.spec("GRACE-23")),
        pytest.param("soft", 5, False, 5, 10, id="soft, short pod", marks=pytest.mark.spec("GRACE-25")),
        pytest.param("soft", 5, True, 20, 30, id="soft, v1.23.1", marks=pytest.mark.spec("GRACE-25")),
        pytest.param("hard", 60, False, 1, 10, id="hard", marks=pytest.mark.spec("GRACE-24")),
        pytest.param("hard", 60, True, 0, 10, id="hard, v1.23.1", marks=pytest.mark.spec("GRACE-24")),
    ],
)
def test_an_eviction_hands_over_its_own_value(
    kind: str, spec: int, ignores_pod: bool, override: int, wait: int
) -> None:
    assert decide_eviction_override_seconds(kind, 20, spec, ignores_pod=ignores_pod) == override
    assert decide_eviction_wait_seconds(decide_eviction_grace_seconds(override, spec)) == wait


@pytest.mark.spec("GRACE-24", "GRACE-22")
def test_a_hard_eviction_stops_in_2_seconds_today_and_in_the_pods_own_time_in_v1_23_1() -> None:
    today, _ = decide_effective_grace_seconds(0, None, 1, 60)
    assert decide_stop_timeout_seconds(decide_kill_grace_seconds(None, 60, override_seconds=today)) == 2
    then, _ = decide_effective_grace_seconds(0, None, 0, 60, override_is_last=True)
    assert then == 60


@pytest.mark.parametrize("grace, wait", [(30, 45), (8, 12), (7, 10), (0, 10)])
@pytest.mark.spec("GRACE-28")
def test_an_eviction_waits_half_again_but_10_seconds_at_least(grace: int, wait: int) -> None:
    assert decide_eviction_wait_seconds(grace) == wait


@pytest.mark.parametrize(
    "override, spec, expected", [(5, 30, 5), (0, 30, 0), (None, 30, 30), (None, None, 0)]
)
@pytest.mark.spec("GRACE-27")
def test_an_eviction_counts_by_its_own_value_then_the_pods(
    override: int | None, spec: int | None, expected: int
) -> None:
    assert decide_eviction_grace_seconds(override, spec) == expected
