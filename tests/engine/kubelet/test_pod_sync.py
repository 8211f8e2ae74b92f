"""The looks of a pod's worker under realistic latencies: what it sees when, and what it tells of that."""

from itertools import pairwise
from typing import Any

import pytest

from lifecycle.engine.heart.timing import Timing
from tests.engine.kubelet.world import World

LOOK_MS = Timing().spread("kubelet_look")[0]

IGNORE = {"onTerm": {"ignore": True}}
SICK = {"probes": {"liveness": [{"at": "0s", "result": "failure"}]}}


LOOKS_ALONE = "v1.35"
"""Since v1.36 the kubelet also looks when it has done something for a pod (kubernetes#137362, #134660)."""


def realistic(
    *containers: Any, behavior: dict[str, Any], kubernetes: str | None = None, **spec: Any
) -> World:
    world = World(timing="realistic", kubernetes=kubernetes)
    assert world.pod(*containers, behavior=behavior, **spec).ok
    return world


def liveness(**settings: int) -> dict[str, Any]:
    return {"name": "app", "livenessProbe": {"httpGet": {"port": 80}, "periodSeconds": 1, **settings}}


def test_starts_ends_and_restarts_are_seen_at_looks_alone() -> None:
    runs = [{"for": "3300ms", "exit": 1}]
    world = realistic(behavior={"app": {"runs": runs}}, kubernetes=LOOKS_ALONE).to(40)
    first, *later = world.lane("container.app.state")[1:]
    assert first[1] == "Running"
    assert {round(at * 1000 - first[0] * 1000) % LOOK_MS for at, _ in later} == {0}
    assert 0 < first[0] - world.events("Started")[0][0] <= LOOK_MS / 1000


def test_what_runs_for_less_than_a_look_is_never_told_to_run() -> None:
    """Recorded by v1.35 (drain-graces): Waiting, Terminated; and the phase stays Pending until it is over."""
    behavior = {"app": {"runs": [{"for": "1ms", "exit": 0}]}}
    world = realistic(behavior=behavior, kubernetes=LOOKS_ALONE, restartPolicy="Never").to(20)
    assert [state for _, state in world.lane("container.app.state")] == ["Waiting", "Terminated"]
    assert [phase for _, phase in world.lane("phase")] == ["Pending", "Succeeded"]
    (told,), (over,) = world.at("container.app.state", "Terminated"), world.at("phase", "Succeeded")
    assert LOOK_MS / 1000 < over - told < LOOK_MS / 1000 + 0.2


def test_containers_of_one_look_start_one_after_the_other() -> None:
    behavior = {"app": {"start": {"takes": "2s"}}, "other": {"start": {"takes": "3s"}}}
    world = realistic("app", "other", behavior=behavior, kubernetes=LOOKS_ALONE).to(20)
    started = [at for at, _ in world.events("Started")]
    assert 2.9 < started[1] - started[0] < 9
    running = [world.at(f"container.{name}.state", "Running") for name in ("app", "other")]
    # Until the last has been started the worker tells nothing, not even of the sandbox.
    assert running[0] == running[1] == world.at("condition.PodReadyToStartContainers", "True")


def test_a_deletion_cuts_no_look_that_is_starting() -> None:
    """What is being made is, and then ended (kubelet, issue 113606)."""
    behavior = {"app": {"start": {"takes": "20s"}, "onTerm": {"takes": "0s"}}}
    world = realistic(behavior=behavior).to(5)
    assert world.delete().ok
    world.to(40)
    (started,), (stopped,) = (
        [at for at, _ in world.events("Started")],
        [at for at, _ in world.events("Killing")],
    )
    assert 20 < started < stopped <= started + LOOK_MS / 1000


def test_what_ends_within_a_second_is_told_in_one_write() -> None:
    there = {"pull": {"takes": "0s"}}
    behavior = {
        "app": {**there, "runs": [{"for": "3500ms", "exit": 0}]},
        "other": {**there, "runs": [{"for": "3500ms", "exit": 1}]},
    }
    world = realistic("app", "other", behavior=behavior, restartPolicy="OnFailure").to(15)
    ended = [world.at(f"container.{name}.state", "Terminated")[0] for name in ("app", "other")]
    assert ended[0] == ended[1]
    # The failed one is not seen to run again yet.
    assert (ended[0], "Error") in world.lane("status")


def test_a_crash_is_told_as_such_until_the_worker_comes_back() -> None:
    """After 1 to 1.5 times the delay, and at most a second until the kubelet looks at who is due."""
    world = realistic(behavior={"app": {"runs": [{"for": "2s", "exit": 1}]}}).to(400)
    told = [entry for entry in world.lane("container.app.state") if entry[0] > 3]
    waits = [
        back - crashed
        for (crashed, state), (back, then) in pairwise(told)
        if (state, then) == ("Terminated", "Waiting")
    ]
    # Longer delays than a minute are cut: the look after that minute tells of them, and waits on.
    for wait, delay in zip(waits, [10, 20, 40, 60, 60], strict=False):
        assert delay - 1 <= wait <= 1.5 * delay + 1
    assert len(waits) >= 5
    ends = [at for at, state in told if state == "Terminated"]
    starts = [at for at, state in told if state == "Running"]
    gaps = [next(start for start in starts if start > end) - end for end in ends[1:5]]
    assert [gap >= delay - 1 for gap, delay in zip(gaps, [10, 20, 40, 80], strict=True)] == [True] * 4


def test_a_kill_within_the_delay_since_the_end_before_is_told_as_held_back_alone() -> None:
    """Recorded by v1.35 (probe-liveness-onfailure-exit0): held by the end before, then by its own."""
    world = realistic(liveness(), behavior={"app": {**SICK, **IGNORE}}, terminationGracePeriodSeconds=2).to(
        45
    )
    states = [state for _, state in world.lane("container.app.state")]
    assert states[:6] == ["Waiting", "Running", "Running", "Running", "Waiting", "Running"]
    assert "Terminated" not in states
    held, again = world.at("container.app.state", "Waiting")[1], world.starts()[3]
    assert world.waits()[1][1] == "CrashLoopBackOff"
    assert 9 <= again - held <= 16
    assert [at for at, _ in world.events("BackOff")][:2] == [world.at("signal.app", "SIGKILL")[2], held]


@pytest.mark.parametrize("kind", ["readiness", "liveness"])
def test_the_first_check_of_an_ended_container_has_its_back_off_told(kind: str) -> None:
    """Recorded by v1.35 (own-svc-finished-pods): a good verdict turns, which asks for a look."""
    container = {"name": "app", f"{kind}Probe": {"httpGet": {"port": 80}, "periodSeconds": 4}}
    behavior = {
        "app": {"runs": [{"for": "6s", "exit": 1}], "probes": {kind: [{"at": "0s", "result": "success"}]}}
    }
    world = realistic(container, behavior=behavior).to(60)
    ended = world.at("container.app.state", "Terminated")[1]
    assert 0 < world.waits()[1][0] - ended <= 4
    assert [at for at, _ in world.events("BackOff")][:2] == [ended, world.waits()[1][0]]


def test_a_container_that_a_kill_has_completed_is_not_told_as_held_back() -> None:
    behavior = {"app": {**SICK, "onTerm": {"takes": "1s", "exit": 0}}}
    world = realistic(liveness(), behavior=behavior, restartPolicy="OnFailure").to(60)
    assert [reason for _, reason in world.waits()] == ["ContainerCreating"]
    assert world.status()["phase"] == "Succeeded"


def test_a_deletion_cuts_no_look_that_is_killing() -> None:
    """SyncPod goes on, and starts what it has killed; the deletion has its own grace after that."""
    world = realistic(liveness(), behavior={"app": {**SICK, **IGNORE}}, terminationGracePeriodSeconds=20)
    killed = next(at for second in range(30) for at in world.to(second).at("signal.app", "SIGTERM"))
    world.to(killed + 5).delete()
    world.to(70)
    assert world.at("signal.app", "SIGKILL") == [
        pytest.approx(killed + 20, abs=0.1),
        pytest.approx(killed + 40, abs=1),
    ]
    assert world.get() is None


def by_hand(world: World, status: str) -> None:
    conditions = [
        {**one, "status": status} if one["type"] == "Ready" else one for one in world.status()["conditions"]
    ]
    assert world.patch({"status": {"conditions": conditions}}, "status").ok


def test_a_status_set_by_hand_stays_until_the_kubelet_compares_it() -> None:
    """Recorded by v1.35 (update-status-by-hand): kubelets do so every ten seconds."""
    world = realistic(behavior={}).to(14)
    by_hand(world, "False")
    world.to(34)
    by_hand(world, "False")
    world.to(60)
    ready = world.lane("condition.Ready")[2:]
    assert [value for _, value in ready] == ["False", "True"] * 2
    assert 20 <= ready[1][0] < 21
    assert ready[3][0] - ready[1][0] == pytest.approx(20)


def test_a_look_for_another_reason_puts_a_status_right_at_once() -> None:
    runs = [{"for": "3s", "exit": 1}]
    world = realistic(behavior={"app": {"runs": runs}}, kubernetes=LOOKS_ALONE)
    started = next(at for second in range(9) for at in world.to(second).starts())
    by_hand(world, "Unknown")
    (ended,) = world.to(started + 4).at("container.app.state", "Terminated")
    assert world.lane("condition.Ready")[-1] == (ended, "False")
    assert ended < 10


def test_a_deletion_goes_on_as_soon_as_the_look_that_it_waits_for_has_failed() -> None:
    hook = {"postStart": {"exec": {"command": ["true"]}}}
    pull = {"error": "ErrImagePull", "times": 9, "takes": "5s"}
    world = realistic({"name": "app", "lifecycle": hook}, behavior={"app": {"pull": pull}})
    again = next(at for second in range(40) for at, _ in world.to(second).events("Pulling")[1:])
    world.to(again + 2).delete()
    world.to(again + 7)
    assert world.get() is None
