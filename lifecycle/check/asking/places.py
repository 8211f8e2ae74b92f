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
        """The file, and the line of the field, or of the closest that is written around it."""
        if finding.object not in self._known:
            return Where()
        document, file = self._known[finding.object]
        patches = [cure.patch for cure in finding.remedies]
        found = next(filter(None, (_find_path(one, document.data) for one in patches)), None)
        return Where(file, document.line_of(found or _FIELDS.get(finding.claim, ())))


def title_of(document: Document) -> str:
    """`Deployment/shop/web`, `Node/node-1`; "" for what has no name."""
    data: Mapping[str, Any] = document.data
    metadata, kind = data.get("metadata"), kind_of_json(data)
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if not isinstance(metadata, Mapping) or not name:
        return ""
    namespace = (metadata.get("namespace") or DEFAULT_NAMESPACE) if kind.namespaced else None
    return "/".join(filter(None, (kind.id, namespace, name)))


def _find_path(patch: Any, data: Any) -> Path:
    """The one field that a patch changes; as far as there is one, in the terms of the object."""
    if isinstance(patch, Mapping):
        # What names an item of a list is not what is changed of it.
        keys = [key for key in patch if key != "name" or len(patch) == 1]
        if len(keys) != 1:
            return ()
        below = data.get(keys[0]) if isinstance(data, Mapping) else None
        return (keys[0], *_find_path(patch[keys[0]], below))
    if isinstance(patch, list) and len(patch) == 1 and isinstance(data, list):
        names = [one.get("name") for one in data if isinstance(one, Mapping)]
        name = patch[0].get("name") if isinstance(patch[0], Mapping) else None
        if name in names:
            place = names.index(name)
            return (place, *_find_path(patch[0], data[place]))
    return ()
