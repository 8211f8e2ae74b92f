"""What becomes of claims and volumes in the end: kept while needed, released, kept, deleted, lost, grown."""

import pytest

from tests.engine.storage.world import CLAIM, CLASS, VOLUME, World


@pytest.mark.spec("STS-LIM-02", "STS-VOL-06")
def test_a_claim_in_use_goes_when_its_pod_is_gone():
    world = World()
    world.volume("v")
    world.claim()
    world.pod("user", "data")
    world.delete(CLAIM, "data")
    world.run(20)
    assert (world.phase(CLAIM, "data"), world.phase("Pod", "user")) == ("Bound", "Running")
    assert world.get(CLAIM, "data")["metadata"]["deletionTimestamp"]
    world.delete("Pod", "user")
    world.run(10)
    assert (world.get("Pod", "user"), world.get(CLAIM, "data")) == (None, None)
    assert world.phase(VOLUME, "v") == "Released"


def test_a_finished_pod_uses_its_claim_and_a_waiting_one_does_not():
    world = World()
    world.volume("v")
    world.claim()
    container = {"name": "app", "image": "busybox:1.36", "command": ["true"]}
    world.pod("done", "data", containers=[container], restartPolicy="Never")
    world.pod("waiting", "data", nodeSelector={"no": "such"})
    world.run(1)
    world.delete(CLAIM, "data")
    assert (world.phase("Pod", "done"), world.phase(CLAIM, "data")) == ("Succeeded", "Bound")
    world.delete("Pod", "done")
    world.run(1)
    assert world.get(CLAIM, "data") is None


def test_a_bound_volume_goes_when_its_claim_is_gone():
    world = World()
    world.volume("v")
    world.claim()
    world.delete(VOLUME, "v")
    assert world.phase(VOLUME, "v") == "Bound"
    world.delete(CLAIM, "data")
    assert world.get(VOLUME, "v") is None


def test_a_volume_that_is_taken_away_by_force_leaves_its_claim_lost():
    world = World()
    world.volume("v")
    world.claim()
    world.pod("user", "data")
    world.delete(VOLUME, "v")
    world.patch(VOLUME, "v", {"metadata": {"finalizers": []}})
    assert world.get(CLAIM, "data")["status"] == {"phase": "Lost"}
    assert world.events("data", "ClaimLost") == [
        "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
    ]
    assert world.phase("Pod", "user") == "Running"


def test_a_kept_volume_is_for_nobody_until_its_claim_is_taken_off():
    world = World()
    world.volume("v")
    world.claim("first")
    world.delete(CLAIM, "first")
    world.claim("second")
    assert (world.phase(VOLUME, "v"), world.phase(CLAIM, "second")) == ("Released", "Pending")
    world.patch(VOLUME, "v", {"spec": {"claimRef": None}})
    assert world.volume_of("second") == "v"


@pytest.mark.parametrize(
    "spec, phase, reason, message",
    [
        pytest.param({"hostPath": {"path": "/tmp/data"}}, None, None, None, id="what is temporary"),
        pytest.param(
            {"hostPath": {"path": "/var/data"}}, "Failed", "VolumeFailedDelete",
            "host_path deleter only supports /tmp/.+ but received provided /var/data", id="what is not",
        ),
        pytest.param(
            {"hostPath": None, "nfs": {"server": "a", "path": "/"}}, "Failed", "VolumeFailedDelete",
            'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
            id="what nobody can delete",
        ),
        pytest.param(
            {"hostPath": None, "csi": {"driver": "d.example.com", "volumeHandle": "h"}}, "Released",
            None, None, id="what a driver did not make",
        ),
    ],
)  # fmt: skip
def test_a_volume_that_is_not_kept(spec, phase, reason, message):
    world = World()
    spec = {field: value for field, value in spec.items() if value is not None}
    base = {"persistentVolumeReclaimPolicy": "Delete"}
    host_path = spec.pop("hostPath", None)
    if host_path is None:
        created = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": ""}
        world.create(VOLUME, "v", spec={**created, **base, **spec})
    else:
        world.volume("v", hostPath=host_path, **base)
    world.claim()
    assert world.volume_of() == "v"
    world.delete(CLAIM, "data")
    assert world.phase(VOLUME, "v") == phase
    assert world.events("v") == ([message] if message else [])
    if phase == "Failed":
        assert world.get(VOLUME, "v")["status"]["message"] == message
        assert [row["reason"] for row in world.rows if row["name"] == "v" and row["type"] == "event"] == [
            reason
        ]


def test_a_volume_that_was_recycled_is_free_again():
    world = World()
    world.volume("v", persistentVolumeReclaimPolicy="Recycle")
    world.claim()
    world.delete(CLAIM, "data")
    assert (world.phase(VOLUME, "v"), world.events("v", "VolumeRecycled")) == (
        "Available",
        ["Volume recycled"],
    )
    assert "claimRef" not in world.get(VOLUME, "v")["spec"]


@pytest.mark.parametrize("policy, is_kept", [("Delete", False), ("Retain", True)])
def test_a_driver_deletes_what_it_made_by_the_policy_of_the_class(policy, is_kept):
    world = World({"preset": "instant", "volume_detach": "4s", "volume_delete": "3s"})
    world.storage_class(reclaimPolicy=policy)
    world.claim(storageClassName="fast")
    name = world.volume_of()
    world.pod("user", "data")
    world.delete(CLAIM, "data")
    world.delete("Pod", "user")
    # The container ends at once, and its volume is released; it is off the node 4 s later, gone 3 s after.
    world.run(6.5)
    assert world.phase(VOLUME, name) == "Released"
    world.run(1)
    assert (world.get(VOLUME, name) is not None) == is_kept


# --- what may change --------------------------------------------------------------------------------------


def test_a_claim_grows_where_its_class_lets_it():
    world = World({"preset": "instant", "volume_provision": "2s"})
    world.storage_class(allowVolumeExpansion=True)
    world.claim(storageClassName="fast")
    world.run(3)
    assert world.patch(CLAIM, "data", {"spec": {"resources": {"requests": {"storage": "4Gi"}}}}).ok
    world.run(1)
    assert world.get(CLAIM, "data")["status"]["capacity"] == {"storage": "1Gi"}
    world.run(2)
    assert world.get(CLAIM, "data")["status"]["capacity"] == {"storage": "4Gi"}
    assert world.get(VOLUME, world.volume_of())["spec"]["capacity"] == {"storage": "4Gi"}


UNABLE = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must"
    " support resize"
)
FIXED = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName"
    " for bound claims"
)


@pytest.mark.parametrize(
    "storage_class, patch, code, message",
    [
        pytest.param(
            {}, {"resources": {"requests": {"storage": "4Gi"}}}, 403, UNABLE, id="larger"
        ),
        pytest.param(
            {"provisioner": "kubernetes.io/no-provisioner"}, {"resources": {"requests": {"storage": "4Gi"}}},
            422, FIXED, id="not bound",
        ),
        pytest.param(
            {}, {"resources": {"requests": {"storage": "1Mi"}}}, 422,
            "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
            id="smaller",
        ),
        pytest.param({}, {"accessModes": ["ReadWriteMany"]}, 422, FIXED, id="other modes"),
        pytest.param({}, {"storageClassName": "slow"}, 422, FIXED, id="another class"),
        pytest.param({}, {"volumeName": "other"}, 422, FIXED, id="another volume"),
        pytest.param({}, {"volumeMode": "Block"}, 422, FIXED, id="another mode"),
    ],
)  # fmt: skip
def test_a_claim_stays_as_it_was_made(storage_class, patch, code, message):
    world = World()
    world.storage_class(**storage_class)
    world.claim(storageClassName="fast")
    result = world.patch(CLAIM, "data", {"spec": patch})
    assert (result.code, message in result.status["message"]) == (code, True), result.status


@pytest.mark.parametrize(
    "field, value, message",
    [
        ("provisioner", "b.example.com", "provisioner: Forbidden: updates to provisioner are forbidden."),
        ("parameters", {"a": "c"}, "parameters: Forbidden: updates to parameters are forbidden."),
        ("reclaimPolicy", "Retain", "reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden."),
        ("volumeBindingMode", "WaitForFirstConsumer", "volumeBindingMode: Invalid value:"),
        ("allowVolumeExpansion", True, ""),
    ],
)
def test_a_class_stays_as_it_was_made(field, value, message):
    world = World()
    world.storage_class(parameters={"a": "b"})
    result = world.submit(
        "patch", kind=CLASS, namespace=None, name="fast", patch={field: value}, type="merge"
    )
    assert result.ok == (not message)
    assert not message or message in result.status["message"]


@pytest.mark.parametrize(
    "patch, message",
    [
        ({"hostPath": {"path": "/tmp/b"}}, "spec.persistentvolumesource is immutable after creation"),
        ({"volumeMode": "Block"}, "volumeMode: Invalid value"),
        ({"persistentVolumeReclaimPolicy": "Delete", "capacity": {"storage": "2Gi"}}, ""),
    ],
)
def test_what_a_volume_is_made_of_stays(patch, message):
    world = World()
    world.volume("v")
    result = world.patch(VOLUME, "v", {"spec": patch})
    assert result.ok == (not message)
    assert not message or message in result.status["message"]
