"""Which claim gets which volume, what it waits for, and what is told meanwhile."""

import pytest

from lifecycle.engine.api.volumes import Volumes
from lifecycle.engine.heart.timing import CLAIM_RESYNC_MS
from tests.engine.storage.world import CLAIM, CLASS, HOST, VOLUME, World, on_host

RWO, ROX, RWX, ALONE = "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"
TIER = {"matchLabels": {"tier": "gold"}}


@pytest.mark.slow
@pytest.mark.spec("STS-VOL-02", "STS-LIM-01")
@pytest.mark.parametrize(
    "volumes, wanted, expected",
    [
        pytest.param({"big": {"size": "5Gi"}, "small": {"size": "2Gi"}}, {}, "small", id="the smallest"),
        pytest.param({"tiny": {"size": "500Mi"}}, {}, None, id="none that is too small"),
        pytest.param({"same": {"size": "1024Mi"}}, {}, "same", id="exactly as large"),
        pytest.param({"first": {}, "second": {}}, {}, "first", id="of equals the first made"),
        pytest.param({"v": {"accessModes": [RWO]}}, {"accessModes": [RWX]}, None, id="no such mode"),
        pytest.param({"v": {"accessModes": [RWO, ROX]}}, {"accessModes": [RWO, ROX]}, "v", id="all modes"),
        pytest.param(
            {"many": {"accessModes": [RWO, ROX, RWX]}, "two": {"size": "3Gi", "accessModes": [RWO, ROX]}},
            {"accessModes": [RWO]}, "two", id="the fewest modes beside, though larger",
        ),
        pytest.param({"v": {"storageClassName": "slow"}}, {}, None, id="another class"),
        pytest.param({"v": {"storageClassName": "slow"}}, {"storageClassName": "slow"}, "v", id="its class"),
        pytest.param({"v": {"volumeMode": "Block"}}, {}, None, id="another mode"),
        pytest.param({"v": {"volumeMode": "Block"}}, {"volumeMode": "Block"}, "v", id="its mode"),
        pytest.param(
            {"plain": {}, "gold": {"size": "9Gi", "labels": {"tier": "gold"}}},
            {"selector": TIER}, "gold", id="what its selector means",
        ),
        pytest.param({"plain": {}}, {"selector": TIER}, None, id="nothing its selector means"),
        pytest.param({"a": {}, "b": {}}, {"volumeName": "b"}, "b", id="the one it names"),
        pytest.param({"a": {"size": "500Mi"}, "b": {}}, {"volumeName": "a"}, None, id="named and too small"),
        pytest.param(
            {"a": {}, "kept": {"size": "9Gi", "claimRef": {"namespace": "default", "name": "data"}}},
            {}, "kept", id="the one that names it, though larger",
        ),
        pytest.param(
            {"kept": {"claimRef": {"namespace": "default", "name": "other"}}}, {}, None, id="of another"
        ),
        pytest.param(
            {"kept": {"claimRef": {"namespace": "default", "name": "data", "uid": "gone"}}}, {}, None,
            id="not that of another of its name",
        ),
    ],
)  # fmt: skip
def test_a_claim_gets(volumes, wanted, expected):
    world = World()
    for name, spec in volumes.items():
        world.volume(name, **spec)
    world.claim(**wanted)
    assert world.volume_of() == expected
    assert world.phase(CLAIM, "data") == ("Bound" if expected else "Pending")
    if expected:
        assert world.phase(VOLUME, expected) == "Bound"


def test_what_a_bound_claim_and_its_volume_say_of_each_other():
    world = World()
    world.volume("v", size="3Gi", accessModes=[RWO, ROX])
    world.claim()
    claim, volume = world.get(CLAIM, "data"), world.get(VOLUME, "v")
    assert claim["status"] == {"phase": "Bound", "accessModes": [RWO, ROX], "capacity": {"storage": "3Gi"}}
    assert claim["spec"]["volumeName"] == "v"
    assert claim["metadata"]["annotations"] == {
        "pv.kubernetes.io/bind-completed": "yes",
        "pv.kubernetes.io/bound-by-controller": "yes",
    }
    assert claim["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    ref = volume["spec"]["claimRef"]
    assert (ref["namespace"], ref["name"], ref["uid"]) == ("default", "data", claim["metadata"]["uid"])
    assert volume["metadata"]["annotations"] == {"pv.kubernetes.io/bound-by-controller": "yes"}
    assert volume["metadata"]["finalizers"] == ["kubernetes.io/pv-protection"]


def test_who_is_named_by_hand_is_not_marked_as_bound_by_the_controller():
    world = World()
    world.volume("v", claimRef={"namespace": "default", "name": "data"})
    world.claim(volumeName="v")
    assert world.get(CLAIM, "data")["metadata"]["annotations"] == {"pv.kubernetes.io/bind-completed": "yes"}
    assert "annotations" not in world.get(VOLUME, "v")["metadata"]


@pytest.mark.parametrize(
    "storage_class, wanted, reason, message",
    [
        pytest.param(
            None, {}, "FailedBinding",
            "no persistent volumes available for this claim and no storage class is set", id="no class",
        ),
        pytest.param(
            None, {"storageClassName": "nope"}, "ProvisioningFailed",
            'storageclass.storage.k8s.io "nope" not found', id="a class nobody made",
        ),
        pytest.param(
            {"provisioner": "kubernetes.io/no-provisioner"}, {"storageClassName": "fast"},
            "ProvisioningFailed", "no volume plugin matched name: kubernetes.io/no-provisioner", id="by hand",
        ),
        pytest.param(
            {"provisioner": "kubernetes.io/glusterfs"}, {"storageClassName": "fast"}, "ProvisioningFailed",
            "no volume plugin matched name: kubernetes.io/glusterfs", id="a plugin that is gone",
        ),
        pytest.param(
            {"volumeBindingMode": "WaitForFirstConsumer"}, {"storageClassName": "fast"},
            "WaitForFirstConsumer", "waiting for first consumer to be created before binding", id="no pod",
        ),
        pytest.param(
            None, {"volumeName": "other"}, "FailedBinding",
            'volume "other" already bound to a different claim.', id="a volume of another",
        ),
        pytest.param(
            None, {"volumeName": "tiny"}, "VolumeMismatch",
            'Cannot bind to requested volume "tiny": requested PV is too small', id="a volume too small",
        ),
    ],
)  # fmt: skip
def test_a_claim_that_waits_says_why_again_and_again(storage_class, wanted, reason, message):
    world = World()
    if storage_class is not None:
        world.storage_class(**storage_class)
    world.volume("other", size="100Mi", claimRef={"namespace": "default", "name": "somebody"})
    world.volume("tiny", size="1Mi")
    world.claim(**wanted)
    assert world.events("data", reason) == [message]
    assert world.phase(CLAIM, "data") == "Pending"
    world.run(31 * CLAIM_RESYNC_MS / 1000)
    world.delete(CLAIM, "data")
    told = [row for row in world.rows if row["type"] == "event" and row["reason"] == reason]
    # Once an instant ago, and then with each look at all claims, as far as clients tell so often.
    assert [row["message"] for row in told] == [message, message]
    assert told[0]["count"] == 1 and told[1]["count"] > 20


def test_a_claim_that_found_nothing_is_looked_at_when_all_claims_are():
    world = World("realistic")
    world.claim()
    world.run(20)
    world.volume("v")
    world.run(60)
    assert [phase for _at, phase in world.phases("data")] == ["Pending", "Bound"]
    # Each 15 s from the cluster's beginning; the volume came at 20 s.
    assert world.phases("data")[1][0] == pytest.approx(30, abs=0.1)


def test_a_pod_that_waits_with_its_claim_is_helped_by_a_new_volume_at_once():
    world = World()
    world.storage_class(provisioner="kubernetes.io/no-provisioner", volumeBindingMode="WaitForFirstConsumer")
    world.claim(storageClassName="fast")
    world.pod("user", "data")
    world.run(3)
    assert world.events("user", "FailedScheduling")[-1].startswith(
        "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."
    )
    world.volume("v", storageClassName="fast")
    assert (world.volume_of(), bool(world.node_of())) == ("v", True)


def test_a_claim_that_waits_for_a_pod_waits_for_a_first_one_again_when_that_is_gone():
    # At each of its looks, every 15 s, Kubernetes names the pods that use the claim and have no node.
    world = World("realistic")
    world.storage_class(provisioner="kubernetes.io/no-provisioner", volumeBindingMode="WaitForFirstConsumer")
    world.claim(storageClassName="fast")
    world.pod("user", "data")
    world.run(20)
    assert world.events("data", "WaitForPodScheduled") == ["waiting for pod user to be scheduled"]
    world.delete("Pod", "user")
    world.run(30)
    told = [row for row in world.rows if row["type"] == "event" and row["name"] == "data"]
    assert [(row["reason"], row["at_ms"]) for row in told][-1] == ("WaitForFirstConsumer", 30_000)


# --- classes ----------------------------------------------------------------------------------------------


@pytest.mark.spec("STS-VOL-04")
def test_a_claim_without_a_class_is_of_the_newest_default_class():
    world = World()
    world.storage_class("old", default=True)
    world.run(5)
    world.storage_class("new", default=True)
    world.storage_class("newest")
    world.claim(storageClassName=None)
    assert world.get(CLAIM, "data")["spec"]["storageClassName"] == "new"
    assert world.get(CLASS, "podline-default") is None


@pytest.mark.spec("STS-VOL-04")
def test_without_a_default_class_one_is_made_and_its_volume_too():
    world = World()
    world.claim(storageClassName=None)
    assert world.get(CLAIM, "data")["spec"]["storageClassName"] == "podline-default"
    world.pod("user", "data")
    volume = world.get(VOLUME, world.volume_of())
    assert volume["spec"]["capacity"] == {"storage": "1Gi"}
    assert volume["spec"]["storageClassName"] == "podline-default"
    assert world.phase("Pod", "user") == "Running"


def test_the_empty_class_is_no_wish_for_a_default_one():
    world = World()
    world.storage_class(default=True)
    world.claim()
    assert (world.phase(CLAIM, "data"), world.cluster.list(VOLUME)) == ("Pending", [])


def test_a_claim_from_before_there_was_a_default_class_gets_it_later():
    world = World()
    world.create(CLASS, "podline-default", "storage.k8s.io/v1", provisioner="disks.example.com")
    world.claim(storageClassName=None)
    assert "storageClassName" not in world.get(CLAIM, "data")["spec"]
    world.storage_class(default=True)
    world.run(1)
    assert world.get(CLAIM, "data")["spec"]["storageClassName"] == "fast"
    assert world.phase(CLAIM, "data") == "Bound"


def test_a_class_that_comes_late_helps_the_claims_that_name_it():
    world = World()
    world.claim(storageClassName="fast")
    world.run(1)
    assert world.phase(CLAIM, "data") == "Pending"
    world.storage_class()
    assert world.phase(CLAIM, "data") == "Bound"


# --- volumes that drivers make ----------------------------------------------------------------------------


def test_a_driver_makes_a_volume_for_a_claim():
    world = World("realistic")
    world.storage_class(reclaimPolicy="Delete", mountOptions=["noatime"])
    claim = world.claim(storageClassName="fast", size="7Gi")
    world.run(5)
    name = f"pvc-{claim['metadata']['uid']}"
    assert world.volume_of() == name
    volume = world.get(VOLUME, name)
    assert volume["metadata"]["annotations"] == {"pv.kubernetes.io/provisioned-by": "disks.example.com"}
    assert volume["spec"]["csi"]["driver"] == "disks.example.com"
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete"
    assert volume["spec"]["mountOptions"] == ["noatime"]
    bound = world.get(CLAIM, "data")["metadata"]["annotations"]
    assert bound["volume.kubernetes.io/storage-provisioner"] == "disks.example.com"
    rows = [row for row in world.rows if row["type"] == "event" and row["name"] == "data"]
    told = [row["reason"] for row in {row["eventId"]: row for row in rows}.values()]
    assert told[-1:] == ["ProvisioningSucceeded"]
    assert sorted(told[:-1]) == ["ExternalProvisioning", "Provisioning"]
    assert world.events("data", "ProvisioningSucceeded") == [f"Successfully provisioned volume {name}"]
    made_at = world.phases(name)[0][0]
    assert 0.9 <= made_at <= 2.6


def test_a_plugin_that_has_moved_is_served_by_its_driver():
    world = World()
    world.storage_class(provisioner="kubernetes.io/aws-ebs")
    world.claim(storageClassName="fast")
    assert world.get(VOLUME, world.volume_of())["spec"]["csi"]["driver"] == "ebs.csi.aws.com"


def test_a_free_volume_of_the_class_is_taken_before_one_is_made():
    world = World()
    world.storage_class()
    world.volume("mine", storageClassName="fast", size="20Gi")
    world.claim(storageClassName="fast")
    assert world.volume_of() == "mine"
    assert len(world.cluster.list(VOLUME)) == 1


def test_a_class_for_some_places_makes_volumes_there():
    world = World(nodes=3)
    terms = [{"matchLabelExpressions": [{"key": HOST, "values": ["node-3"]}]}]
    world.storage_class(volumeBindingMode="WaitForFirstConsumer", allowedTopologies=terms)
    world.claim(storageClassName="fast")
    world.pod("user", "data")
    assert world.node_of() == "node-3"
    volume = world.get(VOLUME, world.volume_of())
    assert volume["spec"]["nodeAffinity"] == on_host("node-3")
    assert (
        world.get(CLAIM, "data")["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] == "node-3"
    )


def test_a_claim_that_goes_while_its_volume_is_made_gets_none():
    world = World("realistic")
    world.storage_class()
    world.claim(storageClassName="fast")
    world.run(0.1)
    world.delete(CLAIM, "data")
    world.run(10)
    assert world.cluster.list(VOLUME) == []


# --- going on after a save --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("at_s", [0.0, 0.02, 0.5, 1.5, 4.0])
def test_a_saved_cluster_goes_on_the_same(at_s):
    def play(is_saved: bool) -> list:
        world = World("realistic")
        world.storage_class(volumeBindingMode="WaitForFirstConsumer")
        world.claim("waits", storageClassName="")
        world.claim(storageClassName="fast")
        world.pod("user", "data")
        world.run(at_s)
        if is_saved:
            world.saved()
        world.volume("v")
        world.run(60)
        return world.rows

    assert play(is_saved=True) == play(is_saved=False)


# --- cost -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("is_claim_first", [False, True])
def test_nobody_walks_over_all_volumes_for_each_claim(is_claim_first, monkeypatch):
    count, looked_at = 60, 0
    plain = Volumes.volume

    def count_look(self, name):
        nonlocal looked_at
        looked_at += 1
        return plain(self, name)

    world = World()
    monkeypatch.setattr(Volumes, "volume", count_look)
    steps = [
        lambda: [world.volume(f"v{number}", "2Gi") for number in range(count)],
        lambda: [world.claim(f"c{number}") for number in range(count)],
    ]
    for step in steps[::-1] if is_claim_first else steps:
        step()
    world.run(20)
    assert all(one["status"]["phase"] == "Bound" for one in world.cluster.list(CLAIM))
    # A few for each; all for each would be 3,600.
    assert looked_at < 20 * count
