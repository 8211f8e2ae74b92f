"""Local storage with limits: what pods write is weighed at each look of the kubelet for pods to evict."""

import json
import re
from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.starting.test_sources import shell, told
from tests.engine.kubelet.world import World

CACHE = {"volumeMounts": [{"name": "cache", "mountPath": "/cache"}]}
LIMITED = [{"name": "cache", "emptyDir": {"sizeLimit": "5Mi"}}]
SIX = "mkdir -p /cache; dd if=/dev/zero of=/cache/f bs=1M count=6"
BEYOND = 'Usage of EmptyDir volume "cache" exceeds the limit "5Mi". '


def storage(limit: str) -> dict[str, Any]:
    return {"resources": {"limits": {"ephemeral-storage": limit}}}


def evicted(world: World) -> list[tuple[float, str]]:
    rows = [row for row in world.rows if row["type"] == "event" and row["reason"] == "Evicted"]
    return [(row["at_ms"] / 1000, row["message"]) for row in rows]


def test_an_empty_dir_beyond_its_limit_costs_the_pod() -> None:
    """Recorded with v1.35.6 (emptydir-limit-evicts): a grace of one second, and no DisruptionTarget."""
    world = World()
    app = shell("sleep 5; dd if=/dev/zero of=/cache/f bs=1M count=20 2>/dev/null; sleep 3600", **CACHE)
    assert world.pod(app, volumes=LIMITED).ok
    world.to(30)
    assert evicted(world) == [(10, BEYOND)]
    status = world.status()
    assert (status["phase"], status["reason"], status["message"]) == ("Failed", "Evicted", BEYOND)
    assert world.ends() == [(12, 137)]
    assert "DisruptionTarget" not in [one["type"] for one in status["conditions"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "script, is_beyond",
    [
        pytest.param("dd if=/dev/zero of=/cache/f bs=1M count=5", False, id="as much as there may be"),
        pytest.param("dd if=/dev/zero of=/cache/f bs=1k count=5121", True, id="a block more"),
        pytest.param("head -c 6M /dev/urandom > /cache/f", True, id="head"),
        pytest.param("dd if=/dev/zero of=/cache/f bs=1M count=6", True, id="dd"),
        pytest.param(
            "dd if=/dev/zero of=/cache/a bs=1M count=3; dd if=/dev/zero of=/cache/b bs=1M count=3",
            True,
            id="two files",
        ),
        pytest.param(
            "dd if=/dev/zero of=/cache/f bs=1M count=6; sleep 1; rm /cache/f", False, id="removed in time"
        ),
        pytest.param("dd if=/dev/zero of=/tmp/f bs=1M count=6", False, id="elsewhere"),
    ],
)
def test_what_counts_is_what_is_there_at_the_look(script: str, is_beyond: bool) -> None:
    world = World()
    assert world.pod(shell(f"sleep 5; {script}; sleep 3600", **CACHE), volumes=LIMITED).ok
    assert evicted(world.to(40)) == ([(10, BEYOND)] if is_beyond else [])


@pytest.mark.parametrize(
    "app, side, volumes, message",
    [
        pytest.param(
            shell("dd if=/dev/zero of=/tmp/f bs=1M count=6; sleep 3600", **storage("5Mi")),
            shell("sleep 3600", name="side", **storage("5Mi")),
            [],
            'Container app exceeded its local ephemeral storage limit "5Mi". ',
            id="a container",
        ),
        pytest.param(
            shell("dd if=/dev/zero of=/cache/f bs=1M count=6; sleep 3600", **storage("5M"), **CACHE),
            shell("sleep 3600", name="side"),
            [{"name": "cache", "emptyDir": {}}],
            "Pod ephemeral local storage usage exceeds the total limit of containers 5M. ",
            id="the pod with its volumes",
        ),
        pytest.param(
            shell("dd if=/dev/zero of=/cache/f bs=1M count=6; sleep 3600", **storage("5M"), **CACHE),
            shell("sleep 3600", name="side", **storage("2M")),
            [{"name": "cache", "emptyDir": {}}],
            None,
            id="within what both may have",
        ),
        pytest.param(
            shell("dd if=/dev/zero of=/cache/f bs=1M count=6; sleep 3600", **storage("5M"), **CACHE),
            shell("sleep 3600", name="side"),
            [{"name": "cache", "emptyDir": {"medium": "Memory"}}],
            None,
            id="memory is no disk",
        ),
    ],
)
def test_limits_of_containers(app: Any, side: Any, volumes: list[Any], message: str | None) -> None:
    world = World()
    assert world.pod(app, side, volumes=volumes).ok
    assert [text for _, text in evicted(world.to(40))] == ([] if message is None else [message])


@pytest.mark.parametrize(
    "script, limits, volumes, expected",
    [
        pytest.param(f"sleep 5; {SIX}", CACHE, LIMITED, [30], id="for the first time"),
        pytest.param(f"sleep 35; {SIX}", CACHE, LIMITED, [120], id="90 s later"),
        pytest.param(f"sleep 5; {SIX}; sleep 20; rm /cache/f", CACHE, LIMITED, [], id="gone by then"),
        pytest.param(f"sleep 5; {SIX}", storage("5Mi"), [], [10], id="a container's own is always known"),
    ],
)
def test_volumes_are_measured_once_a_minute_or_two(
    script: str, limits: dict[str, Any], volumes: list[Any], expected: list[int]
) -> None:
    """volume_stat_calculator: volumes are measured in the background, and looks go by what is known."""
    world = World(timing={"preset": "instant", "volume_count": "30s", "volume_recount": "90s"})
    assert world.pod(shell(f"{script}; sleep 3600", **limits), volumes=volumes).ok
    assert [at for at, _ in evicted(world.to(200))] == expected


def test_one_pod_after_the_other_without_another_look() -> None:
    """eviction_manager, evictPod: each eviction is waited for, then the next pod of the same look goes."""
    world = World()
    for name in ("first", "second"):
        app = shell("dd if=/dev/zero of=/cache/f bs=1M count=6; sleep 3600", **CACHE)
        assert world.pod(app, volumes=LIMITED, meta={"name": name}).ok
    world.to(60)
    assert [at for at, _ in evicted(world)] == [0, 2]


@pytest.mark.parametrize(
    "limits, size, room",
    [
        pytest.param({}, "5Mi", 5, id="its own size"),
        pytest.param({"limits": {"memory": "3Mi"}}, "5Mi", 3, id="no more than the pod's memory"),
        pytest.param({"limits": {"memory": "3Mi"}}, None, 3, id="the pod's memory"),
    ],
)
def test_a_volume_in_memory_is_full(limits: Any, size: str | None, room: int) -> None:
    """kubelet, calculateEmptyDirMemorySize: a tmpfs of that size; nobody is evicted."""
    volume = {"name": "cache", "emptyDir": {"medium": "Memory", **({"sizeLimit": size} if size else {})}}
    script = (
        f"dd if=/dev/zero of=/cache/f bs=1M count={room} && echo fits; rm /cache/f;"
        " dd if=/dev/zero of=/cache/f bs=1M count=20 2>/dev/null; echo $?;"
        " echo more > /cache/g || echo full; rm /cache/f; echo more > /cache/g && cat /cache/g; sleep 3600"
    )
    world = World()
    assert world.pod(shell(script, **CACHE, resources=limits), volumes=[volume]).ok
    assert told(world.to(40)) == ["fits", "1", "full", "more"] and evicted(world) == []
    assert world.events("UninterpretedBehavior") == []


def test_a_full_volume_stays_full_after_loading() -> None:
    volume = {"name": "cache", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}
    world = World()
    script = (
        "dd if=/dev/zero of=/cache/f bs=1M count=1; sleep 10; echo more > /cache/g || echo full; sleep 3600"
    )
    assert world.pod(shell(script, **CACHE), volumes=[volume]).ok
    assert world.to(5).rows
    world.cluster = Cluster.load(world.cluster.save())
    assert told(world.to(20)) == ["full"]


def test_a_pod_beyond_its_limit_is_evicted_after_loading() -> None:
    world = World()
    assert world.pod(
        shell("sleep 5; dd if=/dev/zero of=/cache/f bs=1M count=6; sleep 3600", **CACHE), volumes=LIMITED
    ).ok
    assert world.to(7).rows
    world.cluster = Cluster.load(world.cluster.save())
    assert evicted(world.to(30)) == [(10, BEYOND)]
    assert "DisruptionTarget" not in [one["type"] for one in world.status()["conditions"]]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "ln -s /dev/null /tmp/n; dd if=/dev/zero of=/tmp/n bs=1M count=6; head -c 6M /dev/zero > /tmp/n",
            id="null",
        ),
        pytest.param("dd if=/dev/zero of=/dev/../dev/null bs=1M count=6", id="null by another name"),
        pytest.param("dd if=/dev/zero of=/tmp/f bs=1048576G count=1048576G", id="huge"),
        pytest.param("dd if=/dev/zero of=/tmp bs=1M count=6; dd if=/dev/zero of=/no/f count=1", id="no file"),
        pytest.param(
            "fallocate /tmp/f; fallocate -l x /tmp/f; dd if=/dev/zero of=/tmp/f count=x", id="no size"
        ),
    ],
)
def test_odd_files_are_no_trouble(script: str) -> None:
    world = World()
    assert world.pod(shell(f"{script}; echo on; sleep 3600")).ok
    assert told(world.to(30))[-1:] == ["on"]
    # JSON may not be able to keep numbers of more than 63 bits.
    assert not re.search(r"\d{20}", json.dumps(world.cluster.save()))
