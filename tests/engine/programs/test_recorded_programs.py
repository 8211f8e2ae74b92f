"""What programs of a real busybox did in a real cluster (recordings of v1.35.6), as rules."""

import pytest

from tests.engine.kubelet.world import World
from tests.engine.programs.worlds import FakeWorld, Limits, probe, run_script, run_until, start_script

SERVER = "mkdir /www; echo ok > /www/live; (sleep 6; echo ok > /www/ready) & exec httpd -f -p 8080 -h /www"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("nosuch; echo $?", "127", id="no program of busybox"),
        pytest.param("/no/such; echo $?", "127", id="no path of it"),
        pytest.param("curl -s localhost; echo $?", "127", id="a program of other images"),
        pytest.param("echo $(nosuch)done", "done", id="substituted"),
        pytest.param("command -v curl || echo none", "none", id="looked for"),
        pytest.param("ls / >/dev/null; echo $?", "0", id="one of busybox"),
        pytest.param("tar xf /x.tar; ./x/run; echo $?", "0", id="unpacked since"),
        pytest.param("echo : > /usr/bin/nosuch; nosuch; echo $?", "0", id="put there since"),
    ],
)
def test_a_script_does_not_find_what_the_image_lacks(command: str, expected: str) -> None:
    world = World()
    image = "busybox:1.36"
    world.pod({"name": "app", "image": image, "command": ["sh", "-c", command]}, restartPolicy="Never")
    assert world.to(60).rows
    assert [line for *_, line in world.logs if not line.endswith("not found")][-1:] == [expected]
    assert world.ends()[0][1] == 0


@pytest.mark.parametrize(
    ("text", "ends_ms"),
    [
        pytest.param("sleep 4; x=aaaaaaaa; while :; do x=$x$x; done", 4000, id="doubled"),
        pytest.param('sleep 4; x=a; while :; do x="$x$x$x"; done', 4000, id="trebled"),
    ],
)
def test_a_variable_that_outgrows_the_limit_ends_its_container(text: str, ends_ms: int) -> None:
    world = FakeWorld(limits=Limits(None, 32 << 20))
    process = start_script(text, world)
    run_until(process, world, 60_000)
    assert process.exit is not None
    assert (process.exit.at_ms, process.exit.code, process.exit.reason) == (ends_ms, 137, "OOMKilled")


@pytest.mark.slow
def test_without_a_limit_it_goes_on_growing() -> None:
    process, _ = run_script("x=aaaaaaaa; while :; do x=$x$x; done", until_ms=5_000)
    assert process.exit is None and process.usage(5_000)[1] > 1 << 30


@pytest.mark.parametrize(
    ("path", "at_ms", "message"),
    [
        pytest.param("/live", 0, "", id="a file, at once"),
        pytest.param("/ready", 0, "HTTP probe failed with statuscode: 404", id="no file yet"),
        pytest.param("/ready?now", 6_000, "", id="written since"),
        pytest.param("/", 0, "HTTP probe failed with statuscode: 404", id="a folder without an index"),
        pytest.param("/../etc/passwd", 0, "HTTP probe failed with statuscode: 404", id="outside"),
    ],
)
def test_httpd_answers_by_the_files_of_its_folder(path: str, at_ms: int, message: str) -> None:
    world = FakeWorld()
    process = start_script(SERVER, world)
    run_until(process, world, at_ms)
    assert process.probe("readiness", probe("http", path=path, port=8080), at_ms, world).message == message


def test_nobody_listens_before_httpd_runs_nor_on_other_ports() -> None:
    world = FakeWorld()
    process = start_script("sleep 3; " + SERVER, world)
    refused = 'Get "http://10.1.0.1:8080/live": dial tcp 10.1.0.1:8080: connect: connection refused'
    assert process.probe("readiness", probe("http", path="/live", port=8080), 0, world).message == refused
    run_until(process, world, 3_000)
    assert process.probe("readiness", probe("http", path="/live", port=8080), 3_000, world).message == ""
    assert "refused" in process.probe("readiness", probe("tcp", port=80), 3_000, world).message


def test_httpd_goes_on_in_the_background_unless_told_otherwise() -> None:
    text = "mkdir /w; echo hi > /w/a; httpd -p 81 -h /w; wget -qO- localhost:81/a; wget -q localhost:81/b"
    assert run_script(f"{text}; echo $?")[1] == [
        "hi",
        "wget: server returned error: HTTP/1.1 404 Not Found",
        "1",
    ]
    assert run_script("httpd -f -h /no; echo $?")[1][-1] == "1"


@pytest.mark.parametrize(
    ("command", "status"),
    [
        pytest.param("echo x > /tmp/x", 1, id="a file of the root"),
        pytest.param("touch /etc/passwd", 1, id="a file of the image"),
        pytest.param("mkdir /a", 1, id="a folder"),
        pytest.param("rm -r /tmp", 1, id="removed"),
        pytest.param("mkdir -p /tmp", 0, id="there already"),
        pytest.param("echo x > /d/x && cat /d/x", 0, id="a volume's"),
        pytest.param("echo x > /dev/termination-log", 0, id="the message"),
        pytest.param("echo x > /dev/null", 0, id="a device"),
    ],
)
def test_a_read_only_root_refuses_what_is_not_mounted(command: str, status: int) -> None:
    world = World()
    app = {
        "name": "app",
        "image": "busybox:1.36",
        "command": ["sh", "-c", command],
        "securityContext": {"readOnlyRootFilesystem": True},
        "volumeMounts": [{"name": "d", "mountPath": "/d"}],
    }
    world.pod(app, volumes=[{"name": "d", "emptyDir": {}}], restartPolicy="Never")
    assert world.to(5).ends()[0][1] == status
    told = [line for *_, line in world.logs if line.endswith("Read-only file system")]
    assert len(told) == status
