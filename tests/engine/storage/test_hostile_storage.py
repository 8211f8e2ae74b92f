"""Claims and volumes with wrong values at random places: each is answered, and no cluster dies of any."""

import random

import pytest

from tests.engine.storage.world import CLAIM, VOLUME, World

pytestmark = pytest.mark.slow

ODD = [
    None, {}, [], "", "x" * 300, 5, -1, True, {"a": None}, [1], {"storage": "1e400"}, {"storage": -5},
    "\ud800", {"name": "data"}, {"name": "data", "namespace": "default", "uid": "z"}, {"name": 5},
]  # fmt: skip
SPECS = {
    VOLUME: "claimRef capacity accessModes nodeAffinity storageClassName volumeMode hostPath csi".split(),
    CLAIM: "accessModes resources selector storageClassName volumeName volumeMode".split(),
}
STATUS = ["phase", "capacity", "accessModes", "conditions"]


@pytest.mark.parametrize("seed", range(12))
def test_odd_values_are_answered(seed):
    draw, world = random.Random(seed), World()
    world.storage_class(volumeBindingMode=draw.choice(["Immediate", "WaitForFirstConsumer"]))
    world.volume("v")
    world.claim()
    world.claim("made", storageClassName="fast")
    world.pod("user", "data", "made")
    for _ in range(25):
        kind = draw.choice([VOLUME, CLAIM])
        name = "v" if kind == VOLUME else draw.choice(["data", "made"])
        part = draw.choice(["spec", "status", "metadata"])
        field = draw.choice({"spec": SPECS[kind], "status": STATUS}.get(part, ["annotations", "labels"]))
        more = {"subresource": "status"} if part == "status" else {}
        answer = world.patch(kind, name, {part: {field: draw.choice(ODD)}}, **more)
        assert answer.ok or answer.status["message"]
        if draw.random() < 0.1:
            world.delete(kind, name)
        if draw.random() < 0.1:
            world.saved()
    world.run(700)
