"""The volume by which a pod's programs reach the API server: every pod shows it, and no reading has it.

Models what the ServiceAccount admission writes into new pods. It is the same for all pods of a template, no
image behaves differently for it, and nobody waits for it: so a spec is read without it, and shown with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from lifecycle.late_patterns import late_pattern

from ..names import ACCESS_FOLDER, ROOT_CA, SAFE_LETTERS

Json = dict[str, Any]
_NAME = late_pattern(r"kube-api-access-[a-z0-9]{5}")
_SOURCE: Json = {
    "sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": ROOT_CA, "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {
            "downwardAPI": {
                "items": [
                    {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
                ]
            }
        },
    ],
    "defaultMode": 420,
}
AUTOMOUNT = "automountServiceAccountToken"
_MOUNTING = ("containers", "initContainers")


def with_api_access(raw: Json) -> Json:
    """A pod's spec as the API shows it. Its maker may have said that it wants no such volume."""
    if raw.get(AUTOMOUNT) is False or not raw.get("containers"):
        return raw
    name = _make_name(raw["containers"])
    mount = {"name": name, "readOnly": True, "mountPath": ACCESS_FOLDER}
    shown, is_mounted = dict(raw), False
    for section in _MOUNTING:
        if raw.get(section):
            shown[section] = [_mounting(container, mount) for container in raw[section]]
            is_mounted = is_mounted or shown[section] != raw[section]
    if not is_mounted:
        return raw
    shown["volumes"] = [*(raw.get("volumes") or ()), {"name": name, "projected": _SOURCE}]
    return shown


def _mounting(container: Json, mount: Json) -> Json:
    mounts = container.get("volumeMounts") or ()
    # Whoever mounts something there means it.
    if any(one.get("mountPath") == ACCESS_FOLDER for one in mounts):
        return container
    return {**container, "volumeMounts": [*mounts, mount]}


def _make_name(containers: list[Json]) -> str:
    """By what pods of one template share: theirs is one reading."""
    digest = sha256(json.dumps(containers, sort_keys=True, default=str).encode()).digest()
    return "kube-api-access-" + "".join(SAFE_LETTERS[byte % len(SAFE_LETTERS)] for byte in digest[:5])


def without_api_access(raw: Json) -> Json:
    """A pod's spec as it is read: without that volume, whoever wrote it."""
    names = {volume.get("name") for volume in raw.get("volumes") or () if _is_api_access(volume)}
    if not names:
        return raw
    plain = dict(raw)
    _set(plain, "volumes", [one for one in raw["volumes"] if one.get("name") not in names])
    for section in (*_MOUNTING, "ephemeralContainers"):
        if raw.get(section):
            plain[section] = [_without_mounts(container, names) for container in raw[section]]
    return plain


def _is_api_access(volume: Mapping[str, Any]) -> bool:
    return volume.get("projected") == _SOURCE and _NAME.fullmatch(str(volume.get("name"))) is not None


def _without_mounts(container: Json, names: set[Any]) -> Json:
    mounts = container.get("volumeMounts") or ()
    kept = [one for one in mounts if one.get("name") not in names]
    if len(kept) == len(mounts):
        return container
    plain = dict(container)
    _set(plain, "volumeMounts", kept)
    return plain


def _set(data: Json, name: str, entries: list[Any]) -> None:
    if entries:
        data[name] = entries
    else:
        data.pop(name, None)
