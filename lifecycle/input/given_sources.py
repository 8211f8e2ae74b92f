"""Charts and kustomizations that somebody has sent as files, rendered by the programs of this machine."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from threading import BoundedSemaphore

from lifecycle.input.folders import CHART, find_source, is_source
from lifecycle.input.reading import Batch
from lifecycle.input.renderers import NO_VALUES, render_chart, render_kustomization
from lifecycle.lean_dataclasses import replace

# Each takes a processor and some hundred MiB.
_TURNS = BoundedSemaphore(2)


def render_given(batch: Batch) -> list[Batch]:
    """The batch with its one chart or kustomization as the objects that are made of it.

    As it was, where there is none or several, or no program that renders: reading it says what to run where.
    """
    files = {name: content for name, content in batch.files.items() if isinstance(content, bytes)}
    source = find_source(files)
    if source is None:
        return [batch]
    is_chart = str(source / CHART) in files
    if not any(map(shutil.which, ("helm",) if is_chart else ("kustomize", "kubectl"))):
        return [batch]
    with tempfile.TemporaryDirectory(prefix="podline-") as folder:
        _write(files, Path(folder))
        with _TURNS:
            rendered = _render(batch.name, source, Path(folder), is_chart)
    beside = {name: content for name, content in files.items() if source not in PurePosixPath(name).parents}
    rest = replace(batch, files=beside if is_chart else {})
    return [replace(rendered, given=files), rest]


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    """Their paths were looked at when they came in, and there is no link among them."""
    for name, content in files.items():
        if is_source(PurePosixPath(name)):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _render(name: str, source: PurePosixPath, folder: Path, is_chart: bool) -> Batch:
    path, shown = str(folder / source), str(PurePosixPath(name) / source)
    if not is_chart:
        return render_kustomization(shown, path)
    rendered = render_chart(shown, NO_VALUES, path)
    assert rendered is not None, shown
    return rendered
