"""Termination messages: the file, or the end of the log (getTerminationMessage, normalizeStatus)."""

from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.starting.test_sources import config
from tests.engine.kubelet.world import World

FILE = "/dev/termination-log"
LOG = {"terminationMessagePolicy": "FallbackToLogsOnError"}
MANY = "i=0; while [ $i -lt {count} ]; do echo 0123456789; i=$((i+1)); done"


def ended(script: str, *others: str, is_saved: bool = False, pod: Any = None, **fields: Any) -> str | None:
    """The message of a container that has run a script."""
    world = World()
    app = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", script], **fields}
    answer = world.pod(app, *others, restartPolicy="Never", **(pod or {}))
    assert answer.ok, answer.status
    if is_saved:
        assert world.to(2).rows
        world.cluster = Cluster.load(world.cluster.save())
    message: str | None = world.to(30).container()["state"]["terminated"].get("message")
    return message


@pytest.mark.parametrize(
    ("script", "fields", "expected"),
    [
        (f"echo why > {FILE}; exit 1", {}, "why\n"),
        (f"printf fine > {FILE}", {}, "fine"),
        ("echo logged; exit 1", {}, None),
        ("printf x > /tmp/why; exit 1", {"terminationMessagePath": "/tmp/why"}, "x"),
        ("echo one; echo two; exit 1", LOG, "one\ntwo\n"),
        ("echo one", LOG, None),
        (f"echo logged; echo written > {FILE}; exit 1", LOG, "written\n"),
        (f"echo logged; : > {FILE}; exit 1", LOG, "logged\n"),
    ],
)
def test_a_message_comes_from_its_file_or_the_log(script: str, fields: Any, expected: str | None) -> None:
    assert ended(script, **fields) == expected


def test_of_a_file_the_last_4096_bytes_are_told() -> None:
    message = ended(f"{MANY.format(count=500)} > {FILE}")
    assert message is not None and len(message) == 4096 and message.endswith("9\n0123456789\n")


@pytest.mark.parametrize(("line", "expected"), [("0123456789", 880), ("0123456789" * 10, 2048)])
def test_of_a_log_80_lines_and_2048_bytes_at_most(line: str, expected: int) -> None:
    message = ended(f"{MANY.format(count=200).replace('0123456789', line)}; exit 1", **LOG)
    assert message is not None and len(message) == expected


def test_a_pod_has_12288_bytes_for_all_of_its_containers() -> None:
    message = ended(f"{MANY.format(count=500)} > {FILE}", "b", "c", "d", "e", "f")
    assert message is not None and len(message) == 2048


def test_a_message_of_an_earlier_run_in_a_volume_is_not_told_again() -> None:
    script = "sleep 1; test -e /v/once && exit 1; touch /v/once; echo first > /v/why; sleep 1; exit 1"
    world = World()
    mounts = [{"name": "v", "mountPath": "/v"}]
    app = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", script], "volumeMounts": mounts}
    assert world.pod({**app, "terminationMessagePath": "/v/why"}, volumes=[{"name": "v", "emptyDir": {}}]).ok
    assert world.to(5).container()["lastState"]["terminated"]["message"] == "first\n"
    assert "message" not in world.to(15).container()["lastState"]["terminated"]


def test_the_end_of_a_log_survives_a_checkpoint() -> None:
    assert ended("echo one; sleep 5; echo two; exit 1", is_saved=True, **LOG) == "one\ntwo\n"


def test_what_is_mounted_by_its_sub_path_stays_as_it_was() -> None:
    world = World()
    config(world, data={"a": "one"})
    mounts = [
        {"name": "c", "mountPath": "/etc/a", "subPath": "a"},
        {"name": "c", "mountPath": "/etc/b", "subPath": "missing"},
        {"name": "c", "mountPath": "/c"},
    ]
    script = "sleep 10; cat /etc/a /c/a; echo; ls /c; test -d /etc/b && echo folder; test $(cat /etc/a) = two"
    app = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", script], "volumeMounts": mounts}
    volumes = [{"name": "c", "configMap": {"name": "config"}}]
    assert world.pod(app, volumes=volumes, restartPolicy="OnFailure").ok
    config(world.to(2), data={"a": "two"})
    world.to(60)
    assert world.rows
    lines = [line for *_, line in world.logs]
    assert lines == ["onetwo", "a", "missing", "folder", "twotwo", "a", "missing", "folder"]
