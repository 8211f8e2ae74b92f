"""The files a container sees, as it looks at them: layers of plain data, joined at mount points.

Its own layer lies over the folders of its image, with what follows from the pod. Writing is `file_system`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .file_layers import FILE, FOLDER, IMAGE_LAYER, LINK, REMOVED, ROOT, File, FileLayer, FileProblem, Mount
from .rights import EXECUTE, READ, ROOT_USER, Rights

MISSING, NOT_ALLOWED = "No such file or directory", "Permission denied"
LONGEST_PATH = 1 << 12
SIGNS_OF_A_NAME = 512
"""Naming what a folder holds is as much work as moving so many signs for each."""
_OF_ROOT = Rights()
_MOST_LINKS = 16
_ANYBODY_EXECUTES = 0o111


def join_path(folder: str, path: str) -> str:
    """An absolute path without `.`, `..` and double slashes."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{folder}/{path}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def need_plain(file: File) -> None:
    """Raise FileProblem where nothing can be read or written."""
    if file.kind == FOLDER:
        raise FileProblem("Is a directory")


class FileView:
    """One container's view: mounts over its own layer over the image's folders. Made anew for every call."""

    __slots__ = (
        "_rights",
        "generated",
        "image",
        "is_lenient",
        "is_root_read_only",
        "mounts",
        "now_ms",
        "reads_volumes",
        "remarks",
        "root",
        "work",
    )

    def __init__(
        self,
        root: FileLayer,
        mounts: tuple[Mount, ...],
        generated: Mapping[str, str],
        now_ms: int,
        is_root_read_only: bool = False,
        rights: Rights = _OF_ROOT,
        image: FileLayer = IMAGE_LAYER,
        is_lenient: bool = False,
    ) -> None:
        self.root = root
        self.image = image
        self.is_lenient = is_lenient  # Not all files of the image are known.
        self._rights = rights
        # The longest mount path is asked first: mounts may lie inside each other.
        self.mounts = sorted(mounts, key=lambda mount: (-len(mount.path), mount.path))
        self.generated = generated  # Files that follow from the pod: /etc/hostname and the like.
        self.now_ms = now_ms
        self.is_root_read_only = is_root_read_only
        self.reads_volumes = False
        self.remarks: list[str] = []  # What had to be assumed, to be told.
        self.work = 0  # Of looking for paths and names: not yet charged, in signs moved.

    def find(self, path: str, follow: bool = True) -> File | None:
        """The entry at an absolute path, links followed; None when there is none."""
        if len(path) >= LONGEST_PATH:
            return None
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
            raise FileProblem(MISSING)
        need_plain(file)
        if not self.can_read(path, file):
            raise FileProblem(NOT_ALLOWED)
        return file.text

    def can_read(self, path: str, file: File) -> bool:
        """Whether the entry at a path can be read."""
        return self._may(path, file, READ)

    def can_execute(self, path: str, file: File) -> bool:
        """Whether the entry at a path can be run, or a folder be entered."""
        return file.kind == FOLDER or (bool(file.mode & _ANYBODY_EXECUTES) and self._may(path, file, EXECUTE))

    def _may(self, path: str, file: File, bit: int) -> bool:
        if self._rights.user == ROOT_USER or file.kind == FOLDER:
            return True
        return self._rights.may(file, self._mount_of(self._real_path(path)), bit)

    def names_in(self, path: str) -> list[str]:
        """The names in a folder, sorted, mount points included."""
        layer, below = self._locate(path)
        names = set(layer.names_in(below))
        if layer is self.root:
            names |= set(self.image.names_in(below))
            names = {name for name in names if self._own_entry(f"{below}/{name}".lstrip("/")) is not None}
        prefix = path.rstrip("/") + "/"
        inside = [mount.path for mount in self.mounts] + list(self.generated)
        names |= {one[len(prefix) :].partition("/")[0] for one in inside if one.startswith(prefix)}
        self.work += len(names) * SIGNS_OF_A_NAME
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

    def is_mounted(self, path: str) -> bool:
        """Whether a path is in a volume."""
        return self._mount_of(path) is not None

    def is_made_by_kubelet(self, path: str) -> bool:
        """Whether a path is in a volume that a kubelet writes, and nobody else."""
        mount = self._mount_of(path)
        return mount is not None and mount.group is not None

    def _mount_of(self, path: str) -> Mount | None:
        for mount in self.mounts:
            if path == mount.path or path.startswith(mount.path.rstrip("/") + "/"):
                return mount
        return None

    def _entry(self, path: str) -> File | None:
        layer, below = self._locate(path)
        if layer is not self.root:
            return layer.get(below)
        if below not in layer.entries and path in self.generated:
            return File(FILE, self.generated[path])
        return self._own_entry(below) or (ROOT if self._holds_mount(path) else None)

    def _own_entry(self, below: str) -> File | None:
        """What is in the container's own layer, else in its image."""
        own = self.root.get(below)
        if own is None:
            return self.image.get(below)
        return own if own.kind != REMOVED else None

    def _holds_mount(self, path: str) -> bool:
        prefix = path.rstrip("/") + "/"
        return any(mount.path.startswith(prefix) for mount in self.mounts) or any(
            name.startswith(prefix) for name in self.generated
        )

    def _through_linked_folder(self, path: str) -> str | None:
        """The path with its first linked folder replaced by what the link says; None without one."""
        parts = path.strip("/").split("/")
        # Each folder on the way is looked up by its whole path.
        self.work += len(parts) * len(path)
        if not self._has_links():
            return None
        self.work += len(parts) * len(path)
        for count in range(1, len(parts)):
            folder = "/" + "/".join(parts[:count])
            entry = self._entry(folder)
            if entry is not None and entry.kind == LINK:
                target = join_path(folder.rpartition("/")[0] or "/", entry.text)
                return join_path(target, "/".join(parts[count:]))
        return None

    def _has_links(self) -> bool:
        return self.root.has_links or any(mount.layer.has_links for mount in self.mounts)

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
