"""A pod that its kubelet is ending: saved and loaded, it tells what it would have told, and no more."""

import json

import pytest

from lifecycle.engine import Cluster
from tests.engine.controllers.door import Door
from tests.engine.controllers.world import make_deployment

pytestmark = pytest.mark.slow


def story(save_at_ms: int | None) -> list[str]:
    """One of six pods is deleted while its image is pulled, another when it runs."""
    door = Door(timing="realistic")
    door.apply(make_deployment(6))
    rows = []
    for at_ms in range(0, 20_000, 250):
        door.cluster.run_until(at_ms)
        if at_ms in (500, 8_000):
            door.change("delete", door.pods()[0]["metadata"]["name"], "Pod")
        rows += [str(row) for row in door.cluster.take_changes().rows]
        if at_ms == save_at_ms:
            door.cluster = Cluster.load(json.loads(json.dumps(door.cluster.save())))
    return rows


@pytest.mark.parametrize("save_at_ms", [500, 750, 1_000, 8_000, 8_500])
def test_a_pod_that_ends_tells_the_same(save_at_ms: int):
    assert story(save_at_ms) == story(None)
