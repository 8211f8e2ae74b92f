"""Examples of the Kubernetes documentation, as written, doing what the documentation says."""

import pytest

from lifecycle.engine.programs import ConnectResult, FileLayer, Limits, Mount, Process
from tests.engine.programs.worlds import (
    FakeWorld,
    exec_probe,
    make_layer,
    pod_spec,
    run_until,
    start,
    start_script,
)

NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"


def ended(process: Process) -> tuple[int, int] | None:
    return process.exit and (process.exit.at_ms, process.exit.code)


@pytest.mark.spec("JOB-EX-18")
def test_pi_prints_two_thousand_digits() -> None:
    world = FakeWorld()
    command = ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]
    process = start(pod_spec({"image": "perl:5.34.0", "command": command}), world)
    run_until(process, world)
    ((_, line),) = process.take_output()
    assert len(line) == 2_001
    assert line.startswith("3.14159265358979323846") and line.endswith("275901")
    assert ended(process) == (10_000, 0)


@pytest.mark.parametrize(
    ("at_ms", "healthy"), [(5_000, True), (25_000, True), (30_000, False), (35_000, False)]
)
def test_liveness_file_is_there_for_thirty_seconds(at_ms: int, healthy: bool) -> None:
    world = FakeWorld()
    args = ["/bin/sh", "-c", "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"]
    process = start(pod_spec({"image": "registry.k8s.io/busybox:1.27.2", "args": args}), world)
    run_until(process, world, at_ms)
    sight = process.probe("liveness", exec_probe("cat", "/tmp/healthy"), at_ms, world)
    assert (sight.result == "success") is healthy


@pytest.mark.spec("INIT-35")
def test_init_container_waits_until_the_service_exists() -> None:
    world = FakeWorld()
    text = (
        f"until nslookup myservice.$(cat {NAMESPACE_FILE}).svc.cluster.local; do echo waiting; sleep 2; done"
    )
    process = start_script(text, world)
    run_until(process, world, 480_000)
    assert process.exit is None
    world.hosts["myservice.default.svc.cluster.local"] = "10.96.0.7"
    run_until(process, world)
    assert ended(process) == (482_000, 0)


@pytest.mark.spec("INIT-35")
@pytest.mark.parametrize(("appears_ms", "expected"), [(37_000, (38_000, 0)), (None, (100_000, 1))])
def test_waiting_ends_after_a_hundred_looks(appears_ms: int | None, expected: tuple[int, int]) -> None:
    world = FakeWorld()
    text = "for i in $(seq 1 100); do sleep 1; if nslookup myservice; then exit 0; fi; done; exit 1"
    process = start_script(text, world)
    if appears_ms is not None:
        run_until(process, world, appears_ms)
        world.hosts["myservice"] = "10.96.0.7"
    run_until(process, world)
    assert ended(process) == expected


@pytest.mark.spec("POD-OBJ-06")
def test_indexed_job_prints_its_index_and_host() -> None:
    world = FakeWorld(env={"JOB_COMPLETION_INDEX": "2"})
    process = start_script("echo $JOB_COMPLETION_INDEX; hostname", world)
    assert [line for _, line in process.take_output()] == ["2", "pod-1"]
    assert ended(process) == (0, 0)


@pytest.mark.parametrize(("index", "code"), [("0", 1), ("1", 0), ("4", 1), ("7", 0)])
def test_per_index_job_fails_for_even_indexes(index: str, code: int) -> None:
    text = "import os, sys; print('hello'); sys.exit(1 - int(os.environ['JOB_COMPLETION_INDEX']) % 2)"
    world = FakeWorld(env={"JOB_COMPLETION_INDEX": index})
    process = start(pod_spec({"image": "python", "command": ["python3", "-c", text]}), world)
    assert ended(process) == (0, code)
    assert process.take_output() == [(0, "hello")]
    assert process.take_problems() == []


def test_word_of_the_index_is_handed_over_in_a_volume() -> None:
    layer = FileLayer()
    world = FakeWorld(env={"JOB_COMPLETION_INDEX": "3"}, volumes=[Mount("/input", layer)])
    init = "items=(foo bar baz qux xyz)\necho ${items[$JOB_COMPLETION_INDEX]} > /input/data.txt\n"
    assert ended(start(pod_spec({"image": "bash", "command": ["bash", "-c", init]}), world)) == (0, 0)
    process = start(pod_spec({"command": ["rev", "/input/data.txt"]}), world)
    assert process.take_output() == [(0, "xuq")]


@pytest.mark.spec("POD-OBJ-10", "POD-OBJ-22")
def test_log_sidecar_prints_what_the_application_writes() -> None:
    layer = FileLayer()
    world = FakeWorld(volumes=[Mount("/opt", layer)])
    writer = start_script('while true; do echo "logging" >> /opt/logs.txt; sleep 1; done', world)
    shipper = start(pod_spec({"image": "alpine", "command": ["sh", "-c", "tail -F /opt/logs.txt"]}), world)
    seen: list[tuple[int, str]] = []
    for now_ms in range(0, 10_001, 500):
        for process in (writer, shipper):
            run_until(process, world, now_ms)
        seen += shipper.take_output()
    assert [line for _, line in seen] == ["logging"] * 11


def test_counter_writes_two_files() -> None:
    layer = FileLayer()
    world = FakeWorld(volumes=[Mount("/var/log", layer)])
    text = (
        'i=0;\nwhile true;\ndo\n  echo "$i: $(date)" >> /var/log/1.log;\n'
        '  echo "$(date) INFO $i" >> /var/log/2.log;\n  i=$((i+1));\n  sleep 1;\ndone'
    )
    process = start_script(text, world)
    run_until(process, world, 2_000)
    assert layer.entries["1.log"].text == (
        "0: Thu Jan  1 00:00:00 UTC 2026\n1: Thu Jan  1 00:00:01 UTC 2026\n2: Thu Jan  1 00:00:02 UTC 2026\n"
    )
    assert layer.entries["2.log"].text.splitlines()[2] == "Thu Jan  1 00:00:02 UTC 2026 INFO 2"


@pytest.mark.spec("DOWN-25")
def test_environment_is_fixed_but_mounted_files_follow() -> None:
    layer = make_layer({"labels": 'tier="gold"'})
    world = FakeWorld(env={"TIER": "gold"}, volumes=[Mount("/info", layer, is_read_only=True)])
    process = start_script("while true; do echo $TIER $(cat /info/labels); sleep 10; done", world)
    run_until(process, world, 10_000)
    world.env = {"TIER": "silver"}
    layer.entries["labels"].write('tier="silver"', 15_000)
    run_until(process, world, 20_000)
    lines = [line for _, line in process.take_output()]
    assert lines == ['gold tier="gold"', 'gold tier="gold"', 'gold tier="silver"']


@pytest.mark.parametrize(
    ("limit", "expected"), [(50 << 20, (0, 137, "OOMKilled")), (300 << 20, None)], ids=["too small", "enough"]
)
def test_stress_beyond_the_limit_is_killed(limit: int, expected: tuple[int, int, str] | None) -> None:
    world = FakeWorld(limits=Limits(None, limit))
    args = ["--vm", "1", "--vm-bytes", "250M", "--vm-hang", "1"]
    process = start(pod_spec({"image": "polinux/stress", "command": ["stress"], "args": args}), world)
    run_until(process, world, 60_000)
    end = process.exit
    assert (end and (end.at_ms, end.code, end.reason)) == expected


def test_reader_of_endless_zeros_runs_out_of_memory() -> None:
    world = FakeWorld(limits=Limits(None, 64 << 20))
    process = start_script("sleep 2; tail /dev/zero", world)
    run_until(process, world)
    assert process.exit is not None and process.exit.reason == "OOMKilled"
    assert 2_000 < process.exit.at_ms < 5_000


def test_pod_failure_policy_example_ends_with_its_code() -> None:
    text = 'echo "Hello world! I\'m going to exit with 42 to simulate a software bug." && sleep 30 && exit 42'
    world = FakeWorld()
    process = start(
        pod_spec({"image": "docker.io/library/bash:5", "command": ["bash"], "args": ["-c", text]}), world
    )
    run_until(process, world)
    assert ended(process) == (30_000, 42)


def test_termination_message_is_written_where_the_kubelet_mounts_it() -> None:
    layer = make_layer({"message": ""})
    world = FakeWorld(volumes=[Mount("/dev/termination-log", layer, "message")])
    process = start_script("sleep 10 && echo Sleep expired > /dev/termination-log", world)
    run_until(process, world)
    assert layer.entries["message"].text == "Sleep expired\n"


def test_pods_of_a_job_find_each_other() -> None:
    world = FakeWorld(hosts={"job-0.svc": "10.1.0.2"})
    text = (
        "for i in 0 1; do\n  until ping -c 1 job-${i}.svc > /dev/null 2>&1; do\n"
        '    echo "retrying job-${i}"; sleep 1\n  done\ndone\necho all there'
    )
    process = start(pod_spec({"image": "bash", "command": ["bash", "-c", text]}), world)
    run_until(process, world, 2_500)
    world.hosts["job-1.svc"] = "10.1.0.3"
    run_until(process, world)
    assert [line for _, line in process.take_output()] == ["retrying job-1"] * 3 + ["all there"]
    assert ended(process) == (3_000, 0)


def test_load_generator_asks_again_and_again() -> None:
    world = FakeWorld(
        hosts={"php-apache": "10.96.0.9"},
        answers={("php-apache", 80): ConnectResult("connected", 4, 200, "OK!")},
    )
    process = start_script("while sleep 0.01; do wget -q -O- http://php-apache; done", world)
    run_until(process, world, 1_000)
    # One request takes 4 ms, the pause before it 10 ms.
    assert len(world.connections) == 1_000 // 14
    assert world.connections[:2] == [(10, "php-apache", 80), (24, "php-apache", 80)]


@pytest.mark.parametrize(
    ("reference", "printed"),
    [("$(GREETING)", "hello"), ("$$(GREETING)", "$(GREETING)"), ("$(OTHER)", "$(OTHER)"), ("a$$b", "a$b")],
)
def test_references_in_the_command_are_resolved_by_the_kubelet(reference: str, printed: str) -> None:
    process = start(pod_spec({"command": ["echo", reference]}), FakeWorld(given_env={"GREETING": "hello"}))
    assert process.take_output() == [(0, printed)]
