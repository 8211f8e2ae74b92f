"""Programs that an init container copies out of its image, and servers that are no program of their own."""

from typing import Any

import pytest

from tests.engine.kubelet.world import World

MOUNT = [{"name": "shared", "mountPath": "/shared"}]
VOLUMES = [{"name": "shared", "emptyDir": {}}]


def install(*command: str, **more: Any) -> dict[str, Any]:
    return {
        "name": "copyutil",
        "image": "quay.io/argoproj/argocd:v3",
        "command": list(command),
        "volumeMounts": MOUNT,
        **more,
    }


def run(
    *init: dict[str, Any], command: list[str], image: str = "ghcr.io/dexidp/dex:v2", **spec: Any
) -> World:
    world = World()
    app = {"name": "app", "image": image, "command": command, "volumeMounts": MOUNT}
    assert world.pod(app, init=init, volumes=VOLUMES, **spec).ok
    return world.to(60)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("copies", "command"),
    [
        pytest.param(
            [("/bin/cp", "-n", "/usr/local/bin/argocd", "/shared/argocd-dex")],
            ["/shared/argocd-dex", "rundex"],
            id="cp",
        ),
        pytest.param(
            [("install", "-m", "0755", "/opt/tool", "/shared/tool")], ["/shared/tool"], id="install"
        ),
        pytest.param(
            [("cp", "/opt/tool", "/shared/")], ["sh", "-c", "exec /shared/tool --flag"], id="from a script"
        ),
        pytest.param([("cp", "/opt/run.sh", "/shared/")], ["sh", "/shared/run.sh"], id="given to a shell"),
        pytest.param(
            [("cp", "-r", "/opt/tools", "/shared/")], ["/shared/tools/bin/serve"], id="within a folder"
        ),
        pytest.param(
            [
                ("sh", "-c", "mkdir /shared/a && cp /opt/tool /shared/a/"),
                ("cp", "-r", "/shared/a", "/shared/b"),
            ],
            ["sh", "-c", "[ -f /shared/b/tool ] && [ -x /shared/b/tool ] && /shared/b/tool"],
            id="copied on",
        ),
    ],
)
@pytest.mark.parametrize("image", ["ghcr.io/dexidp/dex:v2", "busybox:1.36"])
def test_a_copied_program_runs_until_it_is_stopped(copies: Any, command: list[str], image: str) -> None:
    init = [install(*copy, name=f"copy-{number}") for number, copy in enumerate(copies)]
    world = run(*init, command=command, image=image)
    assert world.status()["phase"] == "Running" and world.ends("app") == []
    world.delete()
    assert world.to(62).get() is None


def test_what_is_written_over_it_is_run() -> None:
    text = "cp /opt/tool /shared/tool && printf '#!/bin/sh\\nexit 3\\n' > /shared/tool"
    world = run(install("sh", "-c", text), command=["/shared/tool"], restartPolicy="Never")
    assert world.ends()[0][1] == 3


UNSEEN = "cp -R /opt/acme/conf /shared"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            f"{UNSEEN}; echo x > /tmp/own; cp /tmp/own /shared/conf/; test -f /shared/conf/own", id="cp"
        ),
        pytest.param(
            f"{UNSEEN}; echo x > /tmp/own; mv /tmp/own /shared/conf/.; test -f /shared/conf/own", id="mv"
        ),
        pytest.param(f"{UNSEEN}; mkdir -p /shared/conf && touch /shared/conf/own", id="mkdir -p"),
        pytest.param(f"{UNSEEN}; cd /shared/conf && touch own && test -f /shared/conf/own", id="cd"),
        pytest.param(
            f"{UNSEEN}; mkdir -p /shared/conf; echo x > /shared/conf/cert/a.crt", id="a folder within it"
        ),
        pytest.param(
            f"{UNSEEN}; touch /shared/conf/own; {UNSEEN}; touch /shared/conf/b/c", id="copied again"
        ),
        pytest.param(
            "mkdir /tmp/a; touch /tmp/a/f; cp -r /tmp/a/. /shared; test -f /shared/f",
            id="what a folder holds",
        ),
    ],
)
def test_what_is_copied_unseen_is_a_folder_where_it_is_used_as_one(script: str) -> None:
    world = run(install("sh", "-ec", script), command=["/bin/serve"])
    assert world.status()["phase"] == "Running"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("echo x > /shared/own; mkdir -p /shared/own", id="a file is no folder"),
        pytest.param(f"{UNSEEN}; mkdir /shared/conf", id="it is there already"),
        pytest.param("mkdir /shared/own; touch /shared/own/a/b", id="what a folder holds is known"),
    ],
)
def test_what_is_known_stays_known_beside_it(script: str) -> None:
    world = run(install("sh", "-ec", script), command=["/bin/serve"])
    assert world.status()["phase"] == "Pending"


def test_it_survives_a_checkpoint() -> None:
    world = run(install("cp", "/opt/tool", "/shared/tool"), command=["sh", "-c", "sleep 90; /shared/tool"])
    assert world.rows
    world.cluster = type(world.cluster).load(world.cluster.save())
    assert world.to(300).status()["phase"] == "Running"
    assert world.container()["restartCount"] == 0


DAEMON = ["sh", "-c", "echo begin; git daemon --reuseaddr /srv"]


@pytest.mark.parametrize(
    ("ports", "restarts"),
    [
        pytest.param([{"containerPort": 9418}], 0, id="with a port it is a server"),
        pytest.param([], 1, id="without it ends"),
    ],
)
def test_the_last_command_of_a_script_with_a_port_serves(ports: list[Any], restarts: int) -> None:
    world = World()
    probe = {"tcpSocket": {"port": 9418}} if ports else {"exec": {"command": ["true"]}}
    world.pod(
        {"name": "app", "image": "alpine/git", "command": DAEMON, "ports": ports, "readinessProbe": probe}
    )
    assert world.to(9).container()["restartCount"] == restarts
    assert world.container()["ready"] or restarts


def test_a_hook_of_such_a_container_still_ends() -> None:
    hook = {"postStart": {"exec": {"command": ["sh", "-c", "git fetch"]}}}
    world = World()
    ports = [{"containerPort": 9418}]
    world.pod({"name": "app", "image": "alpine/git", "command": DAEMON, "ports": ports, "lifecycle": hook})
    assert world.to(9).container()["ready"]
