"""ContainerProfile: how containers of an image behave; read by `programs/profiles`."""

from __future__ import annotations

from ..objects.kinds import Kind
from .entry import KindEntry

CONTAINER_PROFILE = KindEntry(
    kind=Kind("podline.dev/v1alpha1", "ContainerProfile", "containerprofiles", False),
)
