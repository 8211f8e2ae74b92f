"""Claims a pod needs before any node will do. A claim that is there binds to a default volume."""

from __future__ import annotations

from ..objects.pod import Pod
from ..store.store import Store

CLAIM = "PersistentVolumeClaim"


def find_missing_claim(store: Store, pod: Pod) -> str | None:
    """The first claim of the pod that nobody has made, in the scheduler's words; None when all are there."""
    for volume in pod.spec.volumes:
        source = volume.get("persistentVolumeClaim")
        name = str((source or {}).get("claimName") or "")
        if name and store.get(CLAIM, pod.meta.namespace or "", name) is None:
            return f'persistentvolumeclaim "{name}" not found'
    return None
