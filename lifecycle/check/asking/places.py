"""Where in the input that which a finding is about is written down: the line of the field at fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.check.findings import Finding
from lifecycle.check.report import Where
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.input.manifests import Document
from lifecycle.simulation.reports.report import list_places

DEFAULT_NAMESPACE = "default"
Path = tuple[str | int, ...]
_POD = ("spec", "template", "spec")
_FIELDS: Mapping[str, Path] = {
    "rollout-keeps-its-budget": ("spec", "strategy"),
    "one-writer": ("spec", "strategy"),
    "no-hard-kill": (*_POD, "terminationGracePeriodSeconds"),
    "no-request-lost": (*_POD, "containers", 0),
    "no-restart-storm": (*_POD, "containers", 0, "livenessProbe"),
    "whole-again": ("spec", "replicas"),
    "drain-ends": ("spec", "replicas"),
}
"""By claim the field that decides it, where no remedy says it better."""


class Places:
    """The objects of an input by how findings name them."""

    def __init__(self, documents: Sequence[Document]) -> None:
        places = zip(documents, list_places(documents), strict=True)
        self._known = {title_of(one): (one, place.file) for one, place in places}

    def find(self, finding: Finding) -> Where:
        """The file, and the line of the field that the best remedy changes, or of what is around it."""
        changed = finding.field_object if finding.field_object in self._known else ""
        if (changed or finding.object) not in self._known:
            return Where()
        document, file = self._known[changed or finding.object]
        path = finding.field_path if changed else _FIELDS.get(finding.claim, ())
        return Where(file, document.line_of(path))


def title_of(document: Document) -> str:
    """`Deployment/shop/web`, `Node/node-1`; "" for what has no name."""
    data: Mapping[str, Any] = document.data
    metadata, kind = data.get("metadata"), kind_of_json(data)
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if not isinstance(metadata, Mapping) or not name:
        return ""
    namespace = (metadata.get("namespace") or DEFAULT_NAMESPACE) if kind.namespaced else None
    return "/".join(filter(None, (kind.id, namespace, name)))
