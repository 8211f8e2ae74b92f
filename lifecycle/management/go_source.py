"""Kubernetes' types as its Go source declares them, read by patterns: struct by struct."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

META = "meta/v1"
# What files call the packages they import.
PACKAGES = {"metav1": META, **dict.fromkeys(("v1", "corev1", "apiv1"), "core/v1")}
NOT_SENT = {"admission/v1", "apidiscovery/v2"}
# What an API server serves. Others' types are those of configuration files, of the audit log, of examples.
SERVED = tuple(
    f"k8s.io/{module}/"
    for module in (
        "api",
        "apimachinery/pkg/apis/meta",
        "apiextensions-apiserver/pkg/apis",
        "kube-aggregator/pkg/apis",
    )
)
# Of Kubernetes itself, which stands in the folder, or below it as others vendor it.
_INTERNAL = re.compile(r"(?:^|/kubernetes/)pkg/apis/[^/]+/types\.go$")
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.S | re.M)
NAMED = re.compile(r"^type (\w+) (\*?[\w.\[\]]+)$", re.M)
FIELD = re.compile(r"^\t(?:\w+ +)?(\S+) +`(.*)`", re.M)
FIELD_NAME = re.compile(r"^\t(\w+) +\S+ +`(.*)`", re.M)
TAG = re.compile(r'(\w+):"([^"]*)"')


def read_packages(folder: Path) -> Iterator[tuple[str, str]]:
    """The files `types.go` of what an API server serves, by group and version: `apps/v1`."""
    for path in sorted(folder.rglob("types.go")):
        name = "/".join(path.parent.parts[-2:])
        if any(one in path.as_posix() for one in SERVED) and name not in NOT_SENT:
            yield name, path.read_text()


def find_internal(folder: Path) -> list[Path]:
    """The files `types.go` of the API server's own structs, that of core last."""
    files = [
        path for path in folder.rglob("types.go") if _INTERNAL.search(path.relative_to(folder).as_posix())
    ]
    return sorted(files, key=lambda path: (path.parent.name == "core", path))
