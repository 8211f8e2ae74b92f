"""Variables that are read from a file of a volume (`fileKeyRef`, on by default in v1.35)."""

from typing import Any

import pytest

from lifecycle.engine.programs.env_files import BadEnvFile, find_value
from tests.engine.kubelet.world import World


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A='1'\n", "1"),
        ("# A='0'\n\n  A='1' # one\nA='2'", "1"),
        ("B='x'\nA='two\nlines'", "two\nlines"),
        ("A= '1'", ""),
        ("B='1'", ""),
        ("", ""),
        ("A='1'\nwhat follows is not read", "1"),
        ("A=1", None),
        ("B=1\nA='1'", None),
        ("A ='1'", None),
        ("='1'", None),
        ("A", None),
        ("A='1' 2", None),
        ("A='1", None),
    ],
)
def test_a_file_is_read_as_the_kubelet_reads_it(text: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(BadEnvFile):
            find_value(text, "A")
    else:
        assert find_value(text, "A") == expected


def run(write: str, **reference: Any) -> World:
    """An init container writes `/data/env`; the app says what it has read of it."""
    world = World()
    shell = {"image": "busybox:1.36"}
    init = {**shell, "name": "write", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    source = {"fileKeyRef": {"volumeName": "data", "path": "env", "key": "A", **reference}}
    app = {**shell, "name": "app", "env": [{"name": "GIVEN", "valueFrom": source}]}
    answer = world.pod(
        {**app, "command": ["sh", "-c", "echo [$GIVEN]"]},
        init=({**init, "command": ["sh", "-c", write]},),
        volumes=[{"name": "data", "emptyDir": {}}],
        restartPolicy="Never",
    )
    assert answer.ok, answer.status
    return world.to(30)


@pytest.mark.parametrize(
    ("write", "optional", "said"),
    [("echo \"A='one'\" > /data/env", False, "[one]"), ("echo \"B='one'\" > /data/env", True, "[]")],
)
def test_what_an_init_container_has_written_is_given(write: str, optional: bool, said: str) -> None:
    world = run(write, optional=optional)
    assert world.rows and world.logs[-1][-1] == said


@pytest.mark.parametrize(
    ("write", "optional", "message"),
    [
        ("true", False, "couldn't parse env file"),
        ("true", True, "couldn't parse env file"),
        ("echo A=1 > /data/env", False, "couldn't parse env file"),
        (
            "echo > /data/env",
            False,
            'environment variable key "A" not found in file'
            ' "/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~empty-dir/data/env"',
        ),
    ],
)
def test_without_it_the_container_is_not_made(write: str, optional: bool, message: str) -> None:
    world = run(write, optional=optional)
    found = world.get()
    assert found is not None
    waiting = world.container()["state"]["waiting"]
    expected = message.replace("{uid}", found["metadata"]["uid"])
    assert (waiting["reason"], waiting["message"]) == ("CreateContainerConfigError", expected)
