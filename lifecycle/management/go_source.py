"""Kubernetes' types as its Go source declares them, read by patterns: struct by struct."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

META = "meta/v1"
# What files call the packages they import.
PACKAGES = {"metav1": META, **dict.fromkeys(("v1", "corev1", "apiv1"), "core/v1")}
NOT_SENT = {"admission/v1", "apidiscovery/v2"}
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.S | re.M)
NAMED = re.compile(r"^type (\w+) (\*?[\w.\[\]]+)$", re.M)
FIELD = re.compile(r"^\t(?:\w+ +)?(\S+) +`(.*)`", re.M)
FIELD_NAME = re.compile(r"^\t(\w+) +\S+ +`(.*)`", re.M)
TAG = re.compile(r'(\w+):"([^"]*)"')


def read_packages(folder: Path) -> Iterator[tuple[str, str]]:
    """The files `types.go` of what an API server serves, by group and version: `apps/v1`."""
    for path in sorted(folder.rglob("types.go")):
        parts = path.parent.parts
        is_one = "apis" in parts or parts[-3:-2] == ("api",)
        if is_one and "/".join(parts[-2:]) not in NOT_SENT:
            yield "/".join(parts[-2:]), path.read_text()
