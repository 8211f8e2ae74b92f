"""What a form brings: a text, or files by their paths, archives unpacked; all within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from lifecycle.engine.rules.limits.json_bounds import read_json
from lifecycle.input.archives import is_archive, unpack
from lifecycle.input.folders import LONGEST_PATH, MANIFEST_SUFFIXES, find_trick
from lifecycle.input.given_sources import render_given
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.reading import Batch

MOST_ARCHIVES = 10
_MEBIBYTE = 1024 * 1024
LIMITS = {
    "suffixes": " ".join(MANIFEST_SUFFIXES),
    "bytes": settings.UPLOAD_MAX_BYTES,
    "files": settings.DATA_UPLOAD_MAX_NUMBER_FILES,
    "renders": settings.RENDER_CHARTS,
}
"""What a page keeps to before it sends anything."""


def check_size(content_length: str | None) -> None:
    """ValidationError for a request whose files were not kept: it is larger than is read."""
    # Servers let nothing else through than a number.
    sent_bytes = int(content_length or 0)
    if sent_bytes > settings.FILE_UPLOAD_MAX_MEMORY_SIZE:
        limit = settings.UPLOAD_MAX_BYTES / _MEBIBYTE
        raise ValidationError(
            f"{sent_bytes / _MEBIBYTE:.1f} MiB are more than the {limit:g} MiB that are read at once;"
            " give the manifests alone, or in parts"
        )


def read_paths(text: str) -> list[str]:
    """A list of paths, written as JSON. ValidationError for anything else."""
    try:
        paths = read_json(text) if text else []
    except ValueError:
        paths = None
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise ValidationError("The paths of the files are to be a list of texts, as JSON.")
    # JSON can spell half a character, which no answer can hold.
    return [path.encode(errors="replace").decode() for path in paths]


def make_batches(files: Sequence[UploadedFile[Any]], paths: list[str], named: list[str]) -> list[Batch]:
    """Files as folders. `paths`: one for each file; none: their own names will do. `named`: files that hold
    no manifest and were not sent, known by their paths alone."""
    paths = paths or [file.name or "file" for file in files]
    if len(files) != len(paths):
        raise ValidationError(f"{len(files)} files came with {len(paths)} paths: give one for each.")
    most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
    if len(files) + len(named) > most:
        raise ValidationError(f"More than {most:,} files are too many at once; give a part of them.")
    contents = {path: file.read() for path, file in zip(paths, files, strict=True)}
    return _sort(dict.fromkeys(named, b"") | contents)


def _sort(contents: dict[str, bytes]) -> list[Batch]:
    """Each folder is a batch, so is each archive, and so are the files beside them.

    A single file was meant: it must be a manifest. Of several, those that are none are skipped.
    """
    archives = {
        name: content for name, content in contents.items() if "/" not in name and is_archive(content)
    }
    if len(archives) > MOST_ARCHIVES:
        raise ValidationError(
            f"More than {MOST_ARCHIVES} archives are too many at once; give a part of them."
        )
    folders: dict[str, dict[str, str | bytes]] = {}
    problems: list[Problem] = []
    batches: list[Batch] = []
    left_bytes = settings.UPLOAD_MAX_BYTES
    for name, content in contents.items():
        if trick := find_trick(name):
            problems.append(Problem(trick, source=name[:LONGEST_PATH]))
            continue
        folder, *inside = PurePosixPath(name).parts
        if inside:
            folders.setdefault(folder, {})["/".join(inside)] = content
        elif name in archives:
            batch = _open(content, name, left_bytes)
            left_bytes -= sum(map(len, batch.files.values()))
            batches.append(batch)
        else:
            folders.setdefault("", {})[name] = content
    is_single = len(contents) == 1
    batches += [
        Batch(files, folder, is_folder=bool(folder) or not is_single) for folder, files in folders.items()
    ]
    if settings.RENDER_CHARTS:
        batches = [one for batch in batches for one in (render_given(batch) if batch.is_folder else [batch])]
    return [*batches, Batch({}, unreadable=tuple(problems))]


def _open(content: bytes, name: str, limit_bytes: int) -> Batch:
    try:
        return unpack(content, name, limit_bytes, settings.RENDER_CHARTS)
    except ManifestError as error:
        return Batch({}, unreadable=tuple(error.problems))
