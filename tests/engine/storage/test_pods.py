"""Where a pod may go for its claims, what keeps it from nodes, and what it waits for on its own."""

import pytest

from lifecycle.engine.controllers.attachments.decide import decide_wait_ms
from lifecycle.engine.objects.node import Node
from tests.engine.storage.world import ATTACHMENT, CLAIM, HOST, VOLUME, World, pod_spec

RWO, ALONE = "ReadWriteOnce", "ReadWriteOncePod"
WAIT = {"volumeBindingMode": "WaitForFirstConsumer"}
BY_HAND = {"provisioner": "kubernetes.io/no-provisioner", **WAIT}
NO_VICTIMS = "no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found"
HOPELESS = "no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful"


def why(world: World, pod: str = "user") -> str:
    return world.events(pod, "FailedScheduling")[-1]


# --- what no node can mend --------------------------------------------------------------------------------


def test_a_pod_without_its_claim():
    world = World()
    world.pod("user", "data")
    assert why(world) == '0/2 nodes are available: persistentvolumeclaim "data" not found. not found'


def test_a_pod_whose_claim_is_to_be_bound_at_once_and_is_not():
    world = World()
    world.claim()
    world.pod("user", "data")
    assert (
        why(world) == "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
    )
    assert world.get("Pod", "user")["status"]["conditions"][0]["reason"] == "Unschedulable"


def test_a_pod_whose_claim_is_being_deleted():
    world = World()
    world.volume("v")
    world.claim()
    world.pod("first", "data")
    world.delete(CLAIM, "data")
    world.pod("user", "data")
    assert why(world) == '0/2 nodes are available: persistentvolumeclaim "data" is being deleted. not found'


def test_a_pod_whose_claim_has_lost_its_volume():
    world = World()
    world.volume("v")
    world.claim()
    world.delete(VOLUME, "v")
    world.patch(VOLUME, "v", {"metadata": {"finalizers": []}})
    world.pod("user", "data")
    lost = 'persistentvolumeclaim "data" bound to non-existent persistentvolume "v"'
    assert why(world) == f"0/2 nodes are available: {lost}. not found"


# --- what some nodes have ---------------------------------------------------------------------------------


def test_a_pod_follows_its_volume_to_the_zone_that_its_label_says():
    zone = "topology.kubernetes.io/zone"
    world = World()
    for node, name in (("node-1", "a"), ("node-2", "b")):
        world.patch("Node", node, {"metadata": {"labels": {zone: name}}})
    for volume, name in (("v", "b"), ("w", "c")):
        world.volume(volume, labels={zone: name})
        world.claim(f"of-{volume}", volumeName=volume)
    world.run(40)
    world.pod("user", "of-v")
    world.pod("lost", "of-w")
    assert world.get("Pod", "user")["spec"]["nodeName"] == "node-2"
    assert "2 node(s) had no available volume zone" in why(world, "lost")
    assert HOPELESS in why(world, "lost")


@pytest.mark.spec("STS-VOL-05")
def test_a_pod_goes_where_its_volume_is():
    world = World(nodes=3)
    world.volume("v", host="node-2")
    world.claim()
    world.pod("user", "data")
    assert world.node_of() == "node-2"


def test_a_pod_that_must_go_elsewhere_goes_nowhere():
    world = World()
    world.volume("v", host="node-1")
    world.claim()
    world.pod("user", "data", nodeSelector={HOST: "node-2"})
    assert why(world).startswith(
        "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity,"
        f" 1 node(s) didn't match Pod's node affinity/selector. {HOPELESS} for scheduling."
    )


def test_claims_that_wait_choose_volumes_of_one_node():
    # Small ones are on both nodes, but a large one is on the second alone.
    world = World()
    world.storage_class(**BY_HAND)
    for name, size, host in (("a1", "1Gi", "node-1"), ("a2", "1Gi", "node-2"), ("b2", "5Gi", "node-2")):
        world.volume(name, size, host, storageClassName="fast")
    world.claim("small", storageClassName="fast")
    world.claim("large", "3Gi", storageClassName="fast")
    world.pod("user", "large", "small")
    assert (world.node_of(), world.volume_of("small"), world.volume_of("large")) == ("node-2", "a2", "b2")
    # Nobody counts how often a volume's spec has changed.
    assert "generation" not in world.get(VOLUME, "a2")["metadata"]


def test_two_claims_of_a_pod_do_not_share_a_volume():
    world = World()
    world.storage_class(**BY_HAND)
    world.volume("v", storageClassName="fast")
    world.claim("one", storageClassName="fast")
    world.claim("two", storageClassName="fast")
    world.pod("user", "one", "two")
    assert why(world).startswith(
        "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."
    )
    assert world.volume_of("one") is None


def test_a_pod_waits_with_its_place_taken_until_its_volume_is_made():
    world = World({"preset": "instant", "volume_provision": "3500ms", "volume_bind": "1s"}, nodes=1)
    world.storage_class(**WAIT)
    world.claim(storageClassName="fast")
    requests = {"resources": {"requests": {"cpu": "3"}}}
    spec = pod_spec("data")
    spec["containers"][0] |= requests
    world.create("Pod", "user", spec=spec)
    assert (world.node_of(), world.get("Pod", "user")["status"]["nominatedNodeName"]) == ("", "node-1")
    # Nobody else gets what it is about to have, also after a save.
    world.saved()
    other = pod_spec()
    other["containers"][0] |= requests
    world.create("Pod", "other", spec=other)
    assert "Insufficient cpu" in why(world, "other")
    world.run(10)
    assert world.node_of() == "node-1"
    # The volume is there after 3.5 s; the scheduler looks once a second.
    bound = next(row for row in world.rows if row.get("field") == "node" and row["name"] == "user")
    assert bound["at_ms"] == 4000
    assert "nominatedNodeName" not in world.get("Pod", "user")["status"]
    world.delete("Pod", "user")
    world.run(10)
    assert world.node_of("other") == "node-1"


def test_a_pod_that_goes_while_it_waits_gives_its_place_back():
    world = World({"preset": "instant", "volume_provision": "1h"}, nodes=1)
    world.storage_class(**WAIT)
    world.claim(storageClassName="fast")
    spec = pod_spec("data")
    spec["containers"][0]["resources"] = {"requests": {"cpu": "3"}}
    world.create("Pod", "user", spec=spec)
    world.delete("Pod", "user")
    free = pod_spec()
    free["containers"][0]["resources"] = {"requests": {"cpu": "3"}}
    world.create("Pod", "other", spec=free)
    assert world.node_of("other") == "node-1"


def test_the_scheduler_gives_up_after_ten_minutes():
    world = World({"preset": "instant", "volume_provision": "1h"})
    world.storage_class(**WAIT)
    world.claim(storageClassName="fast")
    world.pod("user", "data")
    world.run(599)
    assert world.events("user", "FailedScheduling") == []
    world.run(2)
    assert why(world).startswith('running PreBind plugin "VolumeBinding": binding volumes: context deadline')


# --- one pod alone ----------------------------------------------------------------------------------------


def test_a_claim_for_one_pod_keeps_others_out_until_that_has_ended():
    world = World()
    world.volume("v", accessModes=[ALONE])
    world.claim(accessModes=[ALONE])
    world.pod("first", "data", containers=[script("sleep 10")], restartPolicy="Never")
    world.pod("second", "data")
    assert why(world, "second").startswith(
        "0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod"
        f" access mode already in-use by another pod. {NO_VICTIMS} for incoming pod."
    )
    world.run(9)
    assert world.node_of("second") == ""
    world.run(2)
    assert (world.phase("Pod", "first"), bool(world.node_of("second"))) == ("Succeeded", True)


def script(text: str) -> dict:
    return {
        "name": "app",
        "image": "busybox:1.36",
        "command": ["sh", "-c", text],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }


def test_two_pods_of_one_node_share_a_claim():
    world = World()
    world.storage_class()
    world.claim(storageClassName="fast")
    world.pod("first", "data", nodeSelector={HOST: "node-1"})
    world.pod("second", "data", nodeSelector={HOST: "node-1"})
    assert [world.phase("Pod", name) for name in ("first", "second")] == ["Running", "Running"]


# --- on the node ------------------------------------------------------------------------------------------


def test_a_volume_is_attached_before_the_pod_starts():
    world = World({"preset": "instant", "volume_attach": "3s"})
    world.storage_class()
    world.claim(storageClassName="fast")
    world.pod("user", "data")
    name = world.volume_of()
    (attachment,) = world.cluster.list(ATTACHMENT)
    assert attachment["spec"] == {
        "attacher": "disks.example.com",
        "nodeName": world.node_of(),
        "source": {"persistentVolumeName": name},
    }
    assert (attachment["status"]["attached"], world.phase("Pod", "user")) == (False, "Pending")
    world.run(2.9)
    assert world.phase("Pod", "user") == "Pending"
    world.run(0.2)
    assert world.phase("Pod", "user") == "Running"
    assert world.events("user", "SuccessfulAttachVolume") == [
        f'AttachVolume.Attach succeeded for volume "{name}" '
    ]


@pytest.mark.slow
def test_a_volume_of_the_node_itself_is_not_attached():
    world = World()
    world.volume("v", host="node-1")
    world.claim()
    world.pod("user", "data")
    assert (world.phase("Pod", "user"), world.cluster.list(ATTACHMENT)) == ("Running", [])


def test_a_driver_that_needs_no_attaching():
    world = World()
    world.create("CSIDriver", "disks.example.com", "storage.k8s.io/v1", spec={"attachRequired": False})
    world.storage_class()
    world.claim(storageClassName="fast")
    world.pod("user", "data")
    assert (world.phase("Pod", "user"), world.cluster.list(ATTACHMENT)) == ("Running", [])


@pytest.mark.parametrize(
    "modes, phases",
    [
        pytest.param([RWO], ["Running", "Pending"], id="once"),
        pytest.param(["ReadWriteMany"], ["Running", "Running"], id="many"),
    ],
)
def test_a_volume_for_one_node_is_not_on_two(modes, phases):
    world = World()
    world.storage_class()
    world.claim(storageClassName="fast", accessModes=modes)
    world.pod("first", "data", nodeSelector={HOST: "node-1"})
    world.pod("second", "data", nodeSelector={HOST: "node-2"})
    assert [world.phase("Pod", name) for name in ("first", "second")] == phases
    told = world.events("second", "FailedAttachVolume")
    multi = f'Multi-Attach error for volume "{world.volume_of()}" Volume is already used by pod(s) first'
    assert told == ([multi] if modes == [RWO] else [])
    world.delete("Pod", "first")
    world.run(6)
    assert world.phase("Pod", "second") == "Running"


def test_a_volume_leaves_a_node_that_is_no_more_after_six_minutes():
    world = World()
    world.storage_class()
    world.claim(storageClassName="fast")
    world.pod("first", "data", nodeSelector={HOST: "node-1"})
    assert world.submit("delete", kind="Node", namespace=None, name="node-1").ok
    world.delete("Pod", "first", gracePeriodSeconds=0, force=True)
    world.pod("second", "data", nodeSelector={HOST: "node-2"})
    exclusive = "Volume is already exclusively attached to one node and can't be attached to another"
    assert world.events("second", "FailedAttachVolume") == [
        f'Multi-Attach error for volume "{world.volume_of()}" {exclusive}'
    ]
    world.run(350)
    assert world.phase("Pod", "second") == "Pending"
    world.run(15)
    assert world.phase("Pod", "second") == "Running"


def test_a_pod_put_on_a_node_by_hand_waits_there_for_its_claim():
    world = World()
    world.claim()
    world.pod("user", "data", nodeName="node-1")
    assert world.events("user", "FailedMount") == [
        "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to"
        " process volumes=[data]: error processing PVC default/data: PVC is not bound"
    ]
    world.volume("v")
    world.run(30)
    assert world.phase("Pod", "user") == "Running"


@pytest.mark.parametrize(
    "ready, taints, expected_ms",
    [
        pytest.param("True", [], 2000, id="it is well"),
        pytest.param("Unknown", [], 360_000, id="it is lost"),
        pytest.param("Unknown", ["node.kubernetes.io/out-of-service"], 2000, id="it is said to be off"),
    ],
)
def test_how_long_a_node_keeps_a_volume(ready, taints, expected_ms):
    node = Node.from_json(
        {
            "metadata": {"name": "n"},
            "spec": {"taints": [{"key": key, "effect": "NoExecute"} for key in taints]},
            "status": {"conditions": [{"type": "Ready", "status": ready}]},
        }
    )
    assert decide_wait_ms(node, 2000) == expected_ms


@pytest.mark.spec("STS-VOL-05", "STS-VOL-08", "WL-06")
@pytest.mark.parametrize("is_saved", [False, True])
def test_what_is_on_a_volume_outlives_the_pod(is_saved):
    world = World()
    world.storage_class()
    world.claim(storageClassName="fast")
    world.pod(
        "first",
        "data",
        containers=[script("echo mark > /data/a; exec sleep 1h")],
        nodeSelector={HOST: "node-1"},
    )
    world.delete("Pod", "first")
    world.run(60)
    assert world.get("Pod", "first") is None
    if is_saved:
        world.saved()
    reads = script("grep mark /data/a")
    world.pod("second", "data", containers=[reads], restartPolicy="Never", nodeSelector={HOST: "node-2"})
    world.run(60)
    assert world.phase("Pod", "second") == "Succeeded"


# --- volumes of its own -----------------------------------------------------------------------------------

OWN = {"accessModes": [RWO], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "fast"}
EPHEMERAL = {
    "name": "scratch",
    "ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": OWN}},
}


def test_a_volume_of_its_own_comes_and_goes_with_its_pod():
    world = World()
    world.storage_class()
    world.pod("user", volumes=[EPHEMERAL], containers=[{"name": "app", "image": "nginx:1.25"}])
    claim = world.get(CLAIM, "user-scratch")
    assert claim["metadata"]["labels"] == {"a": "b"}
    assert claim["metadata"]["ownerReferences"][0]["name"] == "user"
    assert world.phase("Pod", "user") == "Running"
    world.delete("Pod", "user")
    world.run(10)
    assert (world.get(CLAIM, "user-scratch"), world.cluster.list(VOLUME)) == (None, [])


def test_a_claim_of_somebody_else_is_no_volume_of_its_own():
    world = World()
    world.storage_class()
    world.claim("user-scratch", storageClassName="fast")
    world.pod("user", volumes=[EPHEMERAL], containers=[{"name": "app", "image": "nginx:1.25"}])
    refused = "PVC default/user-scratch was not created for pod default/user (pod is not owner)"
    assert world.events("user", "FailedBinding") == [f"ephemeral volume scratch: {refused}"]
    assert refused in why(world)


def test_a_pod_that_is_gone_leaves_no_retry_of_its_volume_to_the_next_of_its_name():
    world = World()
    world.storage_class()
    world.create("ResourceQuota", "none", spec={"hard": {"persistentvolumeclaims": "0"}})
    world.pod("user", volumes=[EPHEMERAL], containers=[{"name": "app", "image": "nginx:1.25"}])
    world.run(60)
    count_retries = world.cluster._context.loop.count_retries
    assert count_retries("ephemeralVolume", "default", "user") > 10
    world.delete("Pod", "user")
    world.run(60)
    assert count_retries("ephemeralVolume", "default", "user") == 0
