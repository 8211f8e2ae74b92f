"""The releases that are modelled, and which one a text means."""

from __future__ import annotations

from .release import Release
from .v1_23_1 import V1_23_1
from .v1_35 import V1_35

RELEASES: tuple[Release, ...] = (V1_35, V1_23_1)
DEFAULT_RELEASE = V1_35
"""What a cluster is of that asks for none."""
FIRST_RELEASE = V1_35
"""What a cluster is of that was saved before it could be asked for one."""


def find_release(text: str) -> Release:
    """The release that is called so: `v1.35`, `1.35` or `v1.35.6`. Raises ValueError with the known ones."""
    wanted = f"v{text.removeprefix('v')}"
    for release in RELEASES:
        if wanted in (release.name, release.version):
            return release
    raise ValueError(f"Kubernetes {text!r:.40} is not modelled; there are {list_releases()}")


def list_releases() -> str:
    """`v1.35 (v1.35.6), v1.23.1`"""
    return ", ".join(
        one.name if one.name == one.version else f"{one.name} ({one.version})" for one in RELEASES
    )
