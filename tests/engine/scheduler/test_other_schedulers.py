"""Which pods the scheduler leaves alone."""

import pytest

from tests.engine.kubelet.world import World


@pytest.mark.spec("DS-SCHED-05")
def test_a_pod_of_another_scheduler_stays_pending_beside_an_empty_node() -> None:
    world = World(nodes=2)
    world.pod(schedulerName="volcano")
    world.pod("app", meta={"name": "ours"}, schedulerName="default-scheduler")
    world.to(60)
    assert world.status("ours")["phase"] == "Running"
    status = world.status()
    assert (status["phase"], status.get("conditions"), world.events()) == ("Pending", None, [])


@pytest.mark.spec("DS-SCHED-05")
def test_no_new_node_tempts_a_pod_of_another_scheduler() -> None:
    world = World(nodes=1)
    world.pod(schedulerName="volcano", schedulingGates=[{"name": "example.com/wait"}])
    world.to(1)
    assert world.patch({"spec": {"schedulingGates": []}}).code == 200
    world.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "late"}})
    world.to(60)
    assert "nodeName" not in world.cluster.get("Pod", "default", "web")["spec"]
    assert world.events() == []
