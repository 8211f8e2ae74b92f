"""Volumes that cannot be mounted yet: the pod waits, and the kubelet tries again with growing pauses.

Nothing ticks: tries between the first and the arrival of what is missing would all fail alike, so the next
one is set when something arrives, at the instant Kubernetes would make it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..store.store import Store

RETRY_FIRST_MS = 500
RETRY_MOST_MS = 122_000
"""The pause between tries doubles from half a second up to two minutes and two seconds (volume manager)."""
SOURCE_KINDS = ("ConfigMap", "Secret")


def find_missing_volume(store: Store, namespace: str, volumes: Sequence[Mapping[str, Any]]) -> str | None:
    """Why a pod's volumes cannot be mounted, in the kubelet's words; None when they all can."""
    for volume in volumes:
        for kind, name in _list_sources(volume):
            if store.get(kind, namespace, name) is None:
                found = f'{kind.lower()} "{name}" not found'
                return f'MountVolume.SetUp failed for volume "{volume.get("name")}" : {found}'
    return None


def _list_sources(volume: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for part in (volume, *((volume.get("projected") or {}).get("sources") or ())):
        for kind, field, name_field in (
            ("ConfigMap", "configMap", "name"),
            ("Secret", "secret", "secretName"),
        ):
            source = part.get(field)
            if source is not None and not source.get("optional"):
                yield kind, str(source.get(name_field) or source.get("name") or "")


def next_try_ms(first_ms: int, now_ms: int) -> int:
    """The instant of the first try after `now_ms`, when the first of all was at `first_ms`."""
    pause_ms, try_ms = RETRY_FIRST_MS, first_ms
    while try_ms <= now_ms:
        try_ms += pause_ms
        pause_ms = min(pause_ms * 2, RETRY_MOST_MS)
    return try_ms
