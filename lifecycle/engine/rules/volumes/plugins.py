"""Volumes that no kubelet of this release mounts: their plugins are gone, or switched off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
REMOVED = ("glusterfs", "rbd", "cephfs", "flocker", "quobyte", "scaleIO", "storageos", "photonPersistentDisk")
"""Fields of volumes for which no kubelet has a plugin any more (cmd/kubelet/app/plugins.go)."""


def find_plugin_problem(source: Json, name: str) -> str:
    """Why nothing mounts a pod's volume, or the spec of a PersistentVolume; "" when something may."""
    if any(source.get(field) is not None for field in REMOVED):
        return f'failed to get Plugin from volumeSpec for volume "{name}" err=no volume plugin matched'
    return ""


def find_switched_off(volume: Json) -> str:
    """Why the plugin of a pod's volume does not do its work; "" where it does. Its gate cannot be set."""
    if volume.get("gitRepo") is None:
        return ""
    return (
        "git-repo volume plugin has been disabled; if necessary, it may be re-enabled by enabling the"
        " feature-gate `GitRepoVolumeDriver`"
    )


def find_mode_problem(name: str, mode: str, is_mounted: bool, is_device: bool) -> str:
    """Why containers cannot have a claim's volume as they ask for it: as files, or as a device."""
    if is_mounted and mode != "Filesystem":
        return f"volume {name} has volumeMode {mode}, but is specified in volumeMounts"
    if is_device and mode != "Block":
        return f"volume {name} has volumeMode {mode}, but is specified in volumeDevices"
    return ""
