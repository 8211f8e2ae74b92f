"""Volumes that no kubelet mounts: as the wrong mode of a claim, or by a plugin that is gone."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.engine.kubelet.world import World

START = "Unable to attach or mount volumes: unmounted volumes=[d], unattached volumes=[], failed to process"
MOUNT, DEVICE = "volumeMounts: [{name: d, mountPath: /d}]", "volumeDevices: [{name: d, devicePath: /dev/x}]"


def make_pod(volume: str, use: str = MOUNT) -> dict[str, Any]:
    text = (
        "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers:"
        f" [{{name: c, image: 'acme/a:1', {use}}}], volumes: [{{name: d, {volume}}}]}}}}"
    )
    return dict(yaml.safe_load(text))


def look(world: World) -> tuple[str, set[str]]:
    pod = world.get("web", "Pod")
    assert pod is not None
    told = {row["message"] for row in world.rows if row.get("reason") == "FailedMount"}
    return pod["status"]["phase"], told


@pytest.mark.parametrize(
    "mode, use, expected",
    [
        pytest.param("Filesystem", MOUNT, "", id="files as files"),
        pytest.param("Block", DEVICE, "", id="a device as a device"),
        pytest.param(
            "Block", MOUNT, "volume d has volumeMode Block, but is specified in volumeMounts", id="a device"
        ),
        pytest.param(
            "Filesystem",
            DEVICE,
            "volume d has volumeMode Filesystem, but is specified in volumeDevices",
            id="files as a device",
        ),
    ],
)
def test_a_claim_of_another_mode_is_never_mounted(mode: str, use: str, expected: str) -> None:
    world = World()
    claim = (
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: raw}, spec: {volumeMode: %s,"
        " accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}"
    )
    assert world.create(yaml.safe_load(claim % mode)).ok
    assert world.create(make_pod("persistentVolumeClaim: {claimName: raw}", use)).ok
    world.to(900)
    phase, told = look(world)
    assert phase == ("Pending" if expected else "Running")
    assert (f"{START} volumes=[d]: {expected}" in told) is bool(expected), told


NO_PLUGIN = 'failed to get Plugin from volumeSpec for volume "d" err=no volume plugin matched'


@pytest.mark.slow
@pytest.mark.parametrize(
    "volume",
    [
        "glusterfs: {endpoints: e, path: p}",
        "rbd: {monitors: [10.0.0.1], image: i}",
        "cephfs: {monitors: [10.0.0.1]}",
        "flocker: {datasetName: d}",
        "quobyte: {registry: 'r:1', volume: v}",
        "scaleIO: {gateway: g, system: s, volumeName: v, secretRef: {name: s}}",
        "storageos: {volumeName: v}",
        "photonPersistentDisk: {pdID: p}",
    ],
)
def test_a_volume_whose_plugin_is_gone_is_never_mounted(volume: str) -> None:
    world = World()
    assert world.create(make_pod(volume)).ok
    world.to(900)
    assert look(world) == ("Pending", {f"{START} volumes=[d]: {NO_PLUGIN}"})


def test_such_a_volume_that_no_container_mounts_stops_nothing() -> None:
    world = World()
    assert world.create(make_pod("glusterfs: {endpoints: e, path: p}", "env: []")).ok
    world.to(60)
    assert look(world) == ("Running", set())


def test_git_repo_is_switched_off() -> None:
    world = World()
    assert world.create(make_pod("gitRepo: {repository: 'https://git.example/r.git'}")).ok
    world.to(900)
    told = (
        'MountVolume.SetUp failed for volume "d" : git-repo volume plugin has been disabled; if necessary,'
        " it may be re-enabled by enabling the feature-gate `GitRepoVolumeDriver`"
    )
    assert look(world) == ("Pending", {told})
