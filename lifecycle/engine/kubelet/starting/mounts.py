"""Volumes that cannot be mounted yet: the pod waits, and the kubelet tries again with growing pauses.

Nothing ticks: tries between the first and the arrival of what is missing would all fail alike, so the next
one is set when something arrives, at the instant Kubernetes would make it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...programs.downward import PodFields
from ...programs.volumes import volume_files
from ...store.store import Store
from ..world.sources import StoredSources

RETRY_FIRST_MS = 500
RETRY_MOST_MS = 122_000
"""The pause between tries doubles from half a second up to two minutes and two seconds (volume manager)."""
SOURCE_KINDS = ("ConfigMap", "Secret")


def find_missing_volume(store: Store, namespace: str, volumes: Sequence[Mapping[str, Any]]) -> str | None:
    """Why a pod's volumes cannot be mounted, in the kubelet's words; None when they all can."""
    for volume in volumes:
        problem = volume_files(volume, PodFields(), StoredSources(store, namespace)).problem
        if problem is not None:
            return f'MountVolume.SetUp failed for volume "{volume.get("name")}" : {problem}'
    return None


def next_try_ms(first_ms: int, now_ms: int) -> int:
    """The instant of the first try after `now_ms`, when the first of all was at `first_ms`."""
    pause_ms, try_ms = RETRY_FIRST_MS, first_ms
    while try_ms <= now_ms:
        try_ms += pause_ms
        pause_ms = min(pause_ms * 2, RETRY_MOST_MS)
    return try_ms
