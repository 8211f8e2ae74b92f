"""Who may do what with a file, by its owner and its mode, as Linux has it.

What a container's processes make is their user's; what is the image's, or the runtime put there, is root's.
Root may do all. Left out: groups of what is no volume's, access lists, capabilities.
"""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass

from .file_layers import File, Mount

ROOT_USER = 0
READ, EXECUTE = 4, 1
_OWNERS_WRITE, _OTHERS_WRITE, _GROUPS_PLACE = 0o200, 0o002, 3
_KERNELS = "/proc/"
"""Where the kernel says who may write, which is not known here."""


@dataclass(frozen=True, slots=True)
class Rights:
    """As whom a process acts. `message_path`: the file for its last words, which is there for anybody."""

    user: int = ROOT_USER
    groups: tuple[int, ...] = ()
    message_path: str = ""

    def may(self, file: File, mount: Mount | None, bit: int) -> bool:
        """Whether another than root can read a file, or run it: one of a volume whose group is guarded."""
        if mount is None or mount.group is None:
            return True
        return bool(file.mode & (bit << _GROUPS_PLACE if mount.group in self.groups else bit))

    def owns(self, file: File) -> bool:
        """Whether a file may be treated as one's own. That of which nobody knows whose it is may."""
        return self.user == ROOT_USER or file.owner in (None, self.user)

    def may_change(self, file: File) -> bool:
        """Whether a file can be written to, or names in a folder be made and removed."""
        if self.user == ROOT_USER:
            return True
        return bool(file.mode & (_OWNERS_WRITE if self.owns(file) else _OTHERS_WRITE))

    def is_anybodys(self, path: str) -> bool:
        """Whether a path is one where owners do not matter."""
        return path == self.message_path or path.startswith(_KERNELS)
