"""Which pods a kubelet has rejected: failed at once, without starting anything of theirs."""

from __future__ import annotations

from ...objects.meta import StoredObject
from ...objects.pods.pod import FAILED, Pod

REJECTED = "Pod was rejected: "
"""How the kubelet begins the message of such a pod's status."""


def is_rejected(pod: StoredObject | None) -> bool:
    """Whether its kubelet did not take the pod."""
    return isinstance(pod, Pod) and pod.status.phase == FAILED and pod.status.message.startswith(REJECTED)


def tell_rejection(pod: Pod) -> str:
    """`SysctlForbidden, forbidden sysctl: "net.core.somaxconn" not allowlisted`."""
    return f"{pod.status.reason}, {pod.status.message.removeprefix(REJECTED)}"
