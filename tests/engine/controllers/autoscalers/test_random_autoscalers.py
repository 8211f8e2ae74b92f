"""Whatever is asked of an autoscaler: it keeps its limits and windows, and a rest changes nothing it does."""

from __future__ import annotations

import random
from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.controllers.horizontal_pod_autoscaler import HorizontalPodAutoscalerController
from tests.engine.controllers.autoscaled import Autoscaled, of_cpu
from tests.seeds import first_of

pytestmark = pytest.mark.slow

UNTIL_MS = 1_500_000


def make_rules(chance: random.Random) -> dict[str, Any]:
    rules: dict[str, Any] = {}
    if chance.random() < 0.7:
        rules["stabilizationWindowSeconds"] = chance.choice([0, 15, 60, 200])
    if chance.random() < 0.5:
        policies = [("Pods", chance.randint(1, 4)), ("Percent", chance.choice([10, 50, 100]))]
        chosen = policies[: chance.randint(1, 2)]
        rules["policies"] = [
            {"type": kind, "value": value, "periodSeconds": chance.choice([15, 45, 120])}
            for kind, value in chosen
        ]
        rules["selectPolicy"] = chance.choice(["Max", "Min", "Max", "Disabled"])
    return rules


class Story:
    """One Deployment with a load, and what is done to it while its autoscaler follows."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.world = world = Autoscaled(
            seed, chance.choice(["instant", "realistic"]), horizontalPodAutoscalerSyncPeriod="15s"
        )
        self.least = chance.randint(1, 4)
        self.most = self.least + chance.randint(0, 8)
        self.behavior: dict[str, Any] | None = None
        if chance.random() < 0.6:
            self.behavior = {"scaleUp": make_rules(chance), "scaleDown": make_rules(chance)}
        points = sorted(chance.randint(0, 1200) for _ in range(chance.randint(1, 6)))
        world.load(*((at, f"{chance.choice([0, 40, 120, 300, 700])}m") for at in points))
        requests = {"cpu": "100m"} if chance.random() < 0.9 else {"memory": "8Mi"}
        world.workload(replicas=chance.randint(1, 12), requests=requests)
        spec = {"behavior": self.behavior} if self.behavior is not None else {}
        self.percent = chance.choice([30, 50, 80])
        world.autoscale(least=self.least, most=self.most, metrics=[of_cpu(self.percent)], **spec)

    def live(self, deeds: bool = True) -> list[dict[str, Any]]:
        world = self.world
        while world.cluster.now_ms < UNTIL_MS:
            world.cluster.run_until(min(world.cluster.now_ms + self.chance.randint(1_000, 300_000), UNTIL_MS))
            deed = self.chance.choice(["delete", "image", "reload", "nothing", "resize"])
            if deed == "delete" and deeds:
                pods = [one for one in world.pods() if "deletionTimestamp" not in one["metadata"]]
                if pods:
                    name = self.chance.choice(pods)["metadata"]["name"]
                    world.done("delete", kind="Pod", namespace="default", name=name)
            elif deed == "image" and deeds:
                world.set_image(f"nginx:{self.chance.randint(2, 5)}")
            elif deed == "resize" and deeds:
                world.change("scale", replicas=self.chance.randint(1, 12))
            elif deed == "reload":
                assert world.rows
                world.cluster = Cluster.load(world.cluster.save())
        world.cluster.close_series()
        return world.rows


@pytest.mark.parametrize("seed", first_of(range(12)))
def test_it_keeps_its_limits(seed: int):
    story = Story(seed)
    rows = story.live()
    sizes = [
        int(row["message"].split(";")[0].removeprefix("(combined from similar events): New size: "))
        if row["message"].startswith("(")
        else int(row["message"].split(";")[0].removeprefix("New size: "))
        for row in rows
        if row["type"] == "event" and row["reason"] == "SuccessfulRescale"
    ]
    assert all(story.least <= size <= story.most for size in sizes), sizes


@pytest.mark.spec("HPA-06")
@pytest.mark.parametrize("seed", first_of(range(12)))
def test_it_does_not_flap_within_its_window(seed: int):
    # A size that its metrics asked for is not given up before the window is over.
    story = Story(seed)
    rows = story.live(deeds=False)
    down = ((story.behavior or {}).get("scaleDown") or {}).get("stabilizationWindowSeconds", 300)
    lane = [
        (row["at_ms"], row["old"], row["new"])
        for row in rows
        if row["type"] == "transition"
        and (row["kind"], row["field"]) == ("HorizontalPodAutoscaler", "desiredReplicas")
    ]
    ups = [(at_ms, new) for at_ms, old, new in lane if new > old and old]
    for at_ms, size in ups:
        drops = [then for then, old, new in lane if then > at_ms and new < size]
        assert not drops or drops[0] >= at_ms + down * 1000, (at_ms, size, lane)


def told(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was recorded, without what led to it."""
    return [{key: value for key, value in row.items() if key not in ("cause",)} for row in rows]


@pytest.mark.parametrize("seed", first_of(range(12)))
def test_a_rest_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch):
    resting = told(Story(seed).live())
    look = HorizontalPodAutoscalerController._look

    def look_always(self: Any, autoscaler: Any) -> tuple[bool, None]:
        look(self, autoscaler)
        return True, None

    monkeypatch.setattr(HorizontalPodAutoscalerController, "_look", look_always)
    assert told(Story(seed).live()) == resting
