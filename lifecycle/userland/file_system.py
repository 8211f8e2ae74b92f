"""The files a container sees: layers of plain data, joined at mount points.

A container has a root layer of its own, gone with the container. Volumes are layers kept by whoever owns the
volume and shared between the containers that mount them, so a file written by one is seen by the others.
Modelled: regular files, folders, symbolic links, named pipes, read-only mounts, modification times. Not
modelled: owners, permission checks other than read-only, hard links, sizes of folders. A file keeps its
last 256 KiB, a layer as much as would be 16 MiB in all: then its disk is full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import CannotInterpret

FILE, FOLDER, LINK, FIFO = "file", "folder", "link", "fifo"
NULL_DEVICE = "/dev/null"
KEPT_CHARACTERS = 262_144
_MOST_LINKS = 16
_MISSING = "No such file or directory"
_MOST_KEPT, _MOST_ENTRIES = 16 << 20, 10_000
_LONG = _LONGEST_PATH = 1 << 12


class FileProblem(Exception):
    """A file operation that fails as it would on Linux; the text is what `perror` would print."""


class File:
    """One entry of a layer. The text of a growing file is kept in parts, joined when it is read."""

    __slots__ = ("_parts", "dropped", "kind", "mode", "modified_ms")

    def __init__(self, kind: str, text: str = "", mode: int = 0o644, modified_ms: int = 0) -> None:
        self.kind = kind
        self.mode = mode
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
        return self.dropped + sum(map(len, self._parts))

    def append(self, text: str, now_ms: int) -> None:
        self._parts.append(text)
        self.modified_ms = now_ms
        if len(self._parts) > 512:
            self._trim()

    def write(self, text: str, now_ms: int) -> None:
        self._parts = [text]
        self.dropped = 0
        self.modified_ms = now_ms
        self._trim()

    def _trim(self) -> None:
        surplus = len(self.text) - KEPT_CHARACTERS
        if surplus > 0:
            self._parts = [self.text[surplus:]]
            self.dropped += surplus

    def read_from(self, offset: int) -> str:
        """What lies behind an offset counted from the file's first character ever written."""
        return self.text[max(offset - self.dropped, 0) :]

    def save(self) -> list[Any]:
        return [self.kind, self.text, self.mode, self.modified_ms, self.dropped]

    @classmethod
    def load(cls, data: list[Any]) -> File:
        file = cls(data[0], data[1], data[2], data[3])
        file.dropped = data[4]
        return file


class FileLayer:
    """Entries by path below the layer's root, written without a leading slash; "" is the root itself."""

    __slots__ = ("_names", "entries", "version")

    def __init__(self) -> None:
        self.entries: dict[str, File] = {}
        self._names: dict[str, set[str]] = {}  # What each folder holds.
        self.version = 0
        """Grows with every change."""

    @classmethod
    def of_files(cls, text_by_path: Mapping[str, str], modified_ms: int = 0) -> FileLayer:
        """A layer holding these files, as a mounted ConfigMap, Secret or downward API volume does."""
        layer = cls()
        for path in sorted(text_by_path):
            layer.put(path.strip("/"), File(FILE, text_by_path[path], modified_ms=modified_ms))
        return layer

    def get(self, path: str) -> File | None:
        return self.entries.get(path) if path else _ROOT

    def put(self, path: str, file: File) -> None:
        """Adds an entry, and the folders above it that are missing."""
        self._add(path, file)
        folder = path.rpartition("/")[0]
        while folder and folder not in self.entries:
            self._add(folder, File(FOLDER, mode=0o755, modified_ms=file.modified_ms))
            folder = folder.rpartition("/")[0]
        self.version += 1

    def _add(self, path: str, file: File) -> None:
        self.entries[path] = file
        folder, _, name = path.rpartition("/")
        self._names.setdefault(folder, set()).add(name)

    def remove(self, path: str) -> None:
        """Removes an entry and all below it."""
        waiting = [path]
        while waiting:
            one = waiting.pop()
            self.entries.pop(one, None)
            waiting += [f"{one}/{name}" for name in self._names.pop(one, ())]
        folder, _, name = path.rpartition("/")
        self._names.get(folder, set()).discard(name)
        self.version += 1

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
        return sorted(self._names.get(path, ()))

    def save(self) -> dict[str, Any]:
        entries = {path: self.entries[path].save() for path in sorted(self.entries)}
        return {"version": self.version, "entries": entries}

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> FileLayer:
        layer = cls()
        layer.version = data["version"]
        for path, entry in data["entries"].items():
            layer._add(path, File.load(entry))
        return layer


_ROOT = File(FOLDER, mode=0o755)


@dataclass(frozen=True, slots=True)
class Mount:
    """A layer (or one folder or file of it) seen at an absolute path of the container."""

    path: str
    layer: FileLayer
    sub_path: str = ""
    is_read_only: bool = False


_IMAGE_FOLDERS = (
    "bin boot dev dev/fd etc home lib media mnt opt proc root run sbin srv sys tmp usr usr/bin usr/lib"
    " usr/local usr/local/bin usr/sbin usr/share var var/cache var/lib var/lock var/log var/run var/tmp"
)


IMAGE_LAYER = FileLayer()
"""The folders every small Linux image has; shared, never written to."""
for _path in _IMAGE_FOLDERS.split():
    IMAGE_LAYER.put(_path, File(FOLDER, mode=0o1777 if _path.endswith("tmp") else 0o755))


def join_path(folder: str, path: str) -> str:
    """An absolute path without `.`, `..` and double slashes."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{folder}/{path}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def _need_plain(file: File) -> None:
    if file.kind == FOLDER:
        raise FileProblem("Is a directory")
    if file.kind == FIFO:
        raise CannotInterpret("a named pipe used as a file")


class FileSystem:
    """One container's view: mounts over its own layer over the image's folders. Made anew for every call."""

    __slots__ = ("generated", "is_full", "mounts", "now_ms", "reads_volumes", "root")

    def __init__(
        self, root: FileLayer, mounts: tuple[Mount, ...], generated: Mapping[str, str], now_ms: int
    ) -> None:
        self.root = root
        # The longest mount path is asked first: mounts may lie inside each other.
        self.mounts = sorted(mounts, key=lambda mount: (-len(mount.path), mount.path))
        self.generated = generated
        """Files whose content follows from the pod: /etc/hostname and the like."""
        self.now_ms = now_ms
        self.reads_volumes = False
        self.is_full = False  # Something did not find room.

    def find(self, path: str, follow: bool = True) -> File | None:
        """The entry at an absolute path, links followed; None when there is none."""
        for _ in range(_MOST_LINKS):
            file = self._entry(path)
            if file is None:
                linked = self._through_linked_folder(path)
                if linked is None:
                    return None
                path = linked
            elif file.kind == LINK and follow:
                path = join_path(path.rpartition("/")[0] or "/", file.text)
            else:
                return file
        return None

    def read(self, path: str) -> str:
        """A file's text. Raises FileProblem as Linux would."""
        file = self.find(path)
        if file is None:
            raise FileProblem(_MISSING)
        _need_plain(file)
        return file.text

    def write(self, path: str, text: str, append: bool = False) -> None:
        """Creates, replaces or extends a file. Raises FileProblem as Linux would."""
        path = self._real_path(path)
        if path == NULL_DEVICE:
            return
        file = self.find(path)
        if file is not None:
            _need_plain(file)
        layer, below = self._need_space(path, len(text))
        own = layer.entries.get(below)
        if own is None:
            self._need_folder(path)
            kept = file.text if append and file is not None else ""
            layer.put(below, File(FILE, kept + text, modified_ms=self.now_ms))
        elif append:
            own.append(text, self.now_ms)
            layer.version += 1
        else:
            own.write(text, self.now_ms)
            layer.version += 1

    def touch(self, path: str, modified_ms: int | None = None) -> None:
        """Makes an empty file, or only changes the time of an existing entry."""
        file = self.find(path)
        if file is None:
            return self.write(path, "")
        layer, _ = self._writable(path)
        if file is not _ROOT:
            file.modified_ms = self.now_ms if modified_ms is None else modified_ms
        layer.version += 1

    def make_folder(self, path: str, parents: bool = False) -> None:
        file = self.find(path)
        if file is not None:
            if parents and file.kind == FOLDER:
                return
            raise FileProblem("File exists")
        if not parents:
            self._need_folder(path)
        self._put(path, File(FOLDER, mode=0o755, modified_ms=self.now_ms))

    def make_fifo(self, path: str) -> None:
        """Makes a named pipe. Raises FileProblem when there is something already."""
        if self.find(path, follow=False) is not None:
            raise FileProblem("File exists")
        self._need_folder(path)
        self._put(path, File(FIFO, modified_ms=self.now_ms))

    def make_link(self, path: str, target: str) -> None:
        if self.find(path, follow=False) is not None:
            raise FileProblem("File exists")
        self._put(path, File(LINK, target, mode=0o777, modified_ms=self.now_ms))

    def _put(self, path: str, file: File) -> None:
        layer, below = self._need_space(path, 0)
        layer.put(below, file)

    def remove(self, path: str) -> None:
        """Removes an entry, folders with all they hold. Raises FileProblem when there is none."""
        if self.find(path, follow=False) is None:
            raise FileProblem(_MISSING)
        layer, below = self._writable(path)
        if not below:
            raise FileProblem("Device or resource busy")
        layer.remove(below)

    def names_in(self, path: str) -> list[str]:
        """The names in a folder, sorted, mount points included."""
        layer, below = self._locate(path)
        names = set(layer.names_in(below))
        if layer is self.root:
            names |= set(IMAGE_LAYER.names_in(below))
        prefix = path.rstrip("/") + "/"
        inside = [mount.path for mount in self.mounts] + list(self.generated)
        names |= {one[len(prefix) :].partition("/")[0] for one in inside if one.startswith(prefix)}
        return sorted(names - {""})

    def walk(self, path: str) -> Iterator[str]:
        """The path and all below it, folders before what they hold."""
        yield path
        file = self.find(path, follow=False)
        if file is not None and file.kind == FOLDER:
            for name in self.names_in(path):
                yield from self.walk(join_path(path, name))

    def _locate(self, path: str) -> tuple[FileLayer, str]:
        mount = self._mount_of(path)
        if mount is None:
            return self.root, path.strip("/")
        # Others may write to it, even where this container may not; files of objects follow them.
        self.reads_volumes = True
        below = path[len(mount.path) :].strip("/")
        return mount.layer, "/".join(part for part in (mount.sub_path.strip("/"), below) if part)

    def _mount_of(self, path: str) -> Mount | None:
        for mount in self.mounts:
            if path == mount.path or path.startswith(mount.path.rstrip("/") + "/"):
                return mount
        return None

    def _entry(self, path: str) -> File | None:
        layer, below = self._locate(path)
        file = layer.get(below)
        if file is not None or layer is not self.root:
            return file
        if path in self.generated:
            return File(FILE, self.generated[path])
        if IMAGE_LAYER.get(below) is not None or self._holds_mount(path):
            return IMAGE_LAYER.get(below) or _ROOT
        return None

    def _holds_mount(self, path: str) -> bool:
        prefix = path.rstrip("/") + "/"
        return any(mount.path.startswith(prefix) for mount in self.mounts) or any(
            name.startswith(prefix) for name in self.generated
        )

    def _through_linked_folder(self, path: str) -> str | None:
        """The path with its first linked folder replaced by what the link says; None without one."""
        parts = path.strip("/").split("/")
        for count in range(1, len(parts)):
            folder = "/" + "/".join(parts[:count])
            entry = self._entry(folder)
            if entry is not None and entry.kind == LINK:
                target = join_path(folder.rpartition("/")[0] or "/", entry.text)
                return join_path(target, "/".join(parts[count:]))
        return None

    def _real_path(self, path: str) -> str:
        for _ in range(_MOST_LINKS):
            entry = self._entry(path)
            if entry is not None and entry.kind == LINK:
                path = join_path(path.rpartition("/")[0] or "/", entry.text)
                continue
            linked = self._through_linked_folder(path) if entry is None else None
            if linked is None:
                return path
            path = linked
        return path

    def _need_folder(self, path: str) -> None:
        folder = self.find(path.rpartition("/")[0] or "/")
        if folder is None:
            raise FileProblem(_MISSING)
        if folder.kind != FOLDER:
            raise FileProblem("Not a directory")

    def _need_space(self, path: str, signs: int) -> tuple[FileLayer, str]:
        layer, below = self._writable(path)
        if not layer.has_room(below, signs):
            self.is_full = True
            raise FileProblem("No space left on device")
        return layer, below

    def _writable(self, path: str) -> tuple[FileLayer, str]:
        if len(path) >= _LONGEST_PATH:
            raise FileProblem("File name too long")
        mount = self._mount_of(path)
        if mount is not None and mount.is_read_only:
            raise FileProblem("Read-only file system")
        return self._locate(path)
