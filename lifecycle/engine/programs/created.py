"""What a container's program makes through the API when it ends with 0, as a behaviour says it in `creates`.

Each entry is a manifest: its text, or the object itself. What is wrong with the object beyond its head is
for the API server to say when it is made.
"""

from __future__ import annotations

import json
from typing import Any

from ..objects.shortened import shorten
from .reading import Reader

MOST_OBJECTS = 20
_EXAMPLE = "{apiVersion: v1, kind: Secret, metadata: {name: made}}"


def read_created(reader: Reader, value: Any, path: str) -> tuple[str, ...]:
    """The objects, each as JSON; mistakes are noted with the path of the field they are in."""
    if isinstance(value, list) and len(value) > MOST_OBJECTS:
        reader.note(path, f"{len(value)} objects are too many: {MOST_OBJECTS} at most")
        return ()
    return reader.entries(value, path, lambda entry, where: _read(reader, entry, where))


def _read(reader: Reader, value: Any, path: str) -> str | None:
    from .behavior_yaml import read_text

    if isinstance(value, str):
        try:
            value = read_text(value)
        except ValueError as error:
            reader.note(path, str(error))
            return None
    if not isinstance(value, dict):
        reader.note(path, f"{shorten(value)} must be a manifest, for example {_EXAMPLE}")
        return None
    return json.dumps(value) if _has_head(reader, value, path) else None


def _has_head(reader: Reader, data: dict[str, Any], path: str) -> bool:
    metadata = data.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        reader.note(f"{path}.metadata", f"{shorten(metadata)} must be a mapping with a name")
        return False
    given = {"apiVersion": data.get("apiVersion"), "kind": data.get("kind")}
    given["metadata.name"] = (metadata or {}).get("name")
    wrong = [(field, one) for field, one in given.items() if not isinstance(one, str) or not one]
    for field, one in wrong:
        said = "required" if one is None else f"{shorten(one)} must be text"
        reader.note(f"{path}.{field}", f"{said}; write for example {_EXAMPLE}")
    namespace = (metadata or {}).get("namespace")
    if namespace is not None and not isinstance(namespace, str):
        reader.note(f"{path}.metadata.namespace", f"{shorten(namespace)} must be text")
        return False
    return not wrong
