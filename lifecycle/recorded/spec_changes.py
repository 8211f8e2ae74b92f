"""Changes of what was asked for: the versions of an object in which more than its status is another.

Versions are kept for the watch window (`Cluster.watch_ms`) as JSON merge patches; what was before the first
that is kept is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from lifecycle.engine.api.patching.patches import merge_patch
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.lean_dataclasses import dataclass
from lifecycle.models import Cluster, ObjectVersion
from lifecycle.recorded.versions import MODIFIED, NotKept, replay

Json = Mapping[str, Any]
METADATA, ANNOTATIONS = "metadata", "annotations"
MOST_FIELDS, DEEPEST = 20, 8
_OF_SERVER = ("status", "apiVersion", "kind")
_ASKED = ("labels", ANNOTATIONS, "finalizers")
_BY_CONTROL_PLANE = ("deployment.kubernetes.io/", "pv.kubernetes.io/", "kubectl.kubernetes.io/last-applied")


@dataclass(frozen=True, slots=True)
class Change:
    """One version of an object with the one before; `before` is None where that is not kept."""

    kind: str
    namespace: str
    name: str
    at_ms: int
    before: Json | None
    after: Json


def list_fields(patch: Any) -> list[str]:
    """What a patch changes besides the status and what the server keeps: `spec.replicas`; [] for nothing.

    Lists are told as a whole, as a merge patch has them.
    """
    if not isinstance(patch, Mapping):
        return []
    return [*islice(_walk(patch), MOST_FIELDS)]


def _walk(patch: Json) -> Iterator[str]:
    for name, value in patch.items():
        if name == METADATA and isinstance(value, Mapping):
            yield from _walk_metadata(value)
        elif name not in _OF_SERVER and name != METADATA:
            yield from _list_paths(value, name, DEEPEST)


def _walk_metadata(metadata: Json) -> Iterator[str]:
    for name in _ASKED:
        value = metadata.get(name)
        if isinstance(value, Mapping):
            yield from (
                f"{METADATA}.{name}[{key}]"
                for key in value
                if name != ANNOTATIONS or not str(key).startswith(_BY_CONTROL_PLANE)
            )
        elif name in metadata and name != ANNOTATIONS:
            yield f"{METADATA}.{name}"


def _list_paths(value: Any, path: str, deep: int) -> Iterator[str]:
    if isinstance(value, Mapping) and value and deep:
        for name, below in value.items():
            yield from _list_paths(below, f"{path}.{name}", deep - 1)
    else:
        yield path


def pick_asked(data: Json) -> Json:
    """Of an object what somebody asked for: neither its status nor what the server and its parts keep."""
    kept = {name: value for name, value in data.items() if name not in (*_OF_SERVER, METADATA)}
    metadata = data.get(METADATA) or {}
    asked = {name: metadata[name] for name in _ASKED if metadata.get(name)}
    annotations = asked.pop(ANNOTATIONS, None) or {}
    own = {name: text for name, text in annotations.items() if not str(name).startswith(_BY_CONTROL_PLANE)}
    return {METADATA: asked | ({ANNOTATIONS: own} if own else {}), **kept}


def read_change(cluster: Cluster, rv: int) -> Change | None:
    """The change that made a version; None where it is not kept, or was none."""
    versions = ObjectVersion.objects.filter(cluster=cluster, rv__lte=min(rv, cluster.rv))
    found = versions.filter(rv=rv, type=MODIFIED).first()
    if found is None:
        return None
    before: Json | None
    try:
        before, _ = replay(cluster, found.uid, rv - 1)
    except NotKept:
        before = None
    patch = found.patch or {}
    after = patch if before is None else merge_patch(before, patch)
    kind = kind_id(found.group, found.kind)
    return Change(kind, found.namespace or "", found.name, found.at_ms, before, after)
