"""Finished pods stay until somebody removes them, or there are too many of them."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from tests.engine.controllers.door import Door

DAY = 86_400


class Kept(Door):
    """Keeps so many finished pods."""

    def make_cluster(self, seed: int, timing: Any) -> Cluster:
        manager = {"terminatedPodGCThreshold": 2}
        return Cluster(seed=seed, settings=Settings(timing=timing, controller_manager=manager))

    def fail(self, name: str) -> None:
        """A pod that fails at once."""
        behavior = {"podline.dev/behavior": "nginx: {runs: [{for: 1s, exit: 1}]}"}
        container = {"name": "nginx", "image": "nginx:1"}
        spec = {"restartPolicy": "Never", "containers": [container]}
        meta = {"name": name, "annotations": behavior}
        self.apply({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})

    def names(self) -> list[str]:
        return [one["metadata"]["name"] for one in self.pods()]


@pytest.mark.spec("PODGC-01", "PODGC-02", "PODGC-08")
def test_failed_pods_stay_readable_until_they_are_deleted_or_too_many():
    world = Kept()
    world.fail("first")
    world.fail("second")
    world.run(3 * DAY)
    assert [(one["metadata"]["name"], one["status"]["phase"]) for one in world.pods()] == [
        ("first", "Failed"),
        ("second", "Failed"),
    ]
    world.fail("third")
    world.run(30)
    assert world.names() == ["second", "third"]
    world.done("delete", kind="Pod", namespace="default", name="third")
    world.run(3 * DAY)
    assert world.names() == ["second"]
