"""Images that nobody knows are a condition of every good word, and typing errors are asked about."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.programs.images.doubts import find_meant, list_doubts, tell_condition


@pytest.mark.parametrize(
    ("image", "meant"),
    [
        ("ngnix:1.27", "nginx:1.27"),
        ("library/ngnix:1.27", "nginx:1.27"),
        ("docker.io/library/nignx", "nginx"),
        ("nginxx:1.27-alpine", "nginx:1.27-alpine"),
        ("postgress:16", "postgres:16"),
        ("mongodb:7", "mongo:7"),
        ("bussybox:1.36", "busybox:1.36"),
        ("pyhton:3.13", "python:3.13"),
        ("ngnix:1.27@sha256:" + "0" * 64, "nginx:1.27"),
        ("grafana/grafna:11", "grafana/grafana:11"),
    ],
)
def test_a_name_that_is_nearly_a_known_one_is_asked_about(image: str, meant: str) -> None:
    assert find_meant(image) == meant


@pytest.mark.parametrize(
    "image",
    [
        "nginx:1.27",
        "docker.io/library/redis",
        # Words of their own, however near.
        *"web app api worker server base mode code cache jobs shop/api:2 shop/ngnix:1".split(),
        # What another registry has is not known.
        "registry.example.com/ngnix:1",
        "quay.io/library/ngnix",
    ],
)
def test_a_name_of_its_own_is_not(image: str) -> None:
    assert find_meant(image) == ""


def make_pod(image: str, name: str = "app", **metadata: Any) -> dict[str, Any]:
    return {"metadata": metadata, "spec": {"containers": [{"name": name, "image": image}]}}


def make_profile(image: str) -> dict[str, Any]:
    spec = {"match": {"image": image}, "behavior": {"runs": [{"forever": True}]}}
    return {"apiVersion": "podline.dev/v1alpha1", "kind": "ContainerProfile", "metadata": {"name": "p"}} | {
        "spec": spec
    }


@pytest.mark.parametrize(
    ("pod", "profiles", "expected"),
    [
        pytest.param(make_pod("ngnix:1"), [], ["ngnix:1"], id="nobody knows it"),
        pytest.param(make_pod("nginx:1"), [], [], id="well known"),
        pytest.param(make_pod("shop/api:1"), [make_profile("shop/*")], [], id="a profile says how it is"),
        pytest.param(
            make_pod("shop/api:1", annotations={"podline.dev/behavior": "app: {runs: [{forever: true}]}"}),
            [],
            [],
            id="the pod says how it is",
        ),
        pytest.param(
            make_pod("shop/api:1", annotations={"podline.dev/behavior": "other: {runs: [{forever: true}]}"}),
            [],
            ["shop/api:1"],
            id="it says that of another container",
        ),
        pytest.param(
            {
                "spec": {
                    "containers": [
                        {"name": "a", "image": "ngnix", "command": ["sh", "-c", "sleep 1d"]},
                        {"name": "b", "image": "ngnix"},
                    ],
                    "initContainers": [{"name": "i", "image": "acme/init:2"}],
                }
            },
            [],
            ["acme/init:2", "ngnix"],
            id="a script says nothing of the pull, init containers count, each once",
        ),
    ],
)
def test_what_nobody_knows_or_says_is_a_doubt(pod: Any, profiles: Any, expected: list[str]) -> None:
    assert list_doubts([pod], profiles) == expected


@pytest.mark.parametrize(
    ("images", "told"),
    [
        ([], ""),
        (["shop/api:1"], "if shop/api:1 can be pulled and starts"),
        (["ngnix:1.27"], "if ngnix:1.27 can be pulled and starts (did you mean nginx:1.27?)"),
        (["a/b:1", "ngnix"], "if ngnix and a/b:1 can be pulled and start (did you mean nginx?)"),
        (["a/b:1", "c/d:1", "e/f:1"], "if a/b:1, c/d:1 and 1 more image can be pulled and start"),
        (
            ["a/b:1", "c/d:1", "e/f:1", "reddis:7"],
            "if reddis:7, a/b:1 and 2 more images can be pulled and start (did you mean redis:7?)",
        ),
    ],
)
def test_the_condition_names_the_likely_errors_first(images: list[str], told: str) -> None:
    assert tell_condition(images) == told
