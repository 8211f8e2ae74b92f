"""The ConfigMaps and Secrets that volumes are made of, and which volumes a pod's containers mount."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.names import ROOT_CA
from ...objects.pods.pod import PodSpec

SOURCE_KINDS = ("ConfigMap", "Secret")
_SECTIONS = ("containers", "initContainers", "ephemeralContainers")


def list_mounted_names(spec: Mapping[str, Any]) -> set[str]:
    """The volumes that containers ask for, of a spec given as JSON: a kubelet mounts no others.

    volume/util GetPodVolumeNames.
    """
    return {
        str(mount.get("name"))
        for section in _SECTIONS
        for container in spec.get(section) or ()
        for mount in (*(container.get("volumeMounts") or ()), *(container.get("volumeDevices") or ()))
    }


def find_sources(volume: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(kind, name) of each ConfigMap and Secret that a volume is made of, in the order of the volume."""
    found = []
    for one in (volume, *((volume.get("projected") or {}).get("sources") or ())):
        config_map, secret = one.get("configMap") or {}, one.get("secret") or {}
        found.append(("ConfigMap", config_map.get("name")))
        found.append(("Secret", secret.get("secretName") or secret.get("name")))
    return [(kind, str(name)) for kind, name in found if name]


def list_sources(spec: PodSpec) -> set[tuple[str, str]]:
    """(kind, name) of all that a pod's volumes are made of and that others may change behind its back."""
    return {one for volume in spec.volumes for one in _list_changeable(volume)}


def is_of_sources(volume: Mapping[str, Any]) -> bool:
    """Whether it holds what others may change behind a pod's back."""
    return bool(_list_changeable(volume))


def _list_changeable(volume: Mapping[str, Any]) -> list[tuple[str, str]]:
    # Nobody changes the cluster's own certificate.
    return [one for one in find_sources(volume) if one[1] != ROOT_CA]
