"""One run of a container whose behaviour is declared."""

import pytest

from lifecycle.engine.programs import Limits, Mount, Process
from tests.engine.programs.worlds import FakeWorld, make_layer, pod_spec, probe, reload, run_until, start

RUNS = """
app:
  runs:
  - {for: 20s, exit: 1}
  - {for: 90s, exit: 137, reason: OOMKilled}
  - {forever: true}
"""


def ended(process: Process) -> tuple[int, int, str | None] | None:
    return process.exit and (process.exit.at_ms, process.exit.code, process.exit.reason)


@pytest.mark.parametrize(
    ("attempt", "expected"),
    [(0, (20_000, 1, None)), (1, (90_000, 137, "OOMKilled")), (2, None), (7, None)],
)
def test_each_attempt_has_its_own_run_and_the_last_repeats(
    attempt: int, expected: tuple[int, int, str | None] | None
) -> None:
    process = start(pod_spec({}), attempt=attempt, behavior=RUNS)
    run_until(process, FakeWorld())
    assert ended(process) == expected


def test_process_sleeps_until_its_end_is_due() -> None:
    process = start(pod_spec({}), behavior=RUNS)
    assert process.next_wake_ms() == 20_000
    process.run(19_999, FakeWorld())
    assert process.exit is None
    process.run(20_000, FakeWorld())
    assert process.next_wake_ms() is None


@pytest.mark.parametrize(
    ("on_term", "expected"),
    [
        ("{takes: 4s, exit: 0}", (9_000, 0, None)),
        ("{takes: 4s, exit: 143}", (9_000, 143, None)),
        ("{ignore: true}", None),
    ],
)
def test_stop_signal_follows_the_plan(on_term: str, expected: tuple[int, int, str | None] | None) -> None:
    process = start(pod_spec({}), behavior=f"app: {{runs: [{{forever: true}}], onTerm: {on_term}}}")
    process.signal(5_000, "SIGTERM", FakeWorld())
    run_until(process, FakeWorld())
    assert ended(process) == expected


@pytest.mark.spec("POD-TERM-16")
def test_kill_ends_whatever_ignores_its_stop_signal() -> None:
    process = start(pod_spec({}), behavior="app: {onTerm: {ignore: true}, runs: [{forever: true}]}")
    process.signal(0, "SIGTERM", FakeWorld())
    process.signal(30_000, "SIGKILL", FakeWorld())
    assert process.exit is not None
    assert (process.exit.at_ms, process.exit.code, process.exit.signal) == (30_000, 137, 9)


def test_end_that_was_due_earlier_stays() -> None:
    process = start(pod_spec({}), behavior="app: {runs: [{for: 6s, exit: 3}], onTerm: {takes: 9s}}")
    process.signal(5_000, "SIGTERM", FakeWorld())
    run_until(process, FakeWorld())
    assert ended(process) == (6_000, 3, None)


@pytest.mark.spec("RPOL-13", "QOS-15")
@pytest.mark.parametrize(
    ("limit", "expected"),
    [(100 << 20, (60_000, 137, "OOMKilled")), (200 << 20, None), (None, None)],
)
def test_use_above_the_memory_limit_kills(
    limit: int | None, expected: tuple[int, int, str | None] | None
) -> None:
    world = FakeWorld(limits=Limits(None, limit))
    process = start(pod_spec({}), world, behavior=USAGE)
    run_until(process, world)
    assert ended(process) == expected


USAGE = """
app:
  runs: [{forever: true}]
  usage: [{at: 0s, cpu: 100m, memory: 64Mi}, {at: 30s, cpu: 250m}, {at: 60s, cpu: 900m, memory: 200Mi}]
"""


@pytest.mark.parametrize(
    ("at_ms", "cpu_milli", "mebibytes"),
    [(0, 100, 64), (29_999, 100, 64), (30_000, 250, 64), (59_999, 250, 64), (60_000, 900, 200)],
)
def test_usage_steps_from_point_to_point(at_ms: int, cpu_milli: int, mebibytes: int) -> None:
    process = start(pod_spec({}), behavior=USAGE)
    assert process.usage(at_ms) == (cpu_milli, mebibytes << 20)


@pytest.mark.parametrize(
    ("at_ms", "result", "until_ms"),
    [(0, "failure", 8_000), (7_999, "failure", 8_000), (8_000, "success", 60_000), (60_000, "unknown", None)],
)
def test_declared_probe_points_say_what_is_seen_and_how_long(
    at_ms: int, result: str, until_ms: int | None
) -> None:
    process = start(pod_spec({}), behavior=POINTS)
    sight = process.probe("readiness", probe("http", port=80), at_ms, FakeWorld())
    assert (sight.result, sight.until_ms) == (result, until_ms)


POINTS = """
app:
  probes:
    readiness: [{at: 0s, result: failure}, {at: 8s, result: success}, {at: 1m, result: unknown}]
"""


def test_probe_type_without_points_sees_the_program() -> None:
    process = start(pod_spec({"image": "own:1"}), behavior=POINTS)
    assert process.probe("liveness", probe("http", port=80), 0, FakeWorld()).result == "success"


def test_ranges_are_drawn_by_key_so_that_runs_repeat_and_attempts_differ() -> None:
    text = "app: {runs: [{for: 2s..600s, exit: 1}]}"
    ends = [start(pod_spec({}), attempt=attempt, behavior=text).next_wake_ms() for attempt in (0, 0, 1, 2)]
    assert ends[0] == ends[1]
    assert len(set(ends)) == 3
    assert all(end is not None and 2_000 <= end <= 600_000 for end in ends)


def test_script_is_not_run_where_runs_are_declared() -> None:
    spec = pod_spec({"command": ["sh", "-c", "exit 1"]})
    process = start(spec, behavior="app: {runs: [{for: 5s, exit: 0}]}")
    run_until(process, FakeWorld())
    assert ended(process) == (5_000, 0, None)


def test_script_runs_where_only_probes_are_declared() -> None:
    process = start(pod_spec({"command": ["sh", "-c", "sleep 3; exit 7"]}), behavior=POINTS)
    run_until(process, FakeWorld())
    assert ended(process) == (3_000, 7, None)


def test_stop_signal_of_a_script_can_be_declared() -> None:
    process = start(pod_spec({"command": ["sleep", "3600"]}), behavior="app: {onTerm: {takes: 2s, exit: 5}}")
    process.signal(1_000, "SIGTERM", FakeWorld())
    run_until(process, FakeWorld())
    assert ended(process) == (3_000, 5, None)


def test_declared_hooks_take_their_time() -> None:
    process = start(pod_spec({}), behavior="app: {runs: [{forever: true}], preStop: {takes: 6s, exit: 4}}")
    hook = process.hook("preStop", {"exec": {"command": ["false"]}}, 1_000, FakeWorld())
    assert (hook.finished_ms, hook.exit_code) == (7_000, 4)


def test_saved_process_goes_on_as_before() -> None:
    world = FakeWorld()
    process = start(pod_spec({}), world, behavior=USAGE)
    process.signal(1_000, "SIGTERM", world)
    assert reload(process).save() == process.save()


def test_command_that_is_a_file_of_a_volume_is_run() -> None:
    script = "#!/bin/sh\ntrap 'echo stopping; exit 3' TERM\necho started $1\nsleep 60 & wait\n"
    world = FakeWorld(volumes=(Mount("/scripts", make_layer({"run.sh": script}, 0o755), is_read_only=True),))
    container = {
        "command": ["/scripts/run.sh", "it"],
        "volumeMounts": [{"name": "c", "mountPath": "/scripts"}],
    }
    process = start(pod_spec({**container, "image": "registry.example/own:1"}), world)
    process.signal(5_000, "SIGTERM", world)
    assert [line for _, line in process.take_output()] == ["started it", "stopping"]
    assert process.exit is not None and process.exit.code == 3


def test_command_of_a_volume_that_is_not_there_is_assumed_to_serve() -> None:
    container = {"command": ["/app/server"], "volumeMounts": [{"name": "c", "mountPath": "/app"}]}
    process = start(pod_spec({**container, "image": "registry.example/own:1"}), world := FakeWorld())
    assert process.exit is None and process.listens_on(8080, 0)
    assert any("/app/server" in problem for problem in process.take_problems())
    process.signal(1_000, "SIGTERM", world)
    assert process.exit is not None and process.exit.code == 0
