"""Flags say what was changed in few words, from what it was before where that is known."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.live.command_words import Memory
from lifecycle.models import Command

WEB = {"kind": "Deployment", "namespace": "shop", "name": "web"}


def manifest(image: str = "nginx:1.27", replicas: int | None = 3, **more: str) -> dict[str, Any]:
    containers = [
        {"name": "app", "image": image},
        *({"name": key, "image": one} for key, one in more.items()),
    ]
    spec: dict[str, Any] = {"template": {"spec": {"containers": containers}}}
    spec |= {} if replicas is None else {"replicas": replicas}
    meta = {"name": "web", "namespace": "shop"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}


def apply(**asked: Any) -> tuple[str, dict[str, Any]]:
    return "apply", {"object": manifest(**asked)}


def image(name: str, container: str = "app") -> tuple[str, dict[str, Any]]:
    return "setImage", {**WEB, "container": container, "image": name}


def scale(replicas: int) -> tuple[str, dict[str, Any]]:
    return "scale", {**WEB, "replicas": replicas}


def patch(patch: Any) -> tuple[str, dict[str, Any]]:
    return "patch", {**WEB, "type": "merge", "patch": patch}


def rollout(action: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "rollout", {**WEB, "action": action, **more}


RESTART = {
    "spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "2026-01-01"}}}}
}


def tell(commands: list[tuple[str, dict[str, Any]]], page: str = "", **settings: Any) -> str:
    """What is said of the last of them."""
    memory = Memory(**settings)
    return [memory.tell(Command(kind=kind, payload=payload), page) for kind, payload in commands][-1]


@pytest.mark.parametrize(
    "commands, expected",
    [
        pytest.param([apply()], "web: apply", id="new"),
        pytest.param([apply(), apply()], "web: apply", id="the same again"),
        pytest.param([apply(), image("nginx:1.28")], "web: image 1.27 → 1.28", id="another tag"),
        pytest.param([apply(), apply(image="nginx:1.28")], "web: image 1.27 → 1.28", id="applied"),
        pytest.param([apply(), image("httpd:2.4")], "web: image nginx:1.27 → httpd:2.4", id="another image"),
        pytest.param(
            [apply(), image("reg.example:5000/a/nginx")],
            "web: image nginx:1.27 → nginx",
            id="a registry's port",
        ),
        pytest.param([image("reg.example/shop/web:2")], "web: image web:2", id="from what, is not known"),
        pytest.param(
            [image(f"web@sha256:{'a' * 64}"), image(f"web@sha256:{'b' * 64}")],
            "web: image aaaaaaaaaaaa → bbbbbbbbbbbb",
            id="digests",
        ),
        pytest.param(
            [apply(side="envoy:1"), image("envoy:2", "side")], "web: image of side 1 → 2", id="one of two"
        ),
        pytest.param([apply(), scale(5)], "web: scale 3 → 5", id="more"),
        pytest.param([apply(), apply(replicas=5)], "web: scale 3 → 5", id="more, applied"),
        pytest.param(
            [apply(), apply(image="nginx:1.28", replicas=5)],
            "web: image 1.27 → 1.28, scale 3 → 5",
            id="both at once",
        ),
        pytest.param([scale(5)], "web: scale to 5", id="from how many, is not known"),
        pytest.param([apply(), patch({"spec": {"replicas": 9}}), scale(5)], "web: scale to 5", id="patched"),
        pytest.param([apply(), rollout("undo"), image("nginx:2")], "web: image nginx:2", id="undone"),
        pytest.param([rollout("undo", toRevision=2)], "web: undo to revision 2", id="undo to"),
        pytest.param([rollout("restart")], "web: restart", id="restart"),
        pytest.param([patch(RESTART)], "web: restart", id="kubectl's restart"),
        pytest.param([rollout("pause")], "web: pause the rollout", id="pause"),
        pytest.param([("delete", WEB)], "web: delete", id="delete"),
        pytest.param([("cordon", {"node": "node-1"})], "node-1: cordon", id="cordon"),
        pytest.param([("drain", {"node": "node-1"})], "node-1: drain", id="drain"),
        pytest.param(
            [("drain", {"node": "node-1", "cancel": True})], "node-1: cancel the drain", id="cancel"
        ),
        pytest.param([("fault", {"node": "node-1", "kind": "crash"})], "node-1: fault crash", id="fault"),
        pytest.param([("apply", {"object": "odd"})], "apply", id="what cannot be read"),
    ],
)
def test_a_command_in_few_words(commands, expected):
    assert tell(commands) == expected


def test_a_page_does_not_name_what_it_is_about():
    assert tell([apply(), scale(5)], page="shop/Deployment/web") == "scale 3 → 5"
    assert tell([apply(), scale(5)], page="other/Deployment/web") == "web: scale 3 → 5"


def test_where_autoscalers_scale_too_nobody_knows_from_how_many():
    assert tell([apply(), scale(5)], with_replicas=False) == "web: scale to 5"
