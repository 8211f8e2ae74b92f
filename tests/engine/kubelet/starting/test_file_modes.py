"""Modes of the files that a kubelet writes into volumes, and what can be run and read by them.

Modes: pkg/volume (MakePayload of configmap, secret, projected; SetVolumeOwnership). What cannot be run:
runc looks for the program before it says that the container is made, and execve comes after.
"""

from typing import Any

import pytest

from tests.engine.kubelet.starting.test_missing_programs import PROBLEM
from tests.engine.kubelet.world import World

SCRIPT = "#!/bin/sh\necho ran\n"
SOURCES = {
    "configMap": {"name": "config"},
    "secret": {"secretName": "config"},
    "projected": {"sources": [{"configMap": {"name": "config"}}]},
}


def run(
    source: str = "configMap", /, text: str = SCRIPT, app: Any = None, pod: Any = None, **fields: Any
) -> World:
    """A pod whose command is `/scripts/run.sh`, where the file is one of an object's."""
    world = World()
    for kind, field in (("ConfigMap", "data"), ("Secret", "stringData")):
        meta = {"name": "config", "namespace": "default"}
        assert world.create({"apiVersion": "v1", "kind": kind, "metadata": meta, field: {"run.sh": text}}).ok
    mounts = [{"name": "scripts", "mountPath": "/scripts"}]
    base = {"name": "app", "image": "busybox:1.36", "command": ["/scripts/run.sh"], "volumeMounts": mounts}
    volumes = [{"name": "scripts", source: {**SOURCES[source], **fields}}]
    answer = world.pod({**base, **(app or {})}, volumes=volumes, restartPolicy="Never", **(pod or {}))
    assert answer.ok, answer.status
    return world.to(30)


def told(world: World, reason: str) -> list[str]:
    return [row["message"] for row in world.rows if row.get("reason") == reason and row["type"] == "event"]


def say(script: str, source: str = "configMap", /, **fields: Any) -> list[str]:
    app = {"command": ["sh", "-c", script], **fields.pop("app", {})}
    world = run(source, app=app, **fields)
    assert world.rows
    return [line for *_, line in world.logs]


def item(mode: int) -> dict[str, Any]:
    return {"items": [{"key": "run.sh", "path": "run.sh", "mode": mode}]}


@pytest.mark.parametrize("source", SOURCES)
def test_a_mounted_script_that_nobody_may_run_is_not_started(source: str) -> None:
    world = run(source)
    ended = world.container()["state"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("StartError", 128)
    assert told(world, "Failed") == [f'{PROBLEM}"/scripts/run.sh": permission denied: unknown']
    assert not world.starts()


@pytest.mark.parametrize("source", SOURCES)
def test_one_that_may_be_run_is(source: str) -> None:
    world = run(source, defaultMode=0o755)
    assert world.ends()[0][1] == 0 and world.logs[-1][-1] == "ran"


@pytest.mark.parametrize(
    ("command", "cause"),
    [
        ("/scripts/other.sh", "stat /scripts/other.sh: no such file or directory"),
        ("/scripts", "permission denied"),
        ("./run.sh", "permission denied"),
    ],
)
def test_why_nothing_is_started_is_told(command: str, cause: str) -> None:
    ended = run(app={"command": [command], "workingDir": "/scripts"}).container()["state"]["terminated"]
    assert ended["message"].endswith(f'exec: "{command}": {cause}: unknown')


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("echo ran\n", "exec format error"),
        ("#!/bin/bash\necho ran\n", "no such file or directory"),
        ("#!/bin/sh\r\necho ran\r\n", "no such file or directory"),
    ],
)
def test_what_the_kernel_does_not_take_ends_as_it_has_started(text: str, problem: str) -> None:
    world = run(text=text, defaultMode=0o755)
    assert world.ends()[0][1] == 255 and world.starts()
    assert world.logs[-1][-1] == f"exec /scripts/run.sh: {problem}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("/scripts/run.sh; echo $?", ["sh: /scripts/run.sh: Permission denied", "126"]),
        ("sh /scripts/run.sh", ["ran"]),
        (". /scripts/run.sh", ["ran"]),
        ("test -x /scripts/run.sh; echo $?", ["1"]),
        ("chmod +x /scripts/run.sh; echo $?", ["chmod: /scripts/run.sh: Read-only file system", "1"]),
        (
            "cp /scripts/run.sh /tmp/a; /tmp/a; chmod u+x /tmp/a; /tmp/a",
            ["sh: /tmp/a: Permission denied", "ran"],
        ),
        ("stat -c '%a %A %s %n' /scripts/run.sh", ["644 -rw-r--r-- 19 /scripts/run.sh"]),
        ("install /scripts/run.sh /tmp/a; /tmp/a", ["ran"]),
        ("echo echo ran > /tmp/a; chmod 755 /tmp/a; /tmp/a", ["ran"]),
        ("nosuch; echo $?", ["sh: nosuch: not found", "127"]),
    ],
)
def test_a_shell_goes_by_the_mode(script: str, expected: list[str]) -> None:
    assert say(script) == expected


ALONE = {"app": {"securityContext": {"runAsUser": 1000}}}
WITH_GROUP = {"pod": {"securityContext": {"runAsUser": 1000, "fsGroup": 2000}}}


@pytest.mark.slow
@pytest.mark.parametrize("source", ["configMap", "secret"])
@pytest.mark.parametrize(
    ("fields", "bits", "is_readable"),
    [
        pytest.param({}, "-rw-r--r--", True, id="0644 unless said otherwise"),
        pytest.param({"defaultMode": 0o400}, "-r--------", True, id="root"),
        pytest.param({"defaultMode": 0o400, **item(0o444)}, "-r--r--r--", True, id="the item first"),
        pytest.param({"defaultMode": 0o400, **ALONE}, "-r--------", False, id="somebody else"),
        pytest.param({"defaultMode": 0o400, **WITH_GROUP}, "-r--r-----", True, id="their group"),
        pytest.param({**item(0o511), **WITH_GROUP}, "-r-xr-x--x", True, id="their group and a program"),
    ],
)
def test_the_mode_says_who_reads(source: str, fields: Any, bits: str, is_readable: bool) -> None:
    file = "/scripts/run.sh"
    script = f"ls -l /scripts | cut -d' ' -f1; test -r {file} && echo r; cat {file} | tail -n1"
    problem = "cat: can't open '/scripts/run.sh': Permission denied"
    last = ["r", "echo ran"] if is_readable else [problem]
    assert say(script, source, **fields) == [bits, *last]


def test_a_check_by_a_file_that_nobody_may_run_cannot_be_made() -> None:
    check = {"exec": {"command": ["/scripts/run.sh"]}, "periodSeconds": 2}
    world = run(app={"command": ["sleep", "60"], "readinessProbe": check})
    found = told(world, "Unhealthy")
    assert found and all("permission denied: unknown" in one and "errored" in one for one in found)


def test_what_a_config_map_holds_in_base64_is_a_file_too_and_no_variable() -> None:
    world = World()
    data = {"data": {"a": "one"}, "binaryData": {"b": "dHdv"}}
    meta = {"name": "config", "namespace": "default"}
    assert world.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, **data}).ok
    app = {"name": "app", "image": "busybox:1.36", "envFrom": [{"configMapRef": {"name": "config"}}]}
    app |= {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    app |= {"command": ["sh", "-c", "cat /v/x; echo [$a$b]"]}
    items = [{"key": "b", "path": "x"}]
    volumes = [{"name": "v", "configMap": {"name": "config", "items": items}}]
    assert world.pod(app, volumes=volumes, restartPolicy="Never").ok
    assert world.to(5).rows and [line for *_, line in world.logs] == ["two[one]"]
