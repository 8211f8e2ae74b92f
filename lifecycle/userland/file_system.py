"""The files a container sees: layers of plain data, joined at mount points.

A container has a root layer of its own, gone with the container. Volumes are layers kept by whoever owns the
volume and shared between the containers that mount them, so a file written by one is seen by the others.
Modelled: a read-only root, read-only mounts, links, a disk that is full, who may read what a kubelet has
written. Not modelled: who may write what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .file_layers import (
    FILE,
    FOLDER,
    IMAGE_LAYER,
    LINK,
    OPAQUE,
    REMOVED,
    ROOT,
    UNSEEN,
    File,
    FileLayer,
    FileProblem,
    Mount,
)

NULL_DEVICE = "/dev/null"
_OF_THE_RUNTIME = ("/dev/", "/proc/")
_OF_THE_KERNEL = ("/dev", "/proc", "/sys")
_MOST_LINKS, _MOST_REMARKS = 16, 100
_MISSING, _FULL, _NO_FOLDER = "No such file or directory", "No space left on device", "Not a directory"
_READ, _EXECUTE, _ANYBODY_EXECUTES = 4, 1, 0o111
_NOT_ALLOWED = "Permission denied"
_NO_ROOM = "cannot interpret more than 16 MiB, or 10000, of files: taken for a full disk"
_LONGEST_PATH = 1 << 12
_SIGNS_OF_A_NAME = 512
"""Naming what a folder holds is as much work as moving so many signs for each."""


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


class FileSystem:
    """One container's view: mounts over its own layer over the image's folders. Made anew for every call."""

    __slots__ = (
        "_groups",
        "_is_guarded",
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
        user: int = 0,
        groups: tuple[int, ...] = (),
        image: FileLayer = IMAGE_LAYER,
        is_lenient: bool = False,
    ) -> None:
        self.root = root
        self.image = image
        self.is_lenient = is_lenient  # Not all files of the image are known.
        self._groups = groups
        # Root reads whatever there is.
        self._is_guarded = user != 0 and any(mount.group is not None for mount in mounts)
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
        if len(path) >= _LONGEST_PATH:
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
            raise FileProblem(_MISSING)
        _need_plain(file)
        if not self.can_read(path, file):
            raise FileProblem(_NOT_ALLOWED)
        return file.text

    def can_read(self, path: str, file: File) -> bool:
        """Whether the entry at a path can be read."""
        return self._may(path, file, _READ)

    def can_execute(self, path: str, file: File) -> bool:
        """Whether the entry at a path can be run, or a folder be entered."""
        return file.kind == FOLDER or (
            bool(file.mode & _ANYBODY_EXECUTES) and self._may(path, file, _EXECUTE)
        )

    def _may(self, path: str, file: File, bit: int) -> bool:
        """Of files that anybody may own, their user is taken to be the owner."""
        if not self._is_guarded or file.kind == FOLDER:
            return True
        mount = self._mount_of(self._real_path(path))
        if mount is None or mount.group is None:
            return True
        return bool(file.mode & (bit << 3 if mount.group in self._groups else bit))

    def change_mode(self, path: str, mode: int) -> None:
        """Say who may do what with a file; a folder stays as it is. Raises FileProblem as Linux would."""
        file = self.find(path)
        if file is None:
            raise FileProblem(_MISSING)
        layer, own = self._need_own(path, file)
        if own.kind != FOLDER:
            own.mode = mode
            layer.version += 1

    def write(self, path: str, text: str, append: bool = False) -> None:
        """Create, replace or extend a file. Raises FileProblem as Linux would."""
        path = self._real_path(path)
        if path == NULL_DEVICE:
            return
        file = self.find(path)
        if file is not None:
            _need_plain(file)
        layer, below = self._need_space(path, len(text))
        own = layer.entries.get(below) if file is not None else None
        size = len(text) + (own.size if append and own is not None else 0)
        room = layer.count_room(below)
        if room is not None and size > room:
            raise FileProblem(_FULL)
        if own is None:
            self._need_folder(path)
            kept = file.text if append and file is not None else ""
            layer.put(below, File(FILE, kept + text, modified_ms=self.now_ms))
            return
        own.kind = FILE
        layer.version += 1
        if append:
            own.append(text, self.now_ms)
        else:
            own.write(text, self.now_ms)

    def write_unknown(self, path: str) -> None:
        """Make something of which only the name is known: a program, or a folder where there is one."""
        old = self.find(path)
        made = (FOLDER, UNSEEN) if old is not None and old.kind == FOLDER else (OPAQUE, "")
        self._need_folder(path)
        self._put(self._real_path(path), File(*made, 0o755, self.now_ms))

    def pad(self, path: str, count: int) -> bool:
        """Let a file grow by signs of which only the number counts; False when not all of them found room."""
        layer, below = self._writable(self._real_path(path))
        file = layer.entries.get(below)
        if file is None:
            # What is written there is kept nowhere.
            return True
        room = layer.count_room(below)
        found = count if room is None else max(min(count, room - file.size), 0)
        file.pad(found, self.now_ms)
        layer.version += 1
        return found == count

    def touch(self, path: str, modified_ms: int | None = None) -> None:
        """Make an empty file, or only changes the time of an existing entry."""
        file = self.find(path)
        if file is None:
            return self.write(path, "")
        layer, own = self._need_own(path, file)
        if own is not ROOT:
            own.modified_ms = self.now_ms if modified_ms is None else modified_ms
        layer.version += 1

    def make_folder(self, path: str, parents: bool = False) -> None:
        """Make a folder, with `parents` those above it too. Raises FileProblem as Linux would."""
        file = self.find(path)
        if file is not None and parents and file.kind == FOLDER:
            return
        # Of what was copied unseen, that somebody wants a folder there shows it is one.
        if file is not None and not (parents and file.kind == OPAQUE):
            raise FileProblem("File exists")
        if not parents:
            self._need_folder(path)
        self._put(path, File(FOLDER, mode=0o755, modified_ms=self.now_ms))

    def provide_folder(self, path: str) -> None:
        """Make a folder as a runtime does with a working directory: also where nobody else can write."""
        path = self._real_path(path)
        mount = self._mount_of(path)
        if self.find(path) is None and (mount is None or not mount.is_read_only):
            layer, below = self._locate(path)
            layer.put(below, File(FOLDER, mode=0o755, modified_ms=self.now_ms))

    def make_link(self, path: str, target: str) -> None:
        """Make a symbolic link. Raises FileProblem when there is something already."""
        if self.find(path, follow=False) is not None:
            raise FileProblem("File exists")
        self._need_folder(path)
        self._put(path, File(LINK, target, mode=0o777, modified_ms=self.now_ms))

    def _put(self, path: str, file: File) -> None:
        layer, below = self._need_space(path, 0)
        layer.put(below, file)

    def remove(self, path: str) -> None:
        """Remove an entry, folders with all they hold. Raises FileProblem when there is none."""
        if self.find(path, follow=False) is None:
            raise FileProblem(_MISSING)
        layer, below = self._writable(path)
        if not below:
            raise FileProblem("Device or resource busy")
        layer.remove(below)
        if layer is self.root:
            # What a folder holds goes first: to put something into it would bring it back.
            for one in reversed([*self.image.walk(below)]):
                layer.put(one, File(REMOVED))

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
        self.work += len(names) * _SIGNS_OF_A_NAME
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
        return (mount := self._mount_of(path)) is not None and mount.group is not None

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
        self.work += len(parts) * len(path)  # Each folder on the way is looked up by its whole path.
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

    def _need_own(self, path: str, file: File) -> tuple[FileLayer, File]:
        """The entry as one that may be changed: what is the image's is copied into the container first."""
        real = self._real_path(path)
        layer, below = self._writable(real)
        if layer is self.root and file is self.image.entries.get(below):
            file = File.load(file.save())
            layer.put(below, file)
        return layer, file

    def _need_folder(self, path: str) -> None:
        parent = above = path.rpartition("/")[0] or "/"
        while (entry := self.find(above)) is None:
            above = above.rpartition("/")[0] or "/"
        if entry.kind == FILE:
            raise FileProblem(_NO_FOLDER)
        if above != parent or entry.kind == OPAQUE:
            self._assume_folder(self._real_path(parent), above)

    def _assume_folder(self, path: str, above: str) -> None:
        """Make a folder that an image nobody knows may well have, or raise that it is missing."""
        layer, _ = self._locate(path)
        self.work += len(layer.entries) * _SIGNS_OF_A_NAME
        is_of_image = self.is_lenient and above not in _OF_THE_KERNEL
        if not (is_of_image if layer is self.root else layer.has_unknown()):
            raise FileProblem(_MISSING)
        self._put(path, File(FOLDER, mode=0o755, modified_ms=self.now_ms))
        self._remark(f"nothing is known of the folder {path}: taken to be there")

    def _remark(self, text: str) -> None:
        if len(self.remarks) < _MOST_REMARKS:
            self.remarks.append(text)

    def _need_space(self, path: str, signs: int) -> tuple[FileLayer, str]:
        layer, below = self._writable(path)
        if not layer.has_room(below, signs):
            self._remark(_NO_ROOM)
            raise FileProblem(_FULL)
        return layer, below

    def _writable(self, path: str) -> tuple[FileLayer, str]:
        if len(path) >= _LONGEST_PATH:
            raise FileProblem("File name too long")
        mount = self._mount_of(path)
        # What the runtime mounts by itself can be written to even where the root cannot.
        is_root = mount is None and path != "/etc/hosts" and not path.startswith(_OF_THE_RUNTIME)
        if (mount is not None and mount.is_read_only) or (is_root and self.is_root_read_only):
            raise FileProblem("Read-only file system")
        return self._locate(path)
