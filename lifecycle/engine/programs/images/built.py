"""What public build files say of well-known images: the rows of `built.txt`.

Who an image runs as, where, what it exposes, its stop signal, whether it has a shell, its volumes, its entry
point, and what it does not start without. A row holds for all tags of its names: a cell that is not the same
in the versions of some years is "?", and where a word of the tag tells of another base, `has_shell` sees it.
`manage.py generate_images` reads the build files anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pkgutil import get_data

from lifecycle.lean_dataclasses import dataclass

COLUMNS = "names needs source user folder ports stop shell volumes entry".split()
UNKNOWN, WITHOUT_SHELL = "?", "none"
_USUAL_NUMBER = 1000
"""The first number that distributions give to a user, for one of whom only the name is known."""
_WRAPPERS = frozenset(("tini", "dumb-init"))
_TAGS_WITH_SHELL = frozenset("debug busybox alpine shell debian ubuntu bookworm trixie".split())


@dataclass(frozen=True, slots=True)
class BuiltImage:
    """One row. `user`: None where that is not known; `source`: repository and path of the build file."""

    names: tuple[str, ...]
    source: str
    user: int | None = 0
    user_name: str = ""
    folder: str = "/"
    ports: tuple[int, ...] = ()
    stop_signal: str | None = None
    has_shell: bool = True
    volumes: tuple[str, ...] = ()
    entry: tuple[str, ...] = ()
    needs_env: tuple[str, ...] = ()
    """It ends with code 1 unless one of these is set, and says `complaint`."""
    complaint: str = ""

    @property
    def entry_for_arguments(self) -> tuple[str, ...] | None:
        """What arguments alone are given to: nothing but a wrapper, or a program that is out of sight."""
        words = [word for word in self.entry if word.rpartition("/")[2] not in _WRAPPERS and word[:1] != "-"]
        return None if words else ()


def read_cells(line: str) -> dict[str, str]:
    """The cells of a row by column; "" where nothing is said."""
    cells = [cell.strip() for cell in line.split("|")]
    return dict(zip(COLUMNS, cells + [""] * (len(COLUMNS) - len(cells)), strict=True))


def read_row(line: str) -> BuiltImage:
    """The row that a line of the table describes."""
    cells = read_cells(line)
    needed, _, complaint = cells["needs"].partition(" = ")
    number, _, name = cells["user"].partition(" ")
    if number and not number.isdigit() and number != UNKNOWN:
        number, name = str(_USUAL_NUMBER), number
    return BuiltImage(
        names=tuple(cells["names"].split()),
        source=cells["source"],
        user=None if number == UNKNOWN else int(number or 0),
        user_name=name,
        folder=cells["folder"].replace(UNKNOWN, "/") or "/",
        ports=tuple(int(port) for port in cells["ports"].split() if port != UNKNOWN),
        stop_signal=cells["stop"] or None,
        has_shell=cells["shell"] != WITHOUT_SHELL,
        volumes=tuple(cells["volumes"].split()),
        entry=tuple(cells["entry"].split()),
        needs_env=tuple(needed.split()),
        complaint=complaint,
    )


def list_lines(text: str) -> Iterator[str]:
    """The rows of a table, as text."""
    return (line for line in text.splitlines() if line.strip() and not line.startswith("#"))


@cache
def _lines_by_name() -> dict[str, str]:
    """The lines of the table by each name of their rows."""
    table = get_data(__package__, "built.txt") or b""
    return {name: line for line in list_lines(table.decode()) for name in line.partition("|")[0].split()}


def list_names() -> Iterable[str]:
    """The names of all images of the table."""
    return _lines_by_name()


def find_row(name: str) -> BuiltImage | None:
    """The row of an image: a run reads those it needs."""
    line = _lines_by_name().get(name)
    return read_row(line) if line is not None else None


def read_built() -> list[BuiltImage]:
    """All rows, in the order of the table."""
    return [read_row(line) for line in dict.fromkeys(_lines_by_name().values())]


def has_shell(row: BuiltImage, tag: str) -> bool:
    """Whether an image of this tag has a shell and the usual tools beside its program."""
    return row.has_shell or not _TAGS_WITH_SHELL.isdisjoint(tag.replace(".", "-").split("-"))
