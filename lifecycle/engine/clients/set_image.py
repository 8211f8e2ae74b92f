"""`kubectl set image`: another image for a container of a pod, or of a workload's pods."""

from __future__ import annotations

from functools import reduce
from operator import getitem

from ..heart.errors import BadRequest
from ..kinds.registry import entry_of
from .client import Answer, Client, Payload

ALL = "*"


def set_image(client: Client, payload: Payload) -> Answer:
    """Change the image of one container, or of all when none is named. Raises ApiError."""
    old, name, image = client.find(payload), payload.get("container"), payload["image"]
    kind, path = old.kind.name, entry_of(old.kind).pod_spec_path
    if not path:
        raise BadRequest(f"{kind} {old.meta.name}: has no pod template")

    def change(data: Payload) -> None:
        spec = reduce(getitem, path, data)
        containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
        found = [one for one in containers if name in (ALL, None) or one.get("name") == name]
        if not found:
            names = ", ".join(str(one.get("name")) for one in containers)
            raise BadRequest(f'{kind} {old.meta.name}: no container "{name}"; it has {names}')
        for one in found:
            one["image"] = image

    return client.change(old, change)
