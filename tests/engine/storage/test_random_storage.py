"""Claims, volumes and pods in any order: nothing is bound twice, and all that can be bound is."""

from __future__ import annotations

import random

import pytest

from tests.engine.storage.world import CLAIM, VOLUME, World
from tests.seeds import first_of

pytestmark = pytest.mark.slow

MODES = [["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteMany"], ["ReadWriteOncePod"]]
CLASSES = ["", "now", "later", "made", "made-later"]
SIZES = ["1Gi", "2Gi", "5Gi"]


def make_world(seed: int) -> World:
    world = World(random.Random(seed).choice(["instant", "realistic"]), nodes=3, seed=seed)
    for name in CLASSES[1:]:
        mode = "WaitForFirstConsumer" if name.endswith("later") else "Immediate"
        provisioner = "disks.example.com" if name.startswith("made") else "kubernetes.io/no-provisioner"
        world.storage_class(name, provisioner, volumeBindingMode=mode)
    return world


def take_step(world: World, draw: random.Random, number: int) -> None:
    names = [one["metadata"]["name"] for one in world.cluster.list(CLAIM, "default")]
    volumes = [one["metadata"]["name"] for one in world.cluster.list(VOLUME)]
    pods = [one["metadata"]["name"] for one in world.cluster.list("Pod", "default")]
    match draw.choice(
        "volume volume claim claim pod pod unclaim unpod unvolume free steal save wait".split()
    ):
        case "volume":
            host = draw.choice(["", "", "node-1", "node-2"])
            more = {"persistentVolumeReclaimPolicy": draw.choice(["Retain", "Delete", "Recycle"])}
            if draw.random() < 0.1:
                more["claimRef"] = {"namespace": "default", "name": f"c{number + 1}"}
            world.volume(
                f"v{number}", draw.choice(SIZES), host, accessModes=draw.choice(MODES),
                storageClassName=draw.choice(CLASSES), **more,
            )  # fmt: skip
        case "claim":
            more = {"volumeName": draw.choice(volumes)} if volumes and draw.random() < 0.1 else {}
            class_name = draw.choice([*CLASSES, None])
            modes = draw.choice(MODES)
            world.claim(
                f"c{number}", draw.choice(SIZES), storageClassName=class_name, accessModes=modes, **more
            )
        case "pod" if names:
            world.pod(f"p{number}", *draw.sample(names, min(len(names), draw.randint(1, 2))))
        case "unclaim" if names:
            world.delete(CLAIM, draw.choice(names))
        case "unpod" if pods:
            world.delete("Pod", draw.choice(pods))
        case "unvolume" if volumes:
            world.delete(VOLUME, draw.choice(volumes))
        case "free" if volumes:
            name = draw.choice(volumes)
            # Taken off a bound one by hand, its claim may share it for a while, as in Kubernetes.
            if world.phase(VOLUME, name) != "Bound":
                world.patch(VOLUME, name, {"spec": {"claimRef": None}})
        case "steal" if volumes and draw.random() < 0.3:
            world.patch(VOLUME, draw.choice(volumes), {"metadata": {"finalizers": []}})
        case "save":
            world.saved()
        case "wait":
            world.run(draw.choice([0.01, 0.5, 3, 20]))


def check(world: World, is_settled: bool = False) -> None:
    """What holds at any time; once all is settled, more."""
    volumes = {one["metadata"]["name"]: one for one in world.cluster.list(VOLUME)}
    holders: dict[str, str] = {}
    for claim in world.cluster.list(CLAIM, "default"):
        name, spec, phase = claim["metadata"]["name"], claim["spec"], claim["status"]["phase"]
        if phase != "Bound":
            continue
        held = spec["volumeName"]
        assert held not in holders, (held, name, holders[held])
        holders[held] = name
        if is_settled:
            ref = volumes[held]["spec"]["claimRef"]
            assert ref["uid"] == claim["metadata"]["uid"], name
            assert volumes[held]["status"]["phase"] == "Bound", name
            # What both sides name by hand is bound as it is.
            is_found = "pv.kubernetes.io/bound-by-controller" in claim["metadata"]["annotations"]
            assert not is_found or set(spec["accessModes"]) <= set(volumes[held]["spec"]["accessModes"]), name
    for pod in world.cluster.list("Pod", "default"):
        check_pod(world, pod)
    if is_settled:
        check_free(world, volumes)


def check_pod(world: World, pod: dict) -> None:
    """A pod is on a node only where all its volumes can be had."""
    node = pod["spec"].get("nodeName")
    for volume in pod["spec"]["volumes"] if node else ():
        if "persistentVolumeClaim" not in volume:
            continue
        claim = world.get(CLAIM, volume["persistentVolumeClaim"]["claimName"])
        # Only a claim that was taken away by force, or lost its volume, may fail a pod that has it.
        assert claim is not None and claim["status"]["phase"] in ("Bound", "Lost"), pod["metadata"]["name"]
        found = world.get(VOLUME, claim["spec"]["volumeName"])
        affinity = ((found or {}).get("spec") or {}).get("nodeAffinity")
        if affinity and "local" in found["spec"]:
            assert node in str(affinity), (pod["metadata"]["name"], node)


def check_free(world: World, volumes: dict) -> None:
    """No claim of an Immediate class waits beside a volume that would do for it."""
    free = [one for one in volumes.values() if one["status"]["phase"] == "Available"]
    for claim in world.cluster.list(CLAIM, "default"):
        spec = claim["spec"]
        if claim["status"]["phase"] != "Pending" or spec.get("storageClassName") not in ("", "now"):
            continue
        fitting = [one["metadata"]["name"] for one in free if fits(one["spec"], spec)]
        assert "volumeName" in spec or not fitting, (claim["metadata"]["name"], fitting)


def fits(volume: dict, claim: dict) -> bool:
    return (
        "claimRef" not in volume
        and volume["storageClassName"] == claim["storageClassName"]
        and set(claim["accessModes"]) <= set(volume["accessModes"])
        and SIZES.index(volume["capacity"]["storage"])
        >= SIZES.index(claim["resources"]["requests"]["storage"])
    )


def play(seed: int, steps: int) -> World:
    world, draw = make_world(seed), random.Random(seed)
    for number in range(steps):
        take_step(world, draw, number)
        check(world)
    world.run(1200)
    check(world, is_settled=True)
    return world


@pytest.mark.parametrize("seed", first_of(range(12)))
def test_nothing_is_bound_twice(seed):
    play(seed, 40)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_nothing_is_bound_twice_in_many_histories(seed):
    play(seed, 120)


def test_the_same_seed_lives_the_same_history():
    assert play(77, 60).rows == play(77, 60).rows
