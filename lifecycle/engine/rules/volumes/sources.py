"""The ConfigMaps and Secrets that volumes are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.names import ROOT_CA
from ...objects.pods.pod import PodSpec

SOURCE_KINDS = ("ConfigMap", "Secret")


def list_sources(spec: PodSpec) -> set[tuple[str, str]]:
    """(kind, name) of all that a pod's volumes are made of, but for the cluster's own certificate."""
    return {one for volume in spec.volumes for one in _find_sources(volume)}


def is_of_sources(volume: Mapping[str, Any]) -> bool:
    """Whether it holds what others may change behind a pod's back."""
    return bool(_find_sources(volume))


def _find_sources(volume: Mapping[str, Any]) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for one in (volume, *((volume.get("projected") or {}).get("sources") or ())):
        config_map, secret = one.get("configMap") or {}, one.get("secret") or {}
        name = secret.get("secretName") or secret.get("name")
        found |= {("ConfigMap", config_map.get("name") or ""), ("Secret", name or "")}
    return {(kind, name) for kind, name in found if name and name != ROOT_CA}
