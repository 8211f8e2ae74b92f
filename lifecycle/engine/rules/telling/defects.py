"""Defects of Kubernetes itself that are known by a number, where a pod runs into one. Pure."""

from __future__ import annotations

from ...objects.pods.pod import Pod
from ..pods.probe_rules import CANCELED
from .noticed import Noticed
from .verdicts import tell_instant

FORCED_ROLLBACK = "kubernetes#67250"
"""The issue in which it is known that a StatefulSet does not replace a pod that never was ready."""
CANCELED_CHECKS = "kubernetes#140881"
"""The issue in which it is known that commands of readiness probes are canceled while a pod ends."""
_UNHEALTHY = "Unhealthy"


def tell_canceled(pod: Pod, noticed: Noticed) -> str:
    """Of a pod that ends: that its readiness probe gives no answer any more; "" where it does.

    Its worker's context ends with the first look at its end, and the probe's command with that (SyncPod and
    SyncTerminatingPod in pkg/kubelet/kubelet.go).
    """
    warned = noticed.warned.get(_UNHEALTHY)
    asked_ms = pod.meta.deletion_ms
    if asked_ms is None or warned is None or not warned.message.endswith(CANCELED):
        return ""
    ending_ms = asked_ms - (pod.meta.deletion_grace_seconds or 0) * 1000
    if warned.last_ms < ending_ms:
        return ""
    since = tell_instant(max(warned.since_ms, ending_ms))
    return (
        f"its readiness probe gives no answer since {since}, and the last one stays: a defect of Kubernetes"
        f" ({CANCELED_CHECKS})"
    )
