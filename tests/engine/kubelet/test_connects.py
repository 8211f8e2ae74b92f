"""Connections from outside to a port of a pod: what listens answers, and anything else is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.kubelet.world import World

SERVES = "mkdir -p /www; echo hello > /www/index.html; echo more > /www/more.txt; httpd -f -p 8080 -h /www"
WEB = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", SERVES]}
NGINX = {"name": "app", "image": "nginx:1.27"}
SICK = {"app": {"runs": [{"forever": True}], "listens": {"after": "1h"}}}


def connect(world: World, port: int, path: str = "/") -> tuple[bool, int, str | None]:
    result = world.submit("connect", pod="web", port=port, path=path)
    assert result.code == 200 and result.object is not None, result.status
    return result.object["isConnected"], result.object["status"], result.object["text"]


@pytest.mark.parametrize(
    "container, behavior, port, path, expected",
    [
        (WEB, None, 8080, "/", (True, 200, "hello\n")),
        (WEB, None, 8080, "/more.txt?x=1", (True, 200, "more\n")),
        (WEB, None, 8080, "/none", (True, 404, "")),
        (WEB, None, 8081, "/", (False, 200, None)),
        (NGINX, None, 80, "/", (True, 200, None)),
        (NGINX, None, 80, "/none", (True, 404, None)),
        (NGINX, None, 81, "/", (False, 200, None)),
        (NGINX, SICK, 80, "/", (False, 200, None)),
    ],
)
def test_a_port_answers_as_a_check_sees_it(container, behavior, port, path, expected):
    world = World()
    world.pod(container, behavior=behavior)
    world.cluster.run_until(20_000)
    assert connect(world, port, path) == expected


def test_the_containers_of_a_pod_share_their_ports():
    world = World()
    world.pod(NGINX, WEB | {"name": "other"})
    world.cluster.run_until(20_000)
    assert connect(world, 80)[:2] == (True, 200) and connect(world, 8080)[2] == "hello\n"


@pytest.mark.parametrize(
    "payload, code, words",
    [
        ({"pod": "none", "port": 80}, 404, 'pods "none" not found'),
        ({"pod": "web", "port": 0}, 400, "connect.port 0: use a port such as 80"),
        ({"pod": "web", "port": "http"}, 400, "use a port such as 80"),
        ({"pod": "web"}, 400, "port"),
    ],
)
def test_what_cannot_be_asked_is_said(payload: dict[str, Any], code: int, words: str):
    world = World()
    world.pod(NGINX)
    world.cluster.run_until(5_000)
    result = world.submit("connect", **payload)
    assert result.code == code and result.status is not None and words in result.status["message"]
