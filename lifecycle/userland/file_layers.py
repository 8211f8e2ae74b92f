"""Files as plain data: layers that a container has of its own, or that volumes are made of.

Modelled: regular files, folders, symbolic links, owners, modification times. Not modelled: hard links, named
pipes, sizes of folders. A file keeps its last 256 KiB, a layer as much as would be 16 MiB in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from .saved import Saved

FILE, FOLDER, LINK = "file", "folder", "link"
OPAQUE = "opaque"
"""A program, or anything else of an image whose files are not known: only its name is."""
UNSEEN = "unseen"
"""The text of a folder that was copied unseen: what else is in it is not known."""
REMOVED = "removed"
"""Something of an image that a container has removed: it is there no more, and still in the image."""
KEPT_CHARACTERS = 262_144
_MOST_KEPT, _MOST_ENTRIES = 16 << 20, 10_000
_LONG = 1 << 12
_BLOCK_BITS = 12
_LARGEST = 1 << 60


class FileProblem(Exception):
    """A file operation that fails as it would on Linux; the text is what `perror` would print."""


class File:
    """One entry of a layer. The text of a growing file is kept in parts, joined when it is read."""

    __slots__ = ("_parts", "dropped", "kind", "mode", "modified_ms", "owner")

    def __init__(
        self, kind: str, text: str = "", mode: int = 0o644, modified_ms: int = 0, owner: int | None = 0
    ) -> None:
        self.kind = kind
        self.mode = mode
        self.owner = owner  # A user's number; None where nobody knows.
        self.modified_ms = modified_ms
        self.dropped = 0  # Characters no longer kept, from the front.
        self._parts = [text]

    @property
    def text(self) -> str:
        """The content, or a link's target."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0]

    @property
    def size(self) -> int:
        """How many characters were written in all, those no longer kept among them."""
        return self.dropped + sum(map(len, self._parts))

    def append(self, text: str, now_ms: int) -> None:
        """Add text at the end."""
        self._parts.append(text)
        self.modified_ms = now_ms
        if len(self._parts) > 512:
            self._trim()

    def write(self, text: str, now_ms: int) -> None:
        """Replace the text."""
        self._parts = [text]
        self.dropped = 0
        self.modified_ms = now_ms
        self._trim()

    def pad(self, count: int, now_ms: int) -> None:
        """Grow by signs that nobody asks for."""
        self.dropped = min(self.dropped + count, _LARGEST)
        self.modified_ms = now_ms

    def count_bytes(self) -> int:
        """What it takes on a disk: whole blocks of 4 KiB."""
        return -(-self.size >> _BLOCK_BITS) << _BLOCK_BITS if self.kind == FILE else 0

    def _trim(self) -> None:
        surplus = len(self.text) - KEPT_CHARACTERS
        if surplus > 0:
            self._parts = [self.text[surplus:]]
            self.dropped += surplus

    def read_from(self, offset: int) -> str:
        """What lies behind an offset counted from the file's first character ever written."""
        return self.text[max(offset - self.dropped, 0) :]

    def save(self) -> list[Any]:
        """Give the entry as JSON-able data."""
        return [self.kind, self.text, self.mode, self.modified_ms, self.dropped, self.owner]

    @classmethod
    def load(cls, data: list[Any]) -> File:
        """Make the entry that `save` described."""
        # Early checkpoints do not say whose it is.
        file = cls(data[0], data[1], data[2], data[3], data[5] if len(data) > 5 else None)
        file.dropped = data[4]
        return file


class FileLayer(Saved):
    """Entries by path below the layer's root, written without a leading slash; "" is the root itself."""

    __slots__ = ("_names", "capacity", "entries", "has_links", "has_owners", "version")

    def __init__(self) -> None:
        self.capacity: int | None = None
        """How many bytes fit; whoever owns the layer says it. None: as many as there are."""
        self.entries: dict[str, File] = {}
        self._names: dict[str, set[str]] = {}  # What each folder holds.
        self.has_links = False  # Or had some once.
        self.has_owners = False
        """Of an image: whether it is known whose its folders are, though not all of them are known."""
        self.version = 0
        """Grows with every change."""

    def get(self, path: str) -> File | None:
        """The entry at a path; None when there is none."""
        return self.entries.get(path) if path else ROOT

    def put(self, path: str, file: File) -> None:
        """Add an entry, and the folders above it that are missing."""
        self._add(path, file)
        folder = path.rpartition("/")[0]
        while folder and self._is_no_folder(folder):
            self._add(folder, File(FOLDER, mode=0o755, modified_ms=file.modified_ms, owner=file.owner))
            folder = folder.rpartition("/")[0]
        self.version += 1

    def _is_no_folder(self, path: str) -> bool:
        """Whether nothing is there; of what is not known, that something lies below shows it is a folder."""
        file = self.entries.get(path)
        return file is None or file.kind in (REMOVED, OPAQUE)

    def _add(self, path: str, file: File) -> None:
        old = self.entries.get(path)
        if file.kind == FOLDER and old is not None and old.kind == OPAQUE:
            file.write(UNSEEN, file.modified_ms)
        self.entries[path] = file
        folder, _, name = path.rpartition("/")
        self._names.setdefault(folder, set()).add(name)
        self.has_links = self.has_links or file.kind == LINK

    def remove(self, path: str) -> None:
        """Remove an entry and all below it."""
        waiting = [path]
        while waiting:
            one = waiting.pop()
            self.entries.pop(one, None)
            waiting += [f"{one}/{name}" for name in self._names.pop(one, ())]
        folder, _, name = path.rpartition("/")
        self._names.get(folder, set()).discard(name)
        self.version += 1

    def count_bytes(self) -> int:
        """What all entries take on a disk."""
        return sum(file.count_bytes() for file in self.entries.values())

    def count_room(self, path: str) -> int | None:
        """How large the file at a path could be at most; None when nothing limits it."""
        if self.capacity is None:
            return None
        own = self.entries.get(path)
        return self.capacity - self.count_bytes() + (own.count_bytes() if own is not None else 0)

    def has_room(self, path: str, signs: int) -> bool:
        """Whether so much can be added to an entry. Short texts are not counted, only the entries."""
        if path not in self.entries and len(self.entries) >= _MOST_ENTRIES:
            return False
        signs = min(signs, KEPT_CHARACTERS)
        return (
            signs < _LONG
            or signs + sum(file.size - file.dropped for file in self.entries.values()) <= _MOST_KEPT
        )

    def names_in(self, path: str) -> list[str]:
        """The names in a folder, sorted."""
        return sorted(self._names.get(path, ()))

    def walk(self, path: str) -> Iterator[str]:
        """The path of an entry and those of all below it, folders before what they hold."""
        if path in self.entries:
            yield path
            for name in self.names_in(path):
                yield from self.walk(f"{path}/{name}")

    def has_unknown(self) -> bool:
        """Whether something was put here of which only the name is known: more may have come with it."""
        return any(
            file.kind == OPAQUE or (file.kind == FOLDER and file.text == UNSEEN)
            for file in self.entries.values()
        )

    def save(self) -> dict[str, Any]:
        """Give the layer as JSON-able data."""
        entries = {path: self.entries[path].save() for path in sorted(self.entries)}
        return {"version": self.version, "entries": entries}

    @classmethod
    def load(cls, data: dict[str, Any]) -> FileLayer:
        """Make the layer that `save` described."""
        layer = cls()
        layer.version = data["version"]
        for path, entry in data["entries"].items():
            layer._add(path, File.load(entry))
        return layer


ROOT = File(FOLDER, mode=0o755)


@dataclass(frozen=True, slots=True)
class Mount:
    """A layer (or one folder or file of it) seen at an absolute path of the container."""

    path: str
    layer: FileLayer
    sub_path: str = ""
    is_read_only: bool = False
    group: int | None = None
    """Of the files, which are root's; None where anybody may own them."""


_IMAGE_FOLDERS = (
    "bin boot dev dev/fd dev/shm etc home lib media mnt opt proc root run sbin srv sys tmp usr usr/bin"
    " usr/lib usr/local usr/local/bin usr/sbin usr/share var var/cache var/lib var/lock var/log var/run"
    " var/tmp"
)


IMAGE_LAYER = FileLayer()
"""The folders every small Linux image has; shared, never written to."""
for _path in _IMAGE_FOLDERS.split():
    IMAGE_LAYER.put(_path, File(FOLDER, mode=0o1777 if _path.endswith(("tmp", "shm")) else 0o755))
