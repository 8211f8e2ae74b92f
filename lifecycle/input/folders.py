"""Which files of a folder, an upload or an archive hold no manifest, and what could be given instead.

`kubectl apply -f FOLDER` complains about such files and applies the rest. Known by their names, by what a
kustomization says of them, or because nothing in them says `apiVersion` and `kind`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath, PurePosixPath
from posixpath import normpath
from typing import Any

from lifecycle.engine.schema.yaml_nodes import Budget
from lifecycle.input.manifests import read_documents
from lifecycle.input.problems import ManifestError, Skipped
from lifecycle.lean_dataclasses import dataclass, field

MANIFEST_SUFFIXES = (".yaml", ".yml", ".json")
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
CHART = "Chart.yaml"

LONGEST_PATH = 1_024
DEEPEST_PATH = 50
HIDDEN = "hidden"
OTHER_FILE = "another kind of file"
NO_OBJECT = "without apiVersion and kind"
OF_KUSTOMIZATION = "part of a kustomization"

# As far out as a key of the whole can stand: at a line's beginning, or anywhere in JSON.
_HEADS = [
    re.compile(rb"(?:^|[{,])\s*[\"']?" + name + rb"[\"']?\s*:", re.MULTILINE)
    for name in (b"apiVersion", b"kind")
]
_MOST_VALUES = 100_000
"""So much is read of all kustomizations together."""
_WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class Sorted:
    """The files that may hold manifests, in the order of their paths, and all that is left out."""

    files: dict[str, bytes] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)


def sort_out(files: Mapping[str, str | bytes], folder: str = "") -> Sorted:
    """Look at the files of a folder, by their paths in it. `folder` is what people call it."""
    by_path = {
        PurePosixPath(name): text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        for name, text in files.items()
    }
    charts = {path.parent for path in by_path if path.name == CHART}
    budget = Budget(_MOST_VALUES)
    parts = {
        part
        for path, content in by_path.items()
        if path.name in KUSTOMIZATIONS
        for part in _list_parts(path, content, budget)
    }
    found = Sorted()
    # Many files of one chart or hidden folder are left out as one.
    skipped: dict[Skipped, None] = {}
    for path in sorted(by_path):
        reason = _find_reason(path, by_path[path], charts, parts, folder)
        if reason is None:
            found.files[_join(folder, path)] = by_path[path]
        else:
            skipped[reason] = None
    found.skipped = list(skipped)
    return found


def is_hidden(path: PurePath) -> bool:
    """Whether a file, or a folder it is in, has a name that begins with a dot."""
    return any(part.startswith(".") for part in path.parts)


def may_hold_manifests(path: PurePosixPath) -> bool:
    """Whether a file of a folder is to be opened at all; of the others the name is enough."""
    return not is_hidden(path) and (path.suffix in MANIFEST_SUFFIXES or path.name in KUSTOMIZATIONS)


def is_source_root(path: PurePosixPath) -> bool:
    """Whether a file says that the folder it stands in is a chart or a kustomization."""
    return not is_hidden(path) and (path.name == CHART or path.name in KUSTOMIZATIONS)


def is_source(path: PurePosixPath) -> bool:
    """Whether a chart or a kustomization may be rendered from a file: from any that is not hidden."""
    return not is_hidden(path) or (path.name == ".helmignore" and not is_hidden(path.parent))


def find_source(files: Mapping[str, bytes]) -> PurePosixPath | None:
    """The folder of the one chart or kustomization among files that nothing else takes in.

    None where there is none, or several: which one is meant, nobody can say then.
    """
    roots = {path for path in map(PurePosixPath, files) if is_source_root(path)}
    charts = {path.parent for path in roots if path.name == CHART}
    outer = {chart for chart in charts if not charts.intersection(chart.parents)}
    kustomizations = [path for path in roots if path.name != CHART and not outer.intersection(path.parents)]
    budget, taken = Budget(_MOST_VALUES), set[PurePosixPath]()
    for path in sorted(kustomizations):
        taken.update(_list_bases(path, files[str(path)], budget))
    found = outer | {path.parent for path in kustomizations} - taken
    return next(iter(found)) if len(found) == 1 else None


def _list_bases(path: PurePosixPath, content: bytes, budget: Budget) -> Iterator[PurePosixPath]:
    """The folders that a kustomization takes in."""
    try:
        found = [document.data for document in read_documents(content, budget=budget)]
    except ManifestError:
        return
    for data in found:
        for section in ("resources", "bases", "components"):
            for name in _list_of(data, section, str):
                yield PurePosixPath(normpath(path.parent / name))


def find_trick(name: str) -> str:
    """Why the path of a file from elsewhere is not one within a folder; "" when it is."""
    path = PurePosixPath(name[: LONGEST_PATH + 1])
    if len(name) > LONGEST_PATH or len(path.parts) > DEEPEST_PATH:
        return f"its path has more than {LONGEST_PATH:,} letters or {DEEPEST_PATH} folders"
    if not path.parts or path.is_absolute() or ".." in path.parts or "\\" in name:
        return "its path leads out of the folder"
    return ""


def _find_reason(
    path: PurePosixPath, content: bytes, charts: set[PurePosixPath], parts: set[PurePosixPath], folder: str
) -> Skipped | None:
    for parent in (*reversed(path.parents), path):
        if is_hidden(parent):
            return Skipped(_join(folder, parent), HIDDEN)
    for parent in path.parents:
        if parent in charts:
            chart = _join(folder, parent)
            return Skipped(chart, "a Helm chart", f"run `helm template {chart}` and give the result")
    if path.name in KUSTOMIZATIONS:
        inside = _join(folder, path.parent)
        remedy = f"run `kubectl kustomize {inside}` and give the result"
        return Skipped(_join(folder, path), "a kustomization", remedy)
    if path in parts:
        return Skipped(_join(folder, path), OF_KUSTOMIZATION)
    if path.suffix not in MANIFEST_SUFFIXES:
        return Skipped(_join(folder, path), OTHER_FILE)
    # Text of two bytes a letter is left to who reads it.
    if not content.startswith(_WIDE) and not all(head.search(content) for head in _HEADS):
        return Skipped(_join(folder, path), NO_OBJECT)
    return None


def _join(folder: str, path: PurePosixPath) -> str:
    return str(PurePosixPath(folder) / path)


def _list_parts(path: PurePosixPath, content: bytes, budget: Budget) -> Iterator[PurePosixPath]:
    """The files beside a kustomization that it takes as patches, settings or data, not as objects."""
    try:
        found = [document.data for document in read_documents(content, budget=budget)]
    except ManifestError:
        return
    for data in found:
        for name in _list_names(data):
            # `key=file` names the key that the data are to have.
            yield PurePosixPath(normpath(path.parent / name.rpartition("=")[2]))


def _list_names(data: Mapping[str, Any]) -> Iterator[str]:
    for section in ("patches", "patchesJson6902", "replacements"):
        yield from (str(one["path"]) for one in _list_of(data, section, dict) if one.get("path"))
    for section in ("patchesStrategicMerge", "configurations", "transformers", "generators", "validators"):
        yield from _list_of(data, section, str)
    for section in ("configMapGenerator", "secretGenerator"):
        for one in _list_of(data, section, dict):
            yield from (*_list_of(one, "files", str), *_list_of(one, "envs", str))


def _list_of(data: Mapping[str, Any], name: str, wanted: type) -> list[Any]:
    value = data.get(name)
    return [one for one in value if isinstance(one, wanted)] if isinstance(value, list) else []
