"""Programs cost what they do: a process is due only when something happens in it."""

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.programs import Process, World
from tests.engine.programs.worlds import EPOCH_MS, FakeWorld, pod_spec, start, start_script

HOUR_MS = 3_600_000


def count_wakes(script: str, until_ms: int = HOUR_MS) -> int:
    world = FakeWorld()
    process = start_script(script, world)
    count = 0
    while (due_ms := process.next_wake_ms()) is not None and due_ms <= until_ms:
        process.run(due_ms, world)
        count += 1
    return count


@pytest.mark.parametrize(
    ("script", "wakes"),
    [
        ("sleep 3600", 1),
        ("sleep infinity", 0),
        ("tail -f /dev/null", 0),
        ("while true; do sleep 600; done", 6),
        ("sleep 3000 & sleep 3000 & wait", 1),
        ("exec nginx -g 'daemon off;'", 1),
        ("nc -l -p 80", 0),
        ("touch /tmp/log; tail -f /tmp/log", 0),
        ("while read line; do echo $line; done", 0),
    ],
)
def test_wakes_of_an_hour(script: str, wakes: int) -> None:
    assert count_wakes(script) == wakes


@pytest.mark.parametrize("image", ["nginx", "own:1", "sim/server:1"])
def test_server_without_a_script_never_wakes(image: str) -> None:
    assert start(pod_spec({"image": image})).next_wake_ms() is None


@pytest.mark.parametrize("script", ["sleep infinity", "touch /l; tail -f /l", "timeout 0 tail -f /dev/null"])
def test_what_waits_for_ever_has_no_instant_at_all(script: str) -> None:
    assert start_script(script).next_wake_ms() is None


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "wakes"), [("600", 6), ("60", 60), ("infinity", 0)])
def test_an_hour_of_sleeping_pods_costs_their_wakes_and_nothing_else(
    seconds: str, wakes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row, no version, no timer beside one for each wake of each pod."""
    cluster = Cluster(seed=1, epoch_ms=EPOCH_MS, settings=Settings(timing="instant"))
    script = f"while true; do sleep {seconds}; done"
    container = {"name": "app", "image": "busybox", "command": ["sh", "-c", script]}
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 20, "selector": {"matchLabels": {"app": "x"}}, "template": template}
    metadata = {"name": "web", "namespace": "default"}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    assert cluster.submit(Command("c1", "create", {"object": web})).ok
    cluster.run_until(1_000)
    cluster.take_changes()
    runs = 0
    real_run = Process.run

    def counted_run(process: Process, now_ms: int, world: World) -> None:
        nonlocal runs
        runs += 1
        real_run(process, now_ms, world)

    monkeypatch.setattr(Process, "run", counted_run)
    instants: set[int] = set()
    while (due_ms := cluster.next_wake()) is not None and due_ms <= 1_000 + HOUR_MS:
        cluster.run_until(due_ms)
        instants.add(due_ms)
    changes = cluster.take_changes()
    pods = [pod for pod in cluster.list("Pod") if pod["status"]["phase"] == "Running"]
    assert len(pods) == 20
    assert (runs, changes.rows, changes.versions) == (20 * wakes, [], [])
    # All wake together; what else falls due in an hour are the cluster's own few periods.
    assert wakes <= len(instants) <= wakes + 10, sorted(instants)


def test_waking_too_early_changes_nothing() -> None:
    world = FakeWorld()
    process = start_script("while true; do echo tick; sleep 10; done", world)
    process.take_output()
    before = process.save()
    for now_ms in range(1, 10_000, 999):
        process.run(now_ms, world)
    after = process.save()
    for name in ("now_ms", "entered_ms", "steps"):
        before["machine"][name] = after["machine"][name]
    assert after == before


def test_saved_program_is_small() -> None:
    import json

    world = FakeWorld()
    process = start_script("while true; do sleep 10; done", world)
    assert len(json.dumps(process.save())) < 4_000
