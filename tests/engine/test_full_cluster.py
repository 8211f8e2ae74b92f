"""More pods than a cluster is made for are refused, whoever makes them; what goes makes room."""

import pytest

from lifecycle.engine.api import admission
from tests.engine.kubelet.world import World
from tests.engine.test_quotas import conditions, deployment


def test_a_full_cluster_takes_no_more_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MAX_PODS", 5)
    world = World()
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
