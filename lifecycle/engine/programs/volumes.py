"""The files of a pod's volumes, and where a container sees them.

A volume is a layer of files kept with its pod, that of a claim with its PersistentVolume. Layers of
ConfigMaps, Secrets and the downward API hold what those say, with the modes that the manifest gives;
`refresh_layer` brings them up to date when the sources change, as the kubelet does. Every other kind begins
empty and can be written to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.userland.file_layers import FILE, FOLDER, File, FileLayer, Mount

from ..rules.nodes.host_paths import find_host_path_problem
from .downward import PodFields, field_value, resource_value
from .environment import MissingSource, Sources, find_source
from .references import expand_references

_READ_ONLY_KINDS = ("configMap", "secret", "downwardAPI", "projected")
_PLAIN_MODE, _OF_THE_GROUP = 0o644, 0o440
_NO_MODES: Mapping[str, int] = {}
_Modes: TypeAlias = dict[str, int]


@dataclass(frozen=True, slots=True)
class VolumeFiles:
    """The files a volume must hold; None for one that pods fill. With a problem it cannot be mounted."""

    files: Mapping[str, str] | None = None
    problem: str | None = None
    modes: Mapping[str, int] = field(default_factory=dict)
    """By path; 0644 where it says nothing."""


def volume_files(
    volume: Mapping[str, Any], fields: PodFields, sources: Sources, has_group: bool = False
) -> VolumeFiles:
    """What a volume, given as JSON, holds. `has_group`: the pod has an fsGroup, which may read all of it."""
    try:
        for kind in _READ_ONLY_KINDS:
            if volume.get(kind) is not None:
                files = _files_of(kind, volume[kind], fields, sources)
                return VolumeFiles(files, None, _modes_of(kind, volume[kind], files, has_group))
    except MissingSource as missing:
        return VolumeFiles(None, str(missing))
    host_path = volume.get("hostPath")
    return VolumeFiles(None, find_host_path_problem(host_path)) if host_path else VolumeFiles()


def _modes_of(kind: str, volume: Mapping[str, Any], files: Mapping[str, str], has_group: bool) -> _Modes:
    """Each item's own, or that of the whole volume; an fsGroup may read all (SetVolumeOwnership)."""
    given = volume.get("defaultMode")
    mode = _PLAIN_MODE if given is None else int(given)
    parts = volume.get("sources") or () if kind == "projected" else ({kind: volume},)
    modes = dict.fromkeys(files, mode) if mode != _PLAIN_MODE else {}
    for part in parts:
        for source in part.values():
            for item in source.get("items") or ():
                if item.get("mode") is not None:
                    modes[str(item["path"])] = int(item["mode"])
        if part.get("serviceAccountToken") is not None:
            # Whoever runs the pod's containers can read it, by its user or by its group.
            modes[str(part["serviceAccountToken"].get("path", "token"))] = 0o600 if has_group else _PLAIN_MODE
    if has_group:
        return {path: modes.get(path, _PLAIN_MODE) | _OF_THE_GROUP for path in files}
    return modes


def _files_of(kind: str, volume: Mapping[str, Any], fields: PodFields, sources: Sources) -> dict[str, str]:
    if kind == "downwardAPI":
        return {str(item["path"]): _downward(item, fields) for item in volume.get("items") or ()}
    if kind == "projected":
        return _projected_files(volume, fields, sources)
    return _keyed_files(kind, volume, sources)


def _projected_files(volume: Mapping[str, Any], fields: PodFields, sources: Sources) -> dict[str, str]:
    """Those of all sources; what is missing is told of all together."""
    files: dict[str, str] = {}
    missing: list[str] = []
    for source in volume.get("sources") or ():
        for part in _READ_ONLY_KINDS[:3]:
            if source.get(part) is None:
                continue
            try:
                files.update(_files_of(part, source[part], fields, sources))
            except MissingSource as problem:
                missing.append(str(problem))
        if source.get("serviceAccountToken") is not None:
            files[str(source["serviceAccountToken"].get("path", "token"))] = f"token-of-{fields.uid}"
    if missing:
        told = list(dict.fromkeys(missing))
        raise MissingSource(told[0] if len(told) == 1 else f"[{', '.join(told)}]")
    return files


def _keyed_files(kind: str, volume: Mapping[str, Any], sources: Sources) -> dict[str, str]:
    found = find_source(kind, volume, sources)
    if kind == "configMap":
        found = {**found, **sources.binary_data(str(volume.get("name") or ""))}
    items = volume.get("items")
    if not items:
        return dict(found)
    missing = [item["key"] for item in items if item["key"] not in found]
    if missing and not volume.get("optional"):
        word = (
            "configmap references non-existent config"
            if kind == "configMap"
            else "references non-existent secret"
        )
        raise MissingSource(f"{word} key: {missing[0]}")
    return {str(item["path"]): found[item["key"]] for item in items if item["key"] in found}


def _downward(item: Mapping[str, Any], fields: PodFields) -> str:
    if item.get("fieldRef") is not None:
        return field_value(str(item["fieldRef"].get("fieldPath", "")), fields)
    return resource_value(item.get("resourceFieldRef") or {}, {}, fields)


def refresh_layer(
    layer: FileLayer, files: Mapping[str, str], now_ms: int, modes: Mapping[str, int] = _NO_MODES
) -> bool:
    """Bring a layer to what its source says now; True when something changed."""
    entries = layer.entries
    stale = [path for path, entry in entries.items() if entry.kind == FILE and path not in files]
    for path in sorted(stale):
        layer.remove(path)
    changed = [
        path
        for path in sorted(files)
        if _differs(entries.get(path), files[path], modes.get(path, _PLAIN_MODE))
    ]
    for path in changed:
        layer.put(path, File(FILE, files[path], modes.get(path, _PLAIN_MODE), now_ms))
    return bool(stale or changed)


def _differs(entry: File | None, text: str, mode: int) -> bool:
    return entry is None or entry.text != text or entry.mode != mode


def make_mounts(
    container: Mapping[str, Any],
    volumes: Mapping[str, FileLayer],
    read_only_volumes: frozenset[str],
    environment: Mapping[str, str],
    group: int = 0,
) -> tuple[Mount, ...]:
    """Where a container (JSON) sees the volumes (layers by name); missing sub-folders are made.

    `group`: of the files in read-only volumes, which the kubelet writes as root.
    """
    mounts: list[Mount] = []
    for entry in container.get("volumeMounts") or ():
        name = str(entry.get("name", ""))
        if name not in volumes:
            continue
        sub_path = str(entry.get("subPath") or "")
        if entry.get("subPathExpr"):
            sub_path = expand_references(str(entry["subPathExpr"]), environment)
        sub_path = sub_path.strip("/")
        is_read_only = bool(entry.get("readOnly")) or name in read_only_volumes
        if volumes[name].get(sub_path) is None:
            # The kubelet makes a missing folder before it mounts it, in whatever volume.
            volumes[name].put(sub_path, File(FOLDER, mode=0o755))
        path = "/" + str(entry.get("mountPath", "")).strip("/")
        owner = group if name in read_only_volumes else None
        mounts.append(Mount(path, volumes[name], sub_path, is_read_only, owner))
    return tuple(mounts)


def is_read_only_volume(volume: Mapping[str, Any]) -> bool:
    """Whether containers cannot write to a volume, whatever their mounts say."""
    return any(volume.get(kind) is not None for kind in _READ_ONLY_KINDS)
