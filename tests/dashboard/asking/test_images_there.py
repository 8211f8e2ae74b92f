"""A preview says when an image that cannot be pulled is on the nodes already."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.asking.image_behaviors import make_profile
from dashboard.asking.images_there import tell_having, tell_images_there
from lifecycle.engine import Cluster, Command, Settings

IMAGE = "ghcr.io/acme/web:1"
WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}


def make_engine(replicas: int, nodes: int = 3, policy: str = "IfNotPresent") -> Cluster:
    """A cluster with replicas of `web`, each on a node of its own."""
    engine = Cluster(settings=Settings(timing="instant", nodes={"count": nodes}))
    container = {"name": "app", "image": IMAGE, "imagePullPolicy": policy}
    spec = {"containers": [container], "topologySpreadConstraints": [spread()]}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": spec}
    told = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": told}
    assert engine.submit(Command(id="1", kind="apply", payload={"object": manifest})).ok
    engine.run_until(5_000)
    return engine


def spread() -> dict[str, Any]:
    return {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }


def change(image: str, behavior: str) -> list[tuple[str, dict[str, Any]]]:
    profile = make_profile(image, behavior)
    return [("apply", {"object": profile}), ("setImage", {**WEB, "container": "app", "image": image})]


@pytest.mark.parametrize(
    "replicas, nodes, policy, behavior, expected",
    [
        pytest.param(
            3,
            3,
            "IfNotPresent",
            "cannot-be-pulled",
            [f"All 3 nodes have {IMAGE} already: nothing is pulled."],
            id="on all",
        ),
        pytest.param(
            2,
            3,
            "IfNotPresent",
            "cannot-be-pulled",
            [f"2 of 3 nodes have {IMAGE} already: nothing is pulled there."],
            id="on some",
        ),
        pytest.param(0, 3, "IfNotPresent", "cannot-be-pulled", [], id="on none"),
        pytest.param(3, 3, "Always", "cannot-be-pulled", [], id="asked for all the same"),
        pytest.param(3, 3, "IfNotPresent", "crashes", [], id="pulls do not fail"),
    ],
)
def test_an_image_that_is_there_is_told_of(replicas, nodes, policy, behavior, expected):
    assert tell_images_there(make_engine(replicas, nodes, policy), change(IMAGE, behavior)) == expected


def test_an_applied_workload_is_told_of_as_well():
    engine = make_engine(3)
    manifest = engine.get("Deployment", "default", "web")
    commands = [("apply", {"object": one}) for one in (make_profile(IMAGE, "cannot-be-pulled"), manifest)]
    assert tell_images_there(engine, commands) == [f"All 3 nodes have {IMAGE} already: nothing is pulled."]


def test_what_only_speaks_of_the_pull_tells_nothing():
    assert tell_images_there(make_engine(3), change(IMAGE, "cannot-be-pulled")[:1]) == []


@pytest.mark.parametrize(
    "having, nodes, expected",
    [
        (1, 1, "The only node has web:1 already: nothing is pulled."),
        (2, 2, "All 2 nodes have web:1 already: nothing is pulled."),
        (1, 3, "1 of 3 nodes has web:1 already: nothing is pulled there."),
    ],
)
def test_nodes_are_counted_in_words(having, nodes, expected):
    assert tell_having("web:1", having, nodes) == expected
