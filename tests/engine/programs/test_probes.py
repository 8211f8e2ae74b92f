"""What probes see of a program: files, ports and answers, and for how long that is certain."""

import pytest

from lifecycle.engine.programs import ConnectResult, FileLayer, Mount, Process
from tests.engine.programs.worlds import (
    FakeWorld,
    exec_probe,
    pod_spec,
    probe,
    run_until,
    start,
    start_script,
)


def sight_at(process: Process, check: object, at_ms: int, world: FakeWorld | None = None):
    world = world or FakeWorld()
    run_until(process, world, at_ms)
    return process.probe("liveness", check, at_ms, world)


@pytest.mark.parametrize(("at_ms", "result"), [(5_000, "success"), (29_999, "success"), (30_000, "failure")])
def test_exec_probe_sees_the_files_of_the_main_process(at_ms: int, result: str) -> None:
    process = start_script("touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600")
    sight = sight_at(process, exec_probe("cat", "/tmp/healthy"), at_ms)
    assert (sight.result, sight.until_ms) == (result, None)


def test_message_is_what_the_command_printed() -> None:
    sight = sight_at(start_script("sleep 60"), exec_probe("sh", "-c", "echo not yet; exit 1"), 0)
    assert (sight.result, sight.message) == ("failure", "not yet\n")


def test_version_tells_when_to_look_again() -> None:
    world = FakeWorld()
    process = start_script("sleep 5; touch /tmp/ready; sleep 60; echo only talk; sleep 60", world)
    before = process.version
    run_until(process, world, 5_000)
    touched = process.version
    run_until(process, world, 65_000)
    assert before < touched == process.version


@pytest.mark.spec("PROBE-26")
def test_command_that_takes_too_long_is_a_failure() -> None:
    sight = sight_at(start_script("sleep 60"), exec_probe("sleep", "3", timeout_seconds=2), 0)
    assert sight.result == "failure"
    assert sight.takes_ms > 2_000
    assert sight.message == 'command timed out: "sleep 3" timed out after 2s'


def test_command_in_time_tells_how_long_it_took() -> None:
    sight = sight_at(start_script("sleep 60"), exec_probe("sleep", "1.5", timeout_seconds=2), 0)
    assert (sight.result, sight.takes_ms) == ("success", 1_500)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("touch /tmp/seen", id="it writes"),
        pytest.param("[ $(date +%s) -gt 0 ]", id="it asks the time"),
        pytest.param("nc -z peer 80 || true", id="it asks the network"),
        pytest.param("pgrep sleep", id="it looks at processes"),
    ],
)
def test_answer_that_may_differ_next_time_is_certain_for_this_instant_only(command: str) -> None:
    sight = sight_at(start_script("sleep 60"), exec_probe("sh", "-c", command), 4_000)
    assert (sight.result, sight.until_ms) == ("success", 4_000)


def test_probe_leaves_nothing_running_behind() -> None:
    world = FakeWorld()
    process = start_script("sleep 60", world)
    before = process.next_wake_ms()
    process.probe("liveness", exec_probe("sh", "-c", "sleep 30 & sleep 20"), 1_000, world)
    assert process.next_wake_ms() == before


def test_file_of_a_shared_volume_is_seen_with_its_layer() -> None:
    layer = FileLayer()
    world = FakeWorld(volumes=[Mount("/shared", layer)])
    process = start_script("sleep 60", world)
    sight = process.probe("readiness", exec_probe("test", "-f", "/shared/ready"), 0, world)
    assert (sight.result, sight.sees_volumes, sight.until_ms) == ("failure", True, 0)
    writer = start_script("touch /shared/ready", world)
    assert writer.exit is not None
    sight = process.probe("readiness", exec_probe("test", "-f", "/shared/ready"), 0, world)
    assert sight.result == "success"


@pytest.mark.spec("PROBE-07")
@pytest.mark.parametrize(
    ("at_ms", "port", "result"),
    [(0, 8080, "failure"), (10_000, 8080, "success"), (10_000, 8081, "failure"), (30_000, 8080, "failure")],
)
def test_port_is_open_while_a_process_listens(at_ms: int, port: int, result: str) -> None:
    process = start_script("sleep 10; timeout 20 nc -l -p 8080; sleep 600")
    sight = sight_at(process, probe("tcp", port=port), at_ms)
    assert sight.result == result


def test_refused_connection_reads_as_the_kubelet_writes_it() -> None:
    sight = sight_at(start_script("sleep 9"), probe("http", port=8080, path="/healthz"), 0)
    assert sight.message == (
        'Get "http://10.1.0.1:8080/healthz": dial tcp 10.1.0.1:8080: connect: connection refused'
    )


@pytest.mark.spec("PROBE-05")
@pytest.mark.parametrize(("at_ms", "result", "until_ms"), [(0, "success", 10_000), (10_000, "failure", None)])
def test_simulated_health_page_turns_bad_after_ten_seconds(
    at_ms: int, result: str, until_ms: int | None
) -> None:
    process = start(pod_spec({"image": "sim/healthz:1"}))
    sight = sight_at(process, probe("http", port=8080, path="/healthz"), at_ms)
    assert (sight.result, sight.until_ms) == (result, until_ms)
    if result == "failure":
        assert sight.message == "HTTP probe failed with statuscode: 500"


@pytest.mark.parametrize(("at_ms", "result", "until_ms"), [(0, "failure", 95_000), (95_000, "success", None)])
def test_slow_image_answers_when_it_is_ready(at_ms: int, result: str, until_ms: int | None) -> None:
    process = start(pod_spec({"image": "sim/slow:1"}))
    for kind in ("http", "tcp", "grpc"):
        sight = sight_at(process, probe(kind, port=8080), at_ms)
        assert (sight.result, sight.until_ms) == (result, until_ms)


@pytest.mark.parametrize(
    ("image", "port", "result"),
    [
        ("registry.k8s.io/etcd:3.5.1-0", 2379, "success"),
        ("nginx:1.27", 80, "failure"),
        ("own:1", 90, "success"),
    ],
)
def test_grpc_check_needs_a_program_that_speaks_it(image: str, port: int, result: str) -> None:
    """What an unknown image speaks is not known, so its open port is enough."""
    process = start(pod_spec({"image": image}))
    assert sight_at(process, probe("tcp", port=port), 20_000).result == "success"
    assert sight_at(process, probe("grpc", port=port), 20_000).result == result


def test_named_port_is_looked_up_in_the_container() -> None:
    spec = pod_spec({"image": "nginx", "ports": [{"name": "web", "containerPort": 80}]})
    process = start(spec)
    assert sight_at(process, probe("tcp", port="web"), 1_000).result == "success"
    sight = sight_at(process, probe("tcp", port="other"), 1_000)
    assert (sight.result, sight.message) == ("unknown", 'strconv.Atoi: parsing "other": invalid syntax')


@pytest.mark.parametrize(
    ("image", "command", "cause"),
    [
        ("busybox:1.36", "/no/such", "stat /no/such: no such file or directory"),
        ("busybox:1.36", "curl", "executable file not found in $PATH"),
        ("alpine:3", "/opt/check", "stat /opt/check: no such file or directory"),
        ("own:1", "/opt/check", None),
    ],
)
def test_check_by_a_program_that_is_not_there_cannot_be_made(
    image: str, command: str, cause: str | None
) -> None:
    process = start(pod_spec({"image": image, "command": ["sleep", "60"]}))
    sight = sight_at(process, exec_probe(command), 1_000)
    assert (sight.result == "unknown") is (cause is not None)
    assert cause is None or sight.message.endswith(
        f'unable to start container process: exec: "{command}": {cause}: unknown'
    )


@pytest.mark.parametrize(
    ("container", "port", "is_plain"),
    [
        ({"image": "nginx:1.27"}, 80, True),
        ({"image": "tomcat"}, 8080, True),
        ({"image": "nginx:1.27", "volumeMounts": [{"name": "c", "mountPath": "/etc/nginx"}]}, 80, False),
        ({"image": "busybox:1.36", "command": ["httpd", "-f", "-p", "8000"]}, 8000, True),
        ({"image": "registry.example/own:1"}, 80, False),
    ],
)
def test_a_server_without_tls_fails_a_check_that_wants_it(container, port: int, is_plain: bool) -> None:
    process = start(pod_spec(container))
    check = probe("http", port=port, path="/", scheme="HTTPS")
    sight = sight_at(process, check, 20_000)
    url = f'Get "https://10.1.0.1:{port}/"'
    problem = f"{url}: http: server gave HTTP response to HTTPS client"
    assert (sight.result, sight.message) == (("failure", problem) if is_plain else ("success", ""))


def test_check_may_be_a_file_that_the_main_process_writes() -> None:
    process = start_script("sleep 5; printf '#!/bin/sh\\nexit 0' > /tmp/check; chmod +x /tmp/check; sleep 60")
    assert sight_at(process, exec_probe("/tmp/check"), 1_000).result == "unknown"
    assert sight_at(process, exec_probe("/tmp/check"), 6_000).result == "success"


def test_probe_of_another_host_asks_the_network() -> None:
    world = FakeWorld(answers={("10.9.9.9", 80): ConnectResult("connected", 3, 503)})
    process = start(pod_spec({"image": "own:1"}), world)
    sight = process.probe("readiness", probe("http", port=80, host="10.9.9.9"), 7_000, world)
    assert (sight.result, sight.until_ms) == ("failure", 7_000)
    assert sight.message == "HTTP probe failed with statuscode: 503"


@pytest.mark.parametrize(("at_ms", "result"), [(1_000, "failure"), (20_000, "success")])
def test_database_client_finds_the_server_beside_it(at_ms: int, result: str) -> None:
    spec = pod_spec({"image": "mysql:8", "env": [{"name": "MYSQL_ROOT_PASSWORD", "value": "x"}]})
    sight = sight_at(start(spec), exec_probe("mysqladmin", "ping"), at_ms)
    assert sight.result == result


def test_check_that_only_the_image_knows_is_named_and_taken_for_its_health() -> None:
    process = start(pod_spec({"image": "own:1"}))
    for now_ms in (0, 10_000):
        assert sight_at(process, exec_probe("/app/check", "--fast"), now_ms).result == "success"
    check = "cannot interpret the check '/app/check --fast': taken to pass once the program is ready"
    assert process.take_problems() == [check]


def test_a_look_at_files_that_are_not_known_does_not_wait_for_the_program() -> None:
    """A volume's `lost+found` is there from the start, though MySQL needs 15 s."""
    mount = {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/mysql"}]}
    spec = pod_spec({"image": "mysql:8", "env": [{"name": "MYSQL_ROOT_PASSWORD", "value": "x"}], **mount})
    process = start(spec)
    assert sight_at(process, exec_probe("ls", "/var/lib/mysql/lost+found"), 5_000).result == "success"
    assert process.take_problems() == [
        "cannot interpret the check 'ls /var/lib/mysql/lost+found': taken to pass"
    ]


def test_a_check_that_nobody_can_interpret_ends_at_once_and_passes() -> None:
    """As the last word of a container's own script it would be its program; a check is none."""
    process = start_script("sleep 600")
    for text in ("/opt/check --deep", "true && /opt/check", "/opt/check | grep -q up", "/opt/list | wc -l"):
        found = sight_at(process, exec_probe("sh", "-c", text), 5_000)
        assert (found.result, found.takes_ms) == ("success", 0), text


def test_a_check_that_does_not_read_what_nobody_knows_has_its_own_verdict() -> None:
    process = start_script("sleep 600")
    for text in ("/opt/check; test -e /ready", "/opt/check && false", "echo down | grep -q up"):
        assert sight_at(process, exec_probe("sh", "-c", text), 5_000).result == "failure", text


def test_missing_command_in_a_known_small_image_fails() -> None:
    process = start_script("sleep 60")
    assert sight_at(process, exec_probe("test", "-f", "/opt/app/none"), 0).result == "failure"
    assert process.take_problems() == []


def test_main_process_sees_what_a_probe_wrote() -> None:
    world = FakeWorld()
    process = start_script("touch /tmp/l; tail -f /tmp/l", world)
    assert process.next_wake_ms() is None
    process.probe("liveness", exec_probe("sh", "-c", "echo checked >> /tmp/l"), 5_000, world)
    assert process.next_wake_ms() == 5_000
    process.run(5_000, world)
    assert process.take_output() == [(5_000, "checked")]


def test_a_check_that_reads_no_file_of_the_kernel_asks_for_none() -> None:
    class Asked(FakeWorld):
        asked = 0

        def __getattribute__(self, name: str):
            if name == "kernel_files":
                Asked.asked += 1
            return super().__getattribute__(name)

    world = Asked(kernel_files={"/sys/fs/cgroup/cpu.max": "max 100000\n"})
    process = start_script("touch /tmp/ready; sleep 600", world)
    for at_ms in range(1_000, 20_000, 1_000):
        assert sight_at(process, exec_probe("test", "-f", "/tmp/ready"), at_ms, world).result == "success"
    # Once, for their names.
    assert Asked.asked == 1
    assert sight_at(process, exec_probe("cat", "/sys/fs/cgroup/cpu.max"), 20_000, world).result == "success"
    assert Asked.asked == 2


def test_a_check_reaches_what_another_container_of_the_pod_serves() -> None:
    asked, server = start_script("sleep 600"), start_script("mkdir /w; httpd -p 8080 -h /w; sleep 600")
    world = FakeWorld()
    run_until(server, world, 5_000)
    alone = asked.probe("readiness", probe("tcp", port=8080), 5_000, world)
    beside = asked.probe("readiness", probe("tcp", port=8080), 5_000, world, [server])
    assert (alone.result, beside.result, beside.until_ms) == ("failure", "success", 5_000)
