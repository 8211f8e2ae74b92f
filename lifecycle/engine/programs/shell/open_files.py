"""Open files and pipes of a container's processes, as plain data."""

from collections.abc import Mapping
from typing import Any

NULL, LOG, FILE, READER, WRITER, CAPTURE, TEXT = "null", "log", "file", "reader", "writer", "capture", "text"
ZERO = "zero"


class OpenFile:
    """An open file description, shared by every descriptor that was copied from it.

    READER and WRITER are ends of the pipe numbered `pipe`; CAPTURE collects `text` for a substitution or a
    check; TEXT reads `text` (a here-document); LOG is the container's log.
    """

    __slots__ = ("kind", "offset", "path", "pipe", "references", "text")

    def __init__(self, kind: str, path: str = "", pipe: int = 0, text: str = "", offset: int = 0) -> None:
        self.kind = kind
        self.path = path
        self.pipe = pipe
        self.text = text
        self.offset = offset
        self.references = 0

    def save(self) -> list[Any]:
        return [self.kind, self.path, self.pipe, self.text, self.offset, self.references]

    @classmethod
    def load(cls, data: list[Any]) -> "OpenFile":
        file = cls(data[0], data[1], data[2], data[3], data[4])
        file.references = data[5]
        return file


class Pipe:
    """What was written and not yet read, and how many ends of each kind are open."""

    __slots__ = ("readers", "text", "writers")

    def __init__(self) -> None:
        self.text = ""
        self.readers = 0
        self.writers = 0

    def save(self) -> list[Any]:
        return [self.text, self.readers, self.writers]

    @classmethod
    def load(cls, data: list[Any]) -> "Pipe":
        pipe = cls()
        pipe.text, pipe.readers, pipe.writers = data
        return pipe


PIPE_CHARACTERS = 4_096
"""A writer waits while a pipe holds this much. Linux' own limit is larger; what is written is the same."""


class OpenFiles:
    """All open files by number, counted by reference, and the pipes between them."""

    __slots__ = ("files", "next_file", "next_pipe", "pipes")

    def __init__(self) -> None:
        self.files: dict[int, OpenFile] = {}
        self.pipes: dict[int, Pipe] = {}
        self.next_file = 1
        self.next_pipe = 1

    def open(self, file: OpenFile) -> int:
        """The number of a new open file, which nothing refers to yet."""
        number = self.next_file
        self.next_file += 1
        self.files[number] = file
        if file.kind in (READER, WRITER):
            pipe = self.pipes[file.pipe]
            pipe.readers += file.kind == READER
            pipe.writers += file.kind == WRITER
        return number

    def make_pipe(self) -> tuple[int, int]:
        """The numbers of a new pipe's open ends: where to read, where to write."""
        number = self.next_pipe
        self.next_pipe += 1
        self.pipes[number] = Pipe()
        return self.open(OpenFile(READER, pipe=number)), self.open(OpenFile(WRITER, pipe=number))

    def retain(self, number: int) -> None:
        self.files[number].references += 1

    def release(self, number: int) -> None:
        """One reference less; the last one closes the file, and a pipe's end with it."""
        file = self.files.get(number)
        if file is None:
            return
        file.references -= 1
        if file.references > 0:
            return
        del self.files[number]
        if file.kind in (READER, WRITER):
            pipe = self.pipes[file.pipe]
            pipe.readers -= file.kind == READER
            pipe.writers -= file.kind == WRITER
            if not pipe.readers and not pipe.writers:
                del self.pipes[file.pipe]

    def save(self) -> dict[str, Any]:
        return {
            "files": [[number, file.save()] for number, file in self.files.items()],
            "pipes": [[number, pipe.save()] for number, pipe in self.pipes.items()],
            "next": [self.next_file, self.next_pipe],
        }

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> "OpenFiles":
        table = cls()
        table.files = {number: OpenFile.load(entry) for number, entry in data["files"]}
        table.pipes = {number: Pipe.load(entry) for number, entry in data["pipes"]}
        table.next_file, table.next_pipe = data["next"]
        return table
