"""`prober.json`: ticks of a probe worker, its recorded results, its hold and whether it goes on."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.container import ContainerState, running
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.pods.probe import Probe
from lifecycle.engine.rules.pods.probe_rules import (
    RUN_CHECK,
    STOP,
    ProbeState,
    decide_probe,
    decide_tick,
    make_probe_state,
)
from tests.conformance.cases import Case, load_cases

OUTCOMES = {"success": "Success", "failure": "Failure", "unknown": "Unknown"}
NOW_MS = 1_000_000


def _probe(data: dict[str, Any]) -> Probe:
    probe = Probe.from_json(data)
    assert probe is not None
    # The test's probes are not defaulted: a threshold left out is met by the first outcome.
    return probe.replace(failure_threshold=data.get("failureThreshold") or 1)


def _tick(
    kind: str,
    probe: Probe,
    old: ProbeState,
    outcome: str,
    state: ContainerState | None,
    started: bool | None,
    phase: str = "Running",
    is_deleted: bool = False,
) -> tuple[ProbeState, bool]:
    if old.on_hold:
        return old, True
    what, noted = decide_tick(kind, probe, state, started, phase=phase, is_deleted=is_deleted, now_ms=NOW_MS)
    if noted is not None:
        return old.replace(result=noted), what != STOP
    if what == RUN_CHECK:
        return decide_probe(kind, probe, old, OUTCOMES[outcome]), True
    return old, what != STOP


def _single(given: dict[str, Any], expect: dict[str, Any]) -> None:
    data = given["pod"]
    is_deleted = "deletionTimestamp" in (data.get("metadata") or {})
    status = Pod.from_json({"status": _with_times(data.get("status") or {})}).status
    known = (*status.containers, *status.init_containers)
    one = next((entry for entry in known if entry.name == "test-container"), None)
    kind = given["probeType"]
    old = make_probe_state(kind)
    if one is None or not one.container_id:
        # A container not yet there is waited for, with no result of its own.
        seen = (False, status.phase not in ("Succeeded", "Failed"))
        assert seen == (expect["resultRecorded"], expect["continueProbing"])
        return
    new, goes_on = _tick(
        kind,
        _probe(given["probe"]),
        old,
        given["probeOutcomes"][0],
        one.state,
        one.started,
        status.phase,
        is_deleted,
    )
    assert goes_on == expect["continueProbing"]
    if expect["resultRecorded"]:
        assert new.result == expect["result"]


def _with_times(data: Any) -> Any:
    # "now" stands for a time of the test's own clock.
    if isinstance(data, dict):
        return {key: _with_times(value) for key, value in data.items() if value != "now"}
    return [_with_times(value) for value in data] if isinstance(data, list) else data


def _ticks(given: dict[str, Any], expect: dict[str, Any]) -> None:
    kind, probe = given["probeType"], _probe(given["probe"])
    state = make_probe_state(kind)
    if given.get("initialResult"):
        state = state.replace(result=given["initialResult"])
    container_id = None
    seen: dict[str, list[Any]] = {
        "results": [],
        "continueProbing": [],
        "resultRunAfter": [],
        "onHoldAfter": [],
    }
    for tick in given["ticks"]:
        if tick.get("containerID") != container_id:
            container_id, state = tick.get("containerID"), make_probe_state(kind)
        started = tick.get("containerStarted", given.get("containerStarted"))
        age_ms = tick.get("containerRunningForSeconds", 3600) * 1000
        state, goes_on = _tick(kind, probe, state, tick["outcome"], running(NOW_MS - age_ms), started)
        seen["results"].append(state.result)
        seen["continueProbing"].append(goes_on)
        seen["resultRunAfter"].append(state.run)
        seen["onHoldAfter"].append(state.on_hold)
    assert {key: value for key, value in seen.items() if key in expect} == expect


@pytest.mark.parametrize("case", load_cases("prober"))
def test_prober(case: Case) -> None:
    run = _single if case["input"]["scenario"] == "single probe tick" else _ticks
    run(case["input"], case["expect"])
