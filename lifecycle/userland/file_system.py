"""The files a container sees: layers of plain data, joined at mount points.

A container has a root layer of its own, gone with the container. Volumes are layers kept by whoever owns the
volume and shared between the containers that mount them, so a file written by one is seen by the others.
Modelled: a read-only root, read-only mounts, links, a disk that is full, who may read what a kubelet has
written, who may write outside of volumes. Not modelled: who may write in volumes, or in an image of which not
all files are known: its folders may be its user's.
"""

from __future__ import annotations

from .file_layers import FILE, FOLDER, LINK, OPAQUE, REMOVED, ROOT, UNSEEN, File, FileLayer, FileProblem
from .file_view import LONGEST_PATH, MISSING, NOT_ALLOWED, SIGNS_OF_A_NAME, FileView, need_plain
from .guesses import IMAGE_FOLDER

NULL_DEVICE = "/dev/null"
_OF_THE_RUNTIME = ("/dev/", "/proc/")
_OF_THE_KERNEL = ("/dev", "/proc", "/sys")
_MOST_REMARKS = 100
_FULL, _NO_FOLDER, _NOT_OWNER = "No space left on device", "Not a directory", "Operation not permitted"
_NO_ROOM = "cannot interpret more than 16 MiB, or 10000, of files: taken for a full disk"


class FileSystem(FileView):
    """One container's view that can be written to. Made anew for every call."""

    __slots__ = ()

    def can_write(self, path: str) -> bool:
        """Whether the entry at a path can be written to, or made where there is none."""
        try:
            self._writable(self._real_path(path))
        except FileProblem:
            return False
        return True

    def change_mode(self, path: str, mode: int) -> None:
        """Say who may do what with a file; a folder stays as it is. Raises FileProblem as Linux would."""
        file = self.find(path)
        if file is None:
            raise FileProblem(MISSING)
        if self._has_owners(path) and not self._rights.owns(file):
            raise FileProblem(_NOT_OWNER)
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
            need_plain(file)
        layer, below = self._need_space(path, len(text))
        own = layer.entries.get(below) if file is not None else None
        size = len(text) + (own.size if append and own is not None else 0)
        room = layer.count_room(below)
        if room is not None and size > room:
            raise FileProblem(_FULL)
        if own is None:
            self._need_folder(path)
            kept = file.text if append and file is not None else ""
            layer.put(below, self._make(FILE, kept + text, 0o644))
            return
        own.kind = FILE
        layer.version += 1
        if append:
            own.append(text, self.now_ms)
        else:
            own.write(text, self.now_ms)

    def need_file_name(self, path: str, word: str) -> None:
        """Raise FileProblem where a word that ends in `/` is to name a file: only folders are called so."""
        if word.endswith("/"):
            entry = self.find(path)
            is_file = entry is not None and entry.kind not in (FOLDER, OPAQUE)
            raise FileProblem("Not a directory" if is_file else "Is a directory")

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
        self._put(path, self._make(FOLDER))

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
        self._put(path, self._make(LINK, target, 0o777))

    def _make(self, kind: str, text: str = "", mode: int = 0o755) -> File:
        """What a process makes is its user's."""
        return File(kind, text, mode, self.now_ms, self._rights.user)

    def _put(self, path: str, file: File) -> None:
        layer, below = self._need_space(path, 0)
        layer.put(below, file)

    def remove(self, path: str) -> None:
        """Remove an entry, folders with all they hold. Raises FileProblem when there is none."""
        if self.find(path, follow=False) is None:
            raise FileProblem(MISSING)
        # A name is its folder's.
        layer, below = self._writable(path, path.rpartition("/")[0] or "/")
        if not below:
            raise FileProblem("Device or resource busy")
        layer.remove(below)
        if layer is self.root:
            # What a folder holds goes first: to put something into it would bring it back.
            for one in reversed([*self.image.walk(below)]):
                layer.put(one, File(REMOVED))

    def _need_own(self, path: str, file: File) -> tuple[FileLayer, File]:
        """The entry as one that may be changed: what is the image's is copied into the container first."""
        real = self._real_path(path)
        layer, below = self._writable(real, None if self._rights.owns(file) else real)
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
        self.work += len(layer.entries) * SIGNS_OF_A_NAME
        is_of_image = self.is_lenient and above not in _OF_THE_KERNEL
        if not (is_of_image if layer is self.root else layer.has_unknown()):
            raise FileProblem(MISSING)
        self._put(path, self._make(FOLDER))
        self._remark(f"nothing is known of the folder {path}: {IMAGE_FOLDER.taken}")

    def _remark(self, text: str) -> None:
        if len(self.remarks) < _MOST_REMARKS:
            self.remarks.append(text)

    def _need_space(self, path: str, signs: int) -> tuple[FileLayer, str]:
        layer, below = self._writable(path)
        if not layer.has_room(below, signs):
            self._remark(_NO_ROOM)
            raise FileProblem(_FULL)
        return layer, below

    def _writable(self, path: str, asked: str | None = "") -> tuple[FileLayer, str]:
        """Where to write. `asked`: the entry whose owner has to allow it, None for nobody's."""
        if len(path) >= LONGEST_PATH:
            raise FileProblem("File name too long")
        mount = self._mount_of(path)
        # What the runtime mounts by itself can be written to even where the root cannot.
        is_root = mount is None and path != "/etc/hosts" and not path.startswith(_OF_THE_RUNTIME)
        if (mount is not None and mount.is_read_only) or (is_root and self.is_root_read_only):
            raise FileProblem("Read-only file system")
        if asked is not None and self._has_owners(path):
            entry = self._find_above(asked or path)
            if entry is not None and not self._rights.may_change(entry):
                raise FileProblem(NOT_ALLOWED)
        return self._locate(path)

    def _has_owners(self, path: str) -> bool:
        """Whether it is known whose the files around a path are."""
        is_known = not self.is_lenient or self.image.has_owners
        return is_known and not self._rights.is_anybodys(path) and not self.is_mounted(path)

    def _find_above(self, path: str) -> File | None:
        """The entry at a path, or the nearest folder above that is there; None where one between may be."""
        above = path
        while (entry := self.find(above)) is None:
            above = above.rpartition("/")[0] or "/"
        is_near = above in (path, path.rpartition("/")[0] or "/")
        return entry if is_near or not self.is_lenient else None
