"""The releases that are modelled, and which one a text means. Each is loaded when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from .release import Release

VERSIONS = {
    "v1.37": "v1.37.0",
    "v1.36": "v1.36.3",
    "v1.35": "v1.35.6",
    "v1.34": "v1.34.9",
    "v1.23.1": "v1.23.1",
}
"""By name the patch release that is modelled; a module of the same name holds it."""
NOT_RECORDED = frozenset(["v1.37", "v1.23.1"])
"""Those of which no history of a real cluster is compared."""


@cache
def find_release(text: str) -> Release:
    """The release that is called so: `v1.35`, `1.35`, `v1.35.6`, and any other patch release of it.

    The same value each time: releases are told apart by which they are. Raises ValueError with the known
    ones.
    """
    wanted = f"v{text.removeprefix('v')}"
    for name, version in VERSIONS.items():
        if wanted in (name, version):
            return _load(name)
        if (patch := _find_patch(wanted, name)) is not None:
            return _find_at_patch(name, patch)
    raise ValueError(f"Kubernetes {text!r:.40} is not modelled; there are {list_releases()}")


def find_next_release(release: Release) -> str:
    """The name of the minor release after that of another one; "" where it is not modelled."""
    major, minor = release.minor
    following = f"v{major}.{minor + 1}"
    return following if following in VERSIONS else ""


@cache
def _find_at_patch(name: str, patch: int) -> Release:
    return _load(name).at_patch(patch)


def _find_patch(wanted: str, name: str) -> int | None:
    """0 of v1.35.0, where that is of this minor release."""
    start, _, patch = wanted.rpartition(".")
    is_number = patch.isascii() and patch.isdigit() and len(patch) <= 3 and patch == str(int(patch))
    return int(patch) if start == name and is_number else None


def _load(name: str) -> Release:
    module = name.replace(".", "_")
    found: Release = getattr(import_module(f"{__package__}.{module}"), module.upper())
    return found


def load_releases() -> tuple[Release, ...]:
    """All of them, the newest first."""
    return tuple(map(find_release, VERSIONS))


def list_releases() -> str:
    """`v1.37 (v1.37.0, not recorded), v1.35 (v1.35.6)`"""
    return ", ".join(map(_tell, VERSIONS))


def _tell(name: str) -> str:
    more = [VERSIONS[name]] if VERSIONS[name] != name else []
    more += ["not recorded"] if name in NOT_RECORDED else []
    return f"{name} ({', '.join(more)})" if more else name


DEFAULT_RELEASE = find_release("v1.36")
"""What a cluster is of that asks for none: the newest release that is recorded."""
FIRST_RELEASE = find_release("v1.35")
"""What a cluster is of that was saved before it could be asked for one."""
