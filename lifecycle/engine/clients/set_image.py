"""`kubectl set image`: another image for a container of a pod, or of a workload's pods."""

from __future__ import annotations

from ..heart.errors import BadRequest
from .client import Answer, Client, Payload

TEMPLATED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "DaemonSet")
"""Kinds that make pods from a template, which can be rolled out."""
ALL = "*"


def set_image(client: Client, payload: Payload) -> Answer:
    """Change the image of one container, or of all when none is named. Raises ApiError."""
    old, name, image = client.find(payload), payload.get("container"), payload["image"]
    kind = old.kind.name
    if kind != "Pod" and kind not in TEMPLATED:
        raise BadRequest(f"{kind} {old.meta.name}: has no pod template")

    def change(data: Payload) -> None:
        spec = data["spec"] if kind == "Pod" else data["spec"]["template"]["spec"]
        containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
        found = [one for one in containers if name in (ALL, None) or one.get("name") == name]
        if not found:
            names = ", ".join(str(one.get("name")) for one in containers)
            raise BadRequest(f'{kind} {old.meta.name}: no container "{name}"; it has {names}')
        for one in found:
            one["image"] = image

    return client.change(old, change)
