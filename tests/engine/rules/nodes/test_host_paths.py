"""Checks of a hostPath's type (checkTypeInternal), as far as a node's files are known."""

import pytest

from lifecycle.engine.rules.nodes.host_paths import find_host_path_problem, is_assumed
from tests.engine.kubelet.world import World

FAILED = "hostPath type check failed: "


@pytest.mark.parametrize(
    ("path", "kind", "problem"),
    [
        ("/var/log", "Directory", None),
        ("/var/log/", "DirectoryOrCreate", None),
        ("/var/log", "File", "/var/log is not a file"),
        ("/var/log", "FileOrCreate", "/var/log is not a file"),
        ("/etc/hosts", "Directory", "/etc/hosts is not a directory"),
        ("/etc/hosts", "DirectoryOrCreate", "/etc/hosts is not a directory"),
        ("/etc/hosts", "Socket", "/etc/hosts is not a socket file"),
        ("/run/containerd/containerd.sock", "Socket", None),
        ("/var/run/containerd/containerd.sock", "File", "/var/run/containerd/containerd.sock is not a file"),
        ("/var/run/docker.sock", "Socket", "/var/run/docker.sock is not a socket file"),
        ("/var/run/docker.sock", "FileOrCreate", None),
        ("/dev/null", "CharDevice", None),
        ("/dev/null", "BlockDevice", "/dev/null is not a block device"),
        ("/etc", "CharDevice", "/etc is not a character device"),
        ("/var/run/docker.sock", "", None),
        ("/data", "Directory", None),
    ],
)
def test_the_type_must_be_that_of_what_is_there(path: str, kind: str, problem: str | None) -> None:
    found = find_host_path_problem({"path": path, "type": kind})
    assert found == (problem and FAILED + problem)


@pytest.mark.parametrize(
    ("path", "kind", "expected"),
    [("/data", "Directory", True), ("/data", "DirectoryOrCreate", False), ("/etc", "Directory", False),
     ("/data", "", False)],
)  # fmt: skip
def test_what_nobody_knows_of_is_assumed(path: str, kind: str, expected: bool) -> None:
    assert is_assumed({"path": path, "type": kind}) is expected


def test_a_pod_waits_for_a_volume_that_fails_its_check() -> None:
    world = World()
    volume = {"name": "v", "hostPath": {"path": "/var/run/docker.sock", "type": "Socket"}}
    world.pod({"name": "app", "volumeMounts": [{"name": "v", "mountPath": "/s"}]}, volumes=[volume])
    assert (
        world.to(10).starts() == [] and world.container()["state"]["waiting"]["reason"] == "ContainerCreating"
    )
    told = {row["message"] for row in world.rows if row.get("reason") == "FailedMount"}
    problem = FAILED + "/var/run/docker.sock is not a socket file"
    assert told == {f'MountVolume.SetUp failed for volume "v" : {problem}'}
