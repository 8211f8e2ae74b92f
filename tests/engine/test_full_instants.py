"""An instant has room for so many writes of controllers: whatever is asked for, none is without end."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.controllers.stateful_set.decide.replicas import MOST_AT_ONCE
from lifecycle.engine.heart import loop
from lifecycle.engine.heart.trace import row_to_json
from tests.engine.kubelet.world import World

pytestmark = pytest.mark.slow

MOST = 2**31 - 1
# Rows of one pod that is made, told of, and placed or refused within one instant.
ROWS_OF_A_POD = 10


def make_set(kind: str, name: str, replicas: int = MOST, **spec: Any) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "nginx:1"}]}}
    rest = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template, **spec}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": rest}


def make_parallel(replicas: int = MOST) -> dict[str, Any]:
    return make_set("StatefulSet", "db", replicas, serviceName="db", podManagementPolicy="Parallel")


def rows_by_instant(world: World, until_ms: int) -> Counter[int]:
    """How many rows each instant has."""
    world.cluster.run_until(until_ms)
    return Counter(row_to_json(row)["at_ms"] for row in world.cluster.take_changes().rows)


@pytest.mark.parametrize("preset", ["realistic", "instant"])
@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([make_parallel()], id="one set that waits for nobody"),
        pytest.param([make_set("ReplicaSet", f"web-{n}") for n in range(8)], id="many at once"),
    ],
)
def test_no_instant_is_without_end(monkeypatch: pytest.MonkeyPatch, objects: Any, preset: str) -> None:
    monkeypatch.setattr(loop, "ROOM_OF_INSTANT", 40)
    monkeypatch.setattr("lifecycle.engine.controllers.stateful_set.decide.WRITES_A_LOOK", 60)
    monkeypatch.setattr("lifecycle.engine.controllers.replica_set.decide.BURST_REPLICAS", 60)
    world = World(timing=preset)
    world.cluster.take_changes()
    for one in objects:
        assert world.create(one).ok
    found = rows_by_instant(world, 50 if preset == "realistic" else 8)
    # A look that was begun with room left is done, and in it the batch that was begun.
    assert max(found.values()) < (40 + 60 + MOST_AT_ONCE) * ROWS_OF_A_POD
    assert len(world.cluster.list("Pod")) > 3 * 60, "it goes on"


def one_at_a_time(cluster: Cluster, until_ms: int) -> Cluster:
    """Saved and loaded after every instant."""
    while cluster.now_ms < until_ms:
        cluster.run_until(until_ms, stop=lambda _: True)
        cluster.take_changes()
        cluster = Cluster.load(cluster.save())
    return cluster


def at_once(cluster: Cluster, until_ms: int) -> Cluster:
    cluster.run_until(until_ms)
    cluster.take_changes()
    return cluster


@pytest.mark.parametrize("live", [at_once, one_at_a_time])
def test_history_is_the_same_however_it_is_cut(
    monkeypatch: pytest.MonkeyPatch, live: Callable[[Cluster, int], Cluster]
) -> None:
    monkeypatch.setattr(loop, "ROOM_OF_INSTANT", 30)
    world = World(timing="instant")
    world.create(make_parallel(90))
    for number in range(4):
        world.create(make_set("ReplicaSet", f"web-{number}", 25))
    world.cluster.take_changes()
    cluster = live(world.cluster, 20)
    assert (cluster.head, len(cluster.list("Pod"))) == (_once(monkeypatch), 190)


def _once(monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of the last row of a history that nobody interrupted."""
    world = World(timing="instant")
    world.create(make_parallel(90))
    for number in range(4):
        world.create(make_set("ReplicaSet", f"web-{number}", 25))
    world.cluster.run_until(20)
    return world.cluster.head


def test_the_rest_comes_in_its_order_a_moment_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "ROOM_OF_INSTANT", 10)
    world = World(timing="instant")
    world.cluster.take_changes()
    names = [f"web-{number}" for number in range(4)]
    kinds = {"kind": "List", "items": [make_set("ReplicaSet", name, 10) for name in names]}
    for one in kinds["items"]:
        world.create(one)
    world.cluster.run_until(20)
    made = [
        (row["name"].rsplit("-", 1)[0], row["at_ms"])
        for row in map(row_to_json, world.cluster.take_changes().rows)
        if (row["kind"], row.get("field")) == ("Pod", "exists")
    ]
    assert [name for name, _ in made] == [name for name in names for _ in range(10)]


def test_a_large_set_is_told_of_when_it_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its controller writes a status at the end of its look, however many looks ours takes for that."""
    monkeypatch.setattr("lifecycle.engine.controllers.stateful_set.decide.WRITES_A_LOOK", 50)
    world = World(timing="realistic")
    world.create(make_parallel(120))
    world.cluster.run_until(100)
    rows = [row_to_json(row) for row in world.cluster.take_changes().rows]
    told = [row["new"] for row in rows if (row["kind"], row.get("field")) == ("StatefulSet", "replicas")]
    made = [row for row in rows if (row["kind"], row.get("field")) == ("Pod", "exists")]
    assert (len(made), told) == (120, [120])


def fill(world: World, count: int) -> None:
    for number in range(count):
        metadata = {"name": f"note-{number}", "namespace": "shop"}
        world.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})


def test_a_namespace_goes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lifecycle.engine.controllers.namespaces.observe.WRITES_A_LOOK", 10)
    world = World(timing="instant")
    world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    fill(world, 35)
    world.submit("delete", kind="Namespace", name="shop")
    world.cluster.take_changes()
    found = rows_by_instant(world, 30_000)
    assert world.cluster.get("Namespace", None, "shop") is None
    assert max(found.values()) <= 2 * 10


@pytest.mark.parametrize("policy", ["Background", "Foreground", "Orphan"])
def test_dependents_go_in_parts(monkeypatch: pytest.MonkeyPatch, policy: str) -> None:
    monkeypatch.setattr("lifecycle.engine.controllers.garbage.observe.WRITES_A_LOOK", 10)
    world = World(timing="realistic")
    world.create(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner", "namespace": "default"}}
    )
    owner = world.cluster.get("ConfigMap", "default", "owner")
    assert owner is not None
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}
    for number in range(35):
        metadata = {
            "name": f"note-{number}",
            "namespace": "default",
            "ownerReferences": [{**reference, "blockOwnerDeletion": True}],
        }
        world.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    world.submit("delete", kind="ConfigMap", namespace="default", name="owner", propagationPolicy=policy)
    world.cluster.take_changes()
    found = rows_by_instant(world, 30_000)
    assert max(found.values(), default=0) <= 2 * 10
    assert world.cluster.get("ConfigMap", "default", "owner") is None
    left = [one for one in world.cluster.list("ConfigMap", "default") if "note" in one["metadata"]["name"]]
    assert len(left) == (35 if policy == "Orphan" else 0)
    assert all("ownerReferences" not in one["metadata"] for one in left)
