"""Container logs as files: one for each run of each container."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from lifecycle.engine import Changes
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.times import format_time

MOST_OPEN = 64


class LogFolder:
    """Writes `<namespace>/<pod>/<container>-<attempt>.log`, each line with its virtual time, as `kubectl logs
    --timestamps` shows it. Names come from the API server's rules, so none can leave the folder."""

    def __init__(self, folder: Path, epoch_ms: int) -> None:
        self._folder = folder
        self._epoch_ms = epoch_ms
        self._pods: dict[str, Path] = {}
        self._open: dict[Path, TextIO] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, changes: Changes) -> None:
        for version in changes.versions:
            if version.type == "ADDED" and isinstance(version.new, Pod):
                meta = version.new.meta
                self._pods[meta.uid] = self._folder / (meta.namespace or "default") / meta.name
        for uid, container, attempt, at_ms, text in changes.logs:
            pod = self._pods.get(uid)
            if pod is not None:
                self._file(pod / f"{container}-{attempt}.log").write(f"{self._stamp(at_ms)} {text}\n")

    def _stamp(self, at_ms: int) -> str:
        return f"{format_time(at_ms, self._epoch_ms)[:-1]}.{(self._epoch_ms + at_ms) % 1000:03}Z"

    def _file(self, path: Path) -> TextIO:
        """Appending, with a bounded number of files open at a time: the oldest is closed first."""
        found = self._open.get(path)
        if found is None:
            if len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open))).close()
            path.parent.mkdir(parents=True, exist_ok=True)
            found = self._open[path] = path.open("a", encoding="utf-8")
        return found

    def close(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()
