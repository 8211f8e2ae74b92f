"""What people see of storage: kubectl's columns, what is assumed, and clusters that knew none of it."""

import pytest

from lifecycle.engine.kinds.assumed_storage import list_assumed_storage
from lifecycle.engine.kinds.presentation import decide_columns
from tests.engine.storage.world import ATTACHMENT, CLAIM, CLASS, VOLUME, World


def columns(world: World, kind: str, name: str, wide: bool = False) -> dict:
    found = decide_columns(
        world.get(kind, name), world.cluster.now_ms, epoch_ms=world.cluster.epoch_ms, wide=wide
    )
    return {header: found[header] for header in found if header not in ("NAME", "AGE")}


@pytest.mark.spec("KCTL-29")
def test_columns_of_claims():
    world = World()
    world.volume("v", "2Gi", accessModes=["ReadWriteMany", "ReadWriteOnce"])
    world.claim("bound")
    world.claim("waits", storageClassName="fast")
    assert columns(world, CLAIM, "bound", wide=True) == {
        "STATUS": "Bound", "VOLUME": "v", "CAPACITY": "2Gi", "ACCESS MODES": "RWO,RWX", "STORAGECLASS": "",
        "VOLUMEATTRIBUTESCLASS": "<unset>", "VOLUMEMODE": "Filesystem",
    }  # fmt: skip
    assert columns(world, CLAIM, "waits") == {
        "STATUS": "Pending", "VOLUME": "", "CAPACITY": "", "ACCESS MODES": "", "STORAGECLASS": "fast",
        "VOLUMEATTRIBUTESCLASS": "<unset>",
    }  # fmt: skip
    world.pod("user", "bound")
    world.delete(CLAIM, "bound")
    assert columns(world, CLAIM, "bound")["STATUS"] == "Terminating"


def test_columns_of_volumes():
    world = World()
    world.volume("v", "1024Mi", accessModes=["ReadWriteOncePod"], persistentVolumeReclaimPolicy="Retain")
    world.claim(accessModes=["ReadWriteOncePod"])
    assert columns(world, VOLUME, "v", wide=True) == {
        "CAPACITY": "1Gi", "ACCESS MODES": "RWOP", "RECLAIM POLICY": "Retain", "STATUS": "Bound",
        "CLAIM": "default/data", "STORAGECLASS": "", "VOLUMEATTRIBUTESCLASS": "<unset>", "REASON": "",
        "VOLUMEMODE": "Filesystem",
    }  # fmt: skip


def test_columns_of_classes():
    world = World()
    world.storage_class("fast", default=True, volumeBindingMode="WaitForFirstConsumer")
    found = decide_columns(world.get(CLASS, "fast"), 0)
    assert list(found.items())[:5] == [
        ("NAME", "fast (default)"),
        ("PROVISIONER", "disks.example.com"),
        ("RECLAIMPOLICY", "Delete"),
        ("VOLUMEBINDINGMODE", "WaitForFirstConsumer"),
        ("ALLOWVOLUMEEXPANSION", "false"),
    ]


# --- what is assumed --------------------------------------------------------------------------------------

PLAIN = {"apiVersion": "v1", "kind": CLAIM, "metadata": {"name": "data"}, "spec": {}}
NAMED = {**PLAIN, "spec": {"storageClassName": "fast"}}
FAST = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": CLASS,
    "metadata": {"name": "fast"},
    "provisioner": "ebs.csi.aws.com",
}
DEFAULT = {
    **FAST,
    "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
}
SET = {
    "apiVersion": "apps/v1",
    "kind": "StatefulSet",
    "metadata": {"name": "web"},
    "spec": {"volumeClaimTemplates": [{"metadata": {"name": "www"}, "spec": {}}]},
}
MADE = "StorageClass podline-default is made for claims that name no class ({}): their volumes are made"
DRIVER = "StorageClass fast: the driver ebs.csi.aws.com is taken to be there and to make volumes"


@pytest.mark.parametrize(
    "objects, expected",
    [
        pytest.param([PLAIN], [MADE.format("PersistentVolumeClaim data")], id="a claim without a class"),
        pytest.param([SET], [MADE.format("StatefulSet web")], id="claims of a StatefulSet"),
        pytest.param([PLAIN, DEFAULT], [DRIVER], id="a default class of their own"),
        pytest.param([NAMED, FAST], [DRIVER], id="a class that is named"),
        pytest.param([NAMED], [], id="a class that is missing is told elsewhere"),
        pytest.param(
            [{**FAST, "provisioner": "kubernetes.io/no-provisioner"}], [], id="volumes made by hand"
        ),
    ],
)
def test_what_is_assumed_of_storage_is_said(objects, expected):
    found = list_assumed_storage(objects)
    assert len(found) == len(expected)
    assert all(line.startswith(start) for line, start in zip(found, expected, strict=True)), found


# --- clusters of before -----------------------------------------------------------------------------------


def test_claims_of_a_cluster_that_knew_no_classes_go_on():
    world = World()
    world.create(
        CLAIM, "data", spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    )
    store = world.cluster._store
    # As an older engine left it: nobody has looked at the claim, and there are no classes.
    claim = store.require(CLAIM, "default", "data")
    spec = {field: value for field, value in claim.spec.items() if field != "storageClassName"}
    store.update(claim, claim.replace(spec=spec, status=None, meta=claim.meta.replace(finalizers=())))
    store.remove(store.require(CLASS, "", "podline-default"))
    world._take()
    world.saved()
    world.pod("user", "data")
    world.run(5)
    assert (world.phase("Pod", "user"), world.phase(CLAIM, "data")) == ("Running", "Bound")


def test_an_attachment_that_somebody_makes_by_hand_harms_nobody():
    world = World()
    for name, spec in {
        "odd": {"attacher": "x", "source": {"persistentVolumeName": "none"}, "nodeName": "none"},
        "inline": {"attacher": "x", "source": {"inlineVolumeSpec": {}}, "nodeName": "node-1"},
    }.items():
        world.create(ATTACHMENT, name, "storage.k8s.io/v1", spec=spec)
    world.run(60)
    assert len(world.cluster.list(ATTACHMENT)) == 2
