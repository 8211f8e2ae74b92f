"""Events of a kubelet are counted as client-go's correlator counts them, normal ones too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.heart.series import is_open, tell_at
from tests.engine.kubelet.world import World
from tests.golden.test_taken_up import known_of

CRASHES = {"app": {"runs": [{"for": "2s", "exit": 1}]}}
FAILS = {"app": {"probes": {"readiness": [{"at": "0s", "result": "failure"}]}}}
PROBE = {"name": "app", "image": "a:1", "readinessProbe": {"exec": {"command": ["x"]}, "periodSeconds": 5}}


def told(world: World, reason: str) -> list[tuple[int, int]]:
    """(count, last in seconds) of each event, by its latest row, as of now."""
    rows = [row for row in world.rows if row["type"] == "event" and row["reason"] == reason]
    latest = {row["eventId"]: row for row in rows}.values()
    now_ms = world.cluster.now_ms
    found = [tell_at(row["count"], row["last_ms"], row["detail"], now_ms) for row in latest]
    return [(count, last_ms // 1000) for count, last_ms in found]


def open_rows(world: World) -> list[dict[str, Any]]:
    rows = [row for row in world.rows if row["type"] == "event"]
    return [row for row in {row["eventId"]: row for row in rows}.values() if is_open(row["detail"])]


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_container_that_restarts_counts_up_its_events(is_saved: bool) -> None:
    world = World()
    world.pod(behavior=CRASHES)
    for second in (1, 5, 20, 60):
        world.to(second)
        if is_saved:
            _ = world.rows
            world.cluster = Cluster.load(json.loads(json.dumps(world.cluster.save())))
    starts = len(world.starts())
    assert starts == 4
    for reason in ("Created", "Started"):
        rows = [row for row in world.rows if row["type"] == "event" and row["reason"] == reason]
        assert [row["count"] for row in rows] == [1, 2, 3, 4]
        assert len({row["eventId"] for row in rows}) == 1
        assert {row["first_ms"] for row in rows} == {rows[0]["at_ms"]}
        assert [row["last_ms"] for row in rows] == [row["at_ms"] for row in rows]


def test_containers_are_counted_apart_by_their_paths() -> None:
    world = World()
    assert world.pod("one", "two").ok
    assert told(world.to(10), "Created") == [(1, 0), (1, 0)]


def test_a_kubelet_that_was_restarted_begins_to_count_anew() -> None:
    world = World()
    world.pod(behavior={"app": {"runs": [{"for": "20s", "exit": 1}]}})
    world.to(30)
    assert [count for count, _ in told(world, "Created")] == [2]
    world.submit("fault", node="node-1", kind="kubeletRestart", **{"for": "1s"})
    world.to(45)
    assert [count for count, _ in told(world, "Created")] == [2, 1]


def test_a_probe_that_fails_for_an_hour_is_told_with_what_it_has_come_to() -> None:
    world = World()
    world.pod(PROBE, behavior=FAILS)
    world.to(3600)
    assert told(world, "Unhealthy") == [(721, 3600)]
    assert len([row for row in world.rows if row["type"] == "event" and row["reason"] == "Unhealthy"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "what, others",
    [
        # The look that ends it asks at once whether it is ready, and the answer is cut off (UpdatePodStatus).
        pytest.param(lambda world: world.delete(), [1], id="deleted"),
        pytest.param(lambda world: world.delete(force=True), [], id="deleted by force"),
        pytest.param(lambda world: _fault(world, "partition"), [], id="cut off"),
        pytest.param(lambda world: _fault(world, "kubeletDown"), [], id="kubelet down"),
        pytest.param(lambda world: _fault(world, "crash"), [], id="crashed"),
        pytest.param(
            lambda world: world.submit("fault", pod="web", container="app", kind="exit"), [], id="exit"
        ),
    ],
)
def test_a_series_is_closed_when_nobody_goes_on_to_tell_it(what: Any, others: list[int]) -> None:
    world = World()
    world.pod(PROBE, behavior=FAILS, terminationGracePeriodSeconds=1, restartPolicy="Never")
    world.to(22)
    assert len(open_rows(world)) == 1
    assert what(world).ok
    world.to(30)
    assert open_rows(world) == []
    assert [count for count, _ in told(world, "Unhealthy")] == [5, *others]


def _fault(world: World, kind: str) -> Any:
    return world.submit("fault", node="node-1", kind=kind)


def test_what_was_lost_while_a_kubelet_was_cut_off_is_counted_when_it_is_heard_again() -> None:
    world = World()
    world.pod(PROBE, behavior=FAILS)
    world.to(22)
    assert world.submit("fault", node="node-1", kind="partition", **{"for": "20s"}).ok
    assert told(world.to(41), "Unhealthy") == [(5, 20)]
    # 10 by 42 s, at which it is heard again, asked at once, and every 5 s from then on (UpdatePodStatus).
    assert told(world.to(50), "Unhealthy") == [(11, 47)]


def test_a_series_that_an_engine_before_version_14_saved_is_said_anew() -> None:
    world = World()
    world.pod(PROBE, behavior=FAILS)
    world.to(22)
    _ = world.rows
    saved = json.loads(json.dumps(world.cluster.save())) | {"engine_version": 13}
    for series in saved["trace"]["open_series"].values():
        for name in ("paid_ms", "last_ms", "count", "words", "is_silent"):
            del series[name]
    for worker in saved["kubelets"]["workers"]:
        del worker["few"]
    seq = saved["trace"]["seq"]
    world.cluster = Cluster.take_up(known_of(world.cluster, saved), saved)
    assert list(world.cluster.begun_anew) == []
    assert told(world, "Unhealthy") == [(5, 20)]
    assert [row["seq"] for row in open_rows(world)] == [seq + 1]
    assert told(world.to(41), "Unhealthy") == [(9, 40)]


CURL = {"exec": {"command": ["curl", "-f", "http://127.0.0.1:8080/"]}, "periodSeconds": 10}
SLEEPS = {"image": "busybox:1.36", "command": ["sh", "-c", "sleep 36000"]}


@pytest.mark.parametrize(
    "probes, at_seconds, expected",
    [
        pytest.param(["readinessProbe"], 85, [1] * 9, id="nine are told one by one"),
        pytest.param(["readinessProbe"], 95, [1] * 10, id="the tenth is combined"),
        pytest.param(["readinessProbe"], 145, [*[1] * 9, 6], id="and counts from then on"),
        pytest.param(
            ["readinessProbe", "livenessProbe"], 95, [*[1] * 9, 10], id="two probes are combined into one"
        ),
    ],
)
@pytest.mark.parametrize("is_saved", [False, True])
def test_checks_that_cannot_be_started_are_told_one_by_one_until_they_are_combined(
    probes: list[str], at_seconds: int, expected: list[int], is_saved: bool
) -> None:
    """Each names the try by an identity, so its text is another one (client-go: ten such are combined)."""
    world = World()
    world.pod({"name": "app", **SLEEPS, **dict.fromkeys(probes, CURL)})
    world.to(45)
    if is_saved:
        _ = world.rows
        world.cluster = Cluster.load(json.loads(json.dumps(world.cluster.save())))
    assert [count for count, _ in told(world.to(at_seconds), "Unhealthy")] == expected
