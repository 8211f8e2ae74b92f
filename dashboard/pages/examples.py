"""Manifests to begin with, offered beside the empty text box: those of some scenarios of the gallery."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from lifecycle.simulation.stories import find_story

LABELS = {
    "nginx-rolling-update": "nginx, three replicas",
    "probed-deployment": "Three probes, and a slow start",
    "slow-pre-stop": "A rollout with a slow preStop",
    "crash-loop": "A container that keeps crashing",
    "s04-init-succeeds": "An init container, then work",
}


class Example(NamedTuple):
    """A manifest and what it shows."""

    key: str
    label: str
    manifest: str


@cache
def list_examples() -> list[Example]:
    """The manifests alone: a scenario's own document comes last in its file."""
    return [
        Example(name, label, find_story(name).read_text().rpartition("---\n")[0])
        for name, label in LABELS.items()
    ]
