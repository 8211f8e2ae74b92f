"""What commands make in folders, and where servers listen that mounted files configure.

What ends in `/` names a folder: nothing else is made there, and what cannot be moved stays.
"""

from __future__ import annotations

import pytest

from lifecycle.engine.programs import Mount
from tests.engine.programs.worlds import FakeWorld, make_layer, pod_spec, run_until, start

UNKNOWN = "ghcr.io/acme/a:1"
GONE = "No such file or directory"


def run(image: str, script: str) -> tuple[int, list[str]]:
    """The exit code and what was said."""
    world = FakeWorld()
    process = start(
        pod_spec({"image": image, "command": ["sh", "-c", f"cd /tmp; echo a > f; {script}"]}), world
    )
    run_until(process, world, 60_000)
    assert process.exit is not None
    return process.exit.code, [line for _, line in process.take_output()]


@pytest.mark.parametrize(
    "script, said",
    [
        ("cp f /gone/", f"cp: /gone/f: {GONE}"),
        ("cp -r f /gone/", f"cp: /gone/f: {GONE}"),
        ("mv f /gone/", f"mv: /gone/f: {GONE}"),
        ("install -m 600 f /gone/", f"install: /gone/f: {GONE}"),
        ("cp -t /gone f", f"cp: /gone/f: {GONE}"),
        ("ln f /gone/", f"ln: /gone/f: {GONE}"),
        ("cp f f/", "cp: /tmp/f/f: Not a directory"),
        ("echo b > /gone/", "sh: can't create /gone/: Is a directory"),
        ("echo b >> /gone/", "sh: can't create /gone/: Is a directory"),
        ("echo b > f/", "sh: can't create f/: Not a directory"),
        ("touch /gone/", "touch: /gone/: Is a directory"),
        ("tee /gone/ < /dev/null", "tee: /gone/: Is a directory"),
    ],
)
def test_a_folder_that_is_not_there_takes_nothing(script: str, said: str) -> None:
    assert run("busybox:1.36", script) == (1, [said])


def test_several_files_go_into_a_folder_alone() -> None:
    said = [f"cp: /gone/f: {GONE}", f"cp: /gone/g: {GONE}"]
    assert run("busybox:1.36", "echo b > g; cp f g /gone") == (1, said)


def test_what_cannot_be_moved_stays() -> None:
    assert run("busybox:1.36", "mv f /gone/ 2> /dev/null; cat f") == (0, ["a"])


@pytest.mark.parametrize("image", ["busybox:1.36", UNKNOWN])
@pytest.mark.parametrize(
    "script, said",
    [
        ("mkdir d; touch d/x; cp -r d new/; ls new", ["x"]),
        ("mkdir d; touch d/x; mv d new/; ls new", ["x"]),
        ("mkdir d; cp f d/; ls d", ["f"]),
        ("mkdir d; cp f d/.; ls d", ["f"]),
        ("mkdir d; touch d/; ls d", []),
        ("mkdir new/; ls new", []),
        ("mkdir d; echo b > g; cp f g d; ls d", ["f", "g"]),
        ("mkdir d; ln -s /tmp/f d/; ls d", ["f"]),
    ],
)
def test_a_folder_may_be_named_so(image: str, script: str, said: list[str]) -> None:
    assert run(image, script) == (0, said)


@pytest.mark.parametrize("script", ["cp f /opt/a/", "mv f /opt/a/", "install f /opt/a/", "cp f f /opt/a"])
def test_a_folder_of_an_unknown_image_may_be_there(script: str) -> None:
    assert run(UNKNOWN, f"{script}; ls /opt/a") == (0, ["f"])


@pytest.mark.parametrize(
    "mounted, command, port, is_open",
    [
        pytest.param(True, '"$(command -v sshd)" -D', 2222, True, id="a mounted configuration"),
        pytest.param(False, '"$(command -v sshd)" -D', 2222, False, id="none"),
        pytest.param(True, "sshd -D", 22, True, id="its own port"),
        pytest.param(True, "sshd -D -p 2200", 2222, False, id="a port that its arguments give"),
        pytest.param(True, "sshd -D -p 2200", 2200, True, id="the port of its arguments"),
        pytest.param(True, "nginx -c /conf/nginx.conf", 8080, True, id="another server"),
        pytest.param(False, "nginx", 8080, False, id="another one without"),
    ],
)
def test_a_server_may_listen_where_its_mounted_configuration_says(
    mounted: bool, command: str, port: int, is_open: bool
) -> None:
    volumes = [Mount("/conf", make_layer({"a.conf": "Port 2222"}), group=0)] if mounted else []
    world = FakeWorld(volumes=volumes)
    process = start(pod_spec({"image": UNKNOWN, "command": ["bash", "-c", f"exec {command}"]}), world)
    run_until(process, world, 60_000)
    assert process.listens_on(port, 60_000) is is_open


@pytest.mark.parametrize("path", ["/var/run/secrets/kubernetes.io/serviceaccount", "/var/run/secrets/x"])
def test_a_token_configures_no_server(path: str) -> None:
    world = FakeWorld(volumes=[Mount(path, make_layer({"token": "x"}), group=0)])
    process = start(pod_spec({"image": UNKNOWN, "command": ["nginx"]}), world)
    run_until(process, world, 60_000)
    assert [port for port in (80, 8080) if process.listens_on(port, 60_000)] == [80]


@pytest.mark.parametrize(
    "script, made",
    [
        ("openssl genrsa -out a.key 2048", ["a.key", "f"]),
        ("openssl req -x509 -keyout a.key -out a.crt", ["a.crt", "a.key", "f"]),
        ("acmectl report --output report.txt", ["f", "report.txt"]),
        ("cfssl gen -o /tmp/x", ["f", "x"]),
        ("kubectl get pods -o yaml", ["f"]),
        ("ssh -o StrictHostKeyChecking=no acme", ["f"]),
        ("openssl req -out -", ["f"]),
        ("openssl req -out f", ["f"]),
    ],
)
def test_a_program_writes_the_file_that_it_is_told_to(script: str, made: list[str]) -> None:
    assert run(UNKNOWN, f"{script} > /dev/null; ls; cat f") == (0, [*made, "a"])


@pytest.mark.parametrize(
    "words, folder",
    [
        ("https://github.com/acme/r.git", "r"),
        ("https://github.com/acme/r", "r"),
        ("git@github.com:acme/r.git", "r"),
        ("https://github.com/acme/r.git /tmp/code/r", "code"),
        ("--depth 1 --branch v2 https://github.com/acme/r.git mine", "mine"),
        ("-b v2 --single-branch --depth=1 https://github.com/acme/r.git", "r"),
        ("--bare https://github.com/acme/r.git", "r.git"),
    ],
)
def test_a_clone_leaves_a_folder_of_which_nothing_else_is_known(words: str, folder: str) -> None:
    code, said = run("alpine/git:2", f"git clone {words} && ls -d {folder} && cd {folder} && echo there")
    assert (code, said) == (0, [folder, "there"])
