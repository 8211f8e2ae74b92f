"""Under `realistic` each factor that real components draw is drawn from its whole range, by key."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.kubelet.world import World

CRASHES = {"app": {"runs": [{"for": "1s", "exit": 1}]}}
GONE = {"kind": "partition", "for": "5m"}


def live(nodes: int = 1, seconds: int = 300, timing: Any = "realistic", names: str = "abcdef") -> World:
    world = World(nodes=nodes, timing=timing)
    for name in names:
        assert world.pod(behavior=CRASHES, meta={"name": name}, nodeName="node-1").ok
    return world.to(seconds)


def list_waits(world: World, name: str, number: int) -> float:
    """From a run's end to the next start, in seconds."""
    return world.starts(name=name)[number + 1] - world.ends(name=name)[number][0]


def test_crashing_pods_do_not_restart_in_step() -> None:
    """pod_workers.go, completeWork: a worker comes back after 1.0 to 1.5 times its wait."""
    world = live()
    fourth = [list_waits(world, name, 3) for name in "abcdef"]
    # The third wait of the back-off is of 40 s, and the kubelet looks for who is due each second.
    assert all(40 <= wait <= 40 * 1.5 + 2 for wait in fourth)
    assert max(fourth) - min(fourth) > 5


def test_a_factor_can_be_pinned() -> None:
    world = live(timing={"preset": "realistic", "worker_return": "250ms"})
    assert all(50 <= list_waits(world, name, 3) <= 52 for name in "abcdef")


def lose(seed_of: str, timing: Any = "realistic") -> list[float]:
    """When three nodes that fall silent at instants of their own are found lost, counted from then."""
    world = World(nodes=3, timing=timing)
    found = []
    for number, seconds in enumerate((20, 23, 27), 1):
        world.to(seconds)
        assert world.submit("fault", node=f"node-{number}", kind=seed_of, **{"for": "5m"}).ok
    world.to(120)
    for number, seconds in enumerate((20, 23, 27), 1):
        found += [at - seconds for at in world.at("condition.Ready", "Unknown", f"node-{number}")]
    return found


@pytest.mark.parametrize("kind", ["partition", "kubeletDown"])
def test_a_silent_node_is_found_lost_at_a_look_of_its_controller(kind: str) -> None:
    """A lease is renewed each 10 s and looked at each 5 s; 50 s without news are one too many."""
    lost = lose(kind)
    assert len(lost) == 3 and all(40 <= seconds <= 55.1 for seconds in lost)
    assert max(lost) - min(lost) > 0.5
    instants = [seconds + begun for seconds, begun in zip(lost, (20, 23, 27), strict=True)]
    # All nodes are looked at in one pass, every 5 s.
    assert all(abs((one - instants[0] + 2.5) % 5 - 2.5) < 0.1 for one in instants)


def test_without_latencies_it_is_lost_after_the_grace_alone() -> None:
    assert lose("partition", "instant") == [50, 50, 50]
