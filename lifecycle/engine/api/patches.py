"""Patches as the API server takes them: JSON merge (RFC 7386), JSON (RFC 6902), strategic merge, and apply.

All are pure: the object comes in, a new one goes out. A strategic merge knows by which key the entries of a
list are the same (`name` for containers, `type` for conditions, …); other lists are replaced.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from ..heart.errors import BadRequest, Invalid

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_MERGE_KEYS: dict[str, str] = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "imagePullSecrets": "name",
    "conditions": "type",
    "ownerReferences": "uid",
    "readinessGates": "conditionType",
    "schedulingGates": "name",
    "hostAliases": "ip",
    "topologySpreadConstraints": "topologyKey",
    "resizePolicy": "resourceName",
    "secrets": "name",
}
_UNIONS = ("finalizers",)


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7386: null removes, maps merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result


def strategic_merge_patch(target: Any, patch: Any, field: str = "") -> Any:
    """Kubernetes' own merge: as `merge_patch`, but lists with a merge key merge entry by entry."""
    if isinstance(patch, list):
        return _merge_list(target, patch, field)
    if not isinstance(patch, dict):
        return patch
    if patch.get("$patch") == "replace":
        return {name: value for name, value in patch.items() if name != "$patch"}
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if name.startswith("$setElementOrder/") or name == "$retainKeys":
            continue
        if name.startswith("$deleteFromPrimitiveList/"):
            kept = name.partition("/")[2]
            result[kept] = [entry for entry in result.get(kept) or () if entry not in value]
        elif value is None:
            result.pop(name, None)
        else:
            result[name] = strategic_merge_patch(result.get(name), value, name)
    keys = patch.get("$retainKeys")
    return {name: value for name, value in result.items() if name in keys} if keys else result


def merge_key_of(field: str, entries: list[Any]) -> str | None:
    """The key that tells entries of a list apart; None for a list that is replaced whole."""
    key = "containerPort" if field == "ports" else _MERGE_KEYS.get(field)
    if field == "ports" and not any(isinstance(entry, dict) and key in entry for entry in entries):
        key = "port"
    return key


def _merge_list(target: Any, patch: list[Any], field: str) -> list[Any]:
    old = list(target) if isinstance(target, list) else []
    if field in _UNIONS:
        return old + [entry for entry in patch if entry not in old]
    key = merge_key_of(field, [*old, *patch])
    if key is None or not all(isinstance(entry, dict) for entry in patch):
        return patch
    if any(entry.get("$patch") == "replace" for entry in patch):
        return [entry for entry in patch if "$patch" not in entry]
    result = list(old)
    for entry in patch:
        index = next((i for i, one in enumerate(result) if one.get(key) == entry.get(key)), None)
        if entry.get("$patch") == "delete":
            if index is not None:
                del result[index]
        elif index is None:
            result.append(strategic_merge_patch({}, entry))
        else:
            result[index] = strategic_merge_patch(result[index], entry)
    return result


def json_patch(target: Any, operations: Any) -> Any:
    """RFC 6902. Raises BadRequest for what cannot be read and Invalid for what does not fit."""
    if not isinstance(operations, list):
        raise BadRequest(
            "a JSON patch is a list of operations such as {op: replace, path: /spec/replicas, value: 3}"
        )
    result = copy.deepcopy(target)
    for number, operation in enumerate(operations):
        if not isinstance(operation, dict) or not isinstance(operation.get("path"), str):
            raise BadRequest(f"operation {number} of the JSON patch: op and path are required")
        try:
            result = _apply_operation(result, operation)
        except (KeyError, IndexError, ValueError, TypeError, AttributeError) as problem:
            path = operation["path"]
            raise Invalid(
                f"operation {number} of the JSON patch ({operation.get('op')} {path}) does not fit: {problem}"
            ) from problem
    return result


def _apply_operation(document: Any, operation: dict[str, Any]) -> Any:
    op, path = operation.get("op"), _pointer(operation["path"])
    if op == "test":
        if _read(document, path) != operation.get("value"):
            raise ValueError("the value is another one")
        return document
    if op == "remove":
        return _remove(document, path)
    if op in ("move", "copy"):
        source = _pointer(operation["from"])
        value = copy.deepcopy(_read(document, source))
        if op == "move":
            document = _remove(document, source)
        return _put(document, path, value, is_insert=True)
    if op in ("add", "replace"):
        if op == "replace":
            _read(document, path)
        return _put(document, path, operation["value"], is_insert=op == "add")
    raise ValueError(f"unknown op {op!r}; use add, remove, replace, move, copy or test")


def _pointer(path: str) -> list[str]:
    if path and not path.startswith("/"):
        raise ValueError(f"path {path!r} must start with /")
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _read(document: Any, path: list[str]) -> Any:
    for part in path:
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def _remove(document: Any, path: list[str]) -> Any:
    if not path:
        return {}
    parent = _read(document, path[:-1])
    del parent[int(path[-1]) if isinstance(parent, list) else path[-1]]
    return document


def _put(document: Any, path: list[str], value: Any, is_insert: bool) -> Any:
    if not path:
        return value
    parent = _read(document, path[:-1])
    if not isinstance(parent, list):
        parent[path[-1]] = value
    elif path[-1] == "-":
        parent.append(value)
    elif is_insert:
        if int(path[-1]) > len(parent):
            raise IndexError("beyond the end of the list")
        parent.insert(int(path[-1]), value)
    else:
        parent[int(path[-1])] = value
    return document


def apply_patch(live: dict[str, Any], manifest: dict[str, Any]) -> dict[str, Any]:
    """Client-side apply: fields given now are set, fields given last time and not now are removed."""
    annotations = (live.get("metadata") or {}).get("annotations") or {}
    try:
        former = json.loads(annotations.get(LAST_APPLIED, "{}"))
    except ValueError:
        former = {}
    kept = _without_dropped(live, former, manifest, "")
    return dict(strategic_merge_patch(kept, with_last_applied(manifest)))


def with_last_applied(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with the annotation in which apply remembers it."""
    meta = dict(manifest.get("metadata") or {})
    annotations = dict(meta.get("annotations") or {})
    annotations.pop(LAST_APPLIED, None)
    plain = {**manifest, "metadata": {**meta, "annotations": annotations}}
    annotations = {**annotations, LAST_APPLIED: json.dumps(plain, separators=(",", ":")) + "\n"}
    return {**manifest, "metadata": {**meta, "annotations": annotations}}


def _without_dropped(live: Any, former: Any, manifest: Any, field: str) -> Any:
    if isinstance(live, dict) and isinstance(former, dict) and isinstance(manifest, dict):
        return {
            name: _without_dropped(value, former.get(name), manifest.get(name), name)
            for name, value in live.items()
            if name not in former or name in manifest
        }
    if isinstance(live, list) and isinstance(former, list) and isinstance(manifest, list):
        key = merge_key_of(field, live)
        if key is None:
            return live
        gone = {_entry_key(one, key) for one in former} - {_entry_key(one, key) for one in manifest}
        return [entry for entry in live if _entry_key(entry, key) not in gone]
    return live


def _entry_key(entry: Any, key: str) -> str:
    return str(entry.get(key)) if isinstance(entry, dict) else str(entry)
