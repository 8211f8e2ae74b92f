"""More pods than a cluster is made for are refused, whoever makes them; what goes makes room."""

from tests.engine.kubelet.world import World
from tests.engine.test_full_instants import make_parallel
from tests.engine.test_quotas import conditions, deployment


def test_a_full_cluster_takes_no_more_pods() -> None:
    world = World(manager={"mostPods": 5})
    deployment(world, replicas=2**31 - 1)
    world.to(20)
    assert len(world.cluster.list("Pod", "default")) == 5
    assert conditions(world)["ReplicaFailure"] == ("True", "FailedCreate")
    told = [row["message"] for row in world.rows if row.get("reason") == "FailedCreate"]
    assert "is forbidden: the cluster holds 5 pods, as many as it can" in told[0]
    refused = world.pod({"name": "app"})
    assert (refused.code, refused.ok) == (403, False)

    deployment(world, replicas=3)
    world.to(120)
    assert len(world.cluster.list("Pod", "default")) == 3
    assert "ReplicaFailure" not in conditions(world)
    assert world.pod({"name": "app"}).ok


def test_a_set_that_waits_for_nobody_stops_where_the_cluster_is_full() -> None:
    """As at a quota: its controller tries again, later and later."""
    world = World(manager={"mostPods": 40}, timing="realistic")
    assert world.create(make_parallel()).ok
    world.to(60)
    assert len(world.cluster.list("Pod", "default")) == 40
    refused = [row for row in world.rows if row.get("reason") == "FailedCreate"]
    assert "is forbidden: the cluster holds 40 pods, as many as it can" in refused[0]["message"]
    assert refused[-1]["at_ms"] < 1000, "what is said again and again is one series"

    assert world.submit("scale", kind="StatefulSet", name="db", replicas=3).ok
    world.to(200)
    assert len(world.cluster.list("Pod", "default")) == 3
    assert world.pod({"name": "app"}).ok
