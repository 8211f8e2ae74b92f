"""Volumes that a pod waits for before its sandbox, and image pull secrets, whose absence only gives an event.

Models the volume manager, which retries each volume by itself with an event for each failure, and
WaitForAttachAndMount: the worker waits two minutes for all volumes, then again after the pause of a failed
sync.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...objects.pods.api_access import with_api_access
from ...objects.pods.pod import PodSpec
from ...programs.downward import PodFields
from ...programs.volumes import volume_files
from ...rules.volumes.sources import find_sources, list_mounted_names
from ...store.store import Store

RETRY_FIRST_MS = 500
RETRY_MOST_MS = 122_000
"""The pause between tries doubles from half a second up to two minutes and two seconds (volume manager)."""
WAIT_MS = 123_000
"""A look of a pod's worker waits so long for the volumes (volume manager, podAttachAndMountTimeout)."""


def list_mounted(spec: PodSpec) -> list[dict[str, Any]]:
    """The volumes that a container of the pod mounts: a kubelet cares for no others (volume manager)."""
    used = list_mounted_names(spec.raw)
    return [volume for volume in spec.volumes if volume.get("name") in used]


def find_problems(store: Store, namespace: str, volumes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why volumes of a pod cannot be mounted, in the kubelet's words."""
    from ...rules.volumes.plugins import find_switched_off
    from ..world.sources import StoredSources

    sources, problems = StoredSources(store, namespace), []
    for volume in volumes:
        problem = volume_files(volume, PodFields(), sources).problem or find_switched_off(volume)
        if problem:
            problems.append(f'MountVolume.SetUp failed for volume "{volume.get("name")}" : {problem}')
    return problems


def find_unregistered(namespace: str, spec: Mapping[str, Any]) -> list[str]:
    """Why a kubelet that has just started cannot mount the volumes of a pod that is ending anew.

    It knows the ConfigMaps and Secrets of the pods alone whose containers it may start (RegisterPod).
    """
    problems = []
    for volume in with_api_access(dict(spec)).get("volumes") or ():
        names = [name for _, name in find_sources(volume)]
        texts = list(dict.fromkeys(f'object "{namespace}"/"{name}" not registered' for name in names))
        if texts:
            text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
            problems.append(f'MountVolume.SetUp failed for volume "{volume.get("name")}" : {text}')
    return problems


def list_missing_pull_secrets(store: Store, namespace: str, spec: Mapping[str, Any]) -> list[str]:
    """Secrets for registries that a pod names and nobody has made."""
    secrets = spec.get("imagePullSecrets")
    if not secrets:
        return []
    names = (one.get("name") or "" for one in secrets)
    return [name for name in names if name and store.get("Secret", namespace, name) is None]


def next_try_ms(first_ms: int, now_ms: int) -> int:
    """The instant of the first try after `now_ms`, when the first of all was at `first_ms`."""
    pause_ms, try_ms = RETRY_FIRST_MS, first_ms
    while try_ms <= now_ms:
        try_ms += pause_ms
        pause_ms = min(pause_ms * 2, RETRY_MOST_MS)
    return try_ms


def next_wait_ms(first_ms: int, now_ms: int, back_ms: Callable[[int], int]) -> int:
    """When the worker of a pod, whose first look began at `first_ms`, learns of what is mounted now.

    `back_ms`: when it comes back after a look that has ended at an instant. Back 10 s after each, and mounted
    at 127.5 s: from 0 to 123 s it waited in vain, and is back at 133 s.
    """
    begin_ms = first_ms
    while now_ms > begin_ms + WAIT_MS:
        begin_ms = back_ms(begin_ms + WAIT_MS)
    return max(begin_ms, now_ms)
