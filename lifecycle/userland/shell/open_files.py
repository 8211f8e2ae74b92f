"""Open files and pipes of a container's processes, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NULL, LOG, FILE, READER, WRITER, CAPTURE, TEXT = "null", "log", "file", "reader", "writer", "capture", "text"
ZERO = "zero"
BOTH = "both"


_ENDS = {READER: (READER,), WRITER: (WRITER,), BOTH: (READER, WRITER)}


class OpenFile:
    """An open file description, shared by every descriptor that was copied from it.

    READER and WRITER are ends of the pipe numbered `pipe`, BOTH is both of a named one; their `offset` is how
    often the other end must have been opened before this one can find it closed. CAPTURE collects `text` for
    a substitution or a check; TEXT reads `text` (a here-document); LOG is the container's log.
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
    def load(cls, data: list[Any]) -> OpenFile:
        file = cls(data[0], data[1], data[2], data[3], data[4])
        file.references = data[5]
        return file


class Pipe:
    """What was written and not yet read, and how many ends of each kind are open."""

    __slots__ = ("is_named", "opened", "readers", "text", "writers")

    def __init__(self) -> None:
        self.text = ""
        self.is_named = False
        self.opened = {READER: 0, WRITER: 0}
        """How often each end was opened."""
        self.readers = 0
        self.writers = 0

    def save(self) -> list[Any]:
        opened = [self.opened[READER], self.opened[WRITER]]
        return [self.text, self.readers, self.writers, self.is_named, opened]

    @classmethod
    def load(cls, data: list[Any]) -> Pipe:
        pipe = cls()
        pipe.text, pipe.readers, pipe.writers, pipe.is_named, opened = data
        pipe.opened = {READER: opened[0], WRITER: opened[1]}
        return pipe


PIPE_CHARACTERS = 4_096
"""A writer waits while a pipe holds this much. Linux' own limit is larger; what is written is the same."""


class OpenFiles:
    """All open files by number, counted by reference, and the pipes between them."""

    __slots__ = ("fifos", "files", "next_file", "next_pipe", "pipes")

    def __init__(self) -> None:
        self.files: dict[int, OpenFile] = {}
        self.pipes: dict[int, Pipe] = {}
        self.fifos: dict[str, int] = {}
        """Pipes by the path that names them."""
        self.next_file = 1
        self.next_pipe = 1

    def open(self, file: OpenFile) -> int:
        """The number of a new open file, which nothing refers to yet."""
        number = self.next_file
        self.next_file += 1
        self.files[number] = file
        for kind in _ENDS.get(file.kind, ()):
            pipe = self.pipes[file.pipe]
            pipe.readers += kind == READER
            pipe.writers += kind == WRITER
            pipe.opened[kind] += 1
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
        for kind in _ENDS.get(file.kind, ()):
            pipe = self.pipes[file.pipe]
            pipe.readers -= kind == READER
            pipe.writers -= kind == WRITER
        if file.kind in _ENDS and not pipe.readers and not pipe.writers:
            # A reader that is just about to open its end still finds what was written.
            if file.kind != WRITER or pipe.opened[READER] >= file.offset:
                pipe.text = ""
            if not pipe.is_named:
                del self.pipes[file.pipe]

    def fifo(self, path: str) -> int:
        """The number of the pipe that a path names."""
        if path not in self.fifos:
            self.fifos[path] = self.next_pipe
            self.pipes[self.next_pipe] = pipe = Pipe()
            pipe.is_named = True
            self.next_pipe += 1
        return self.fifos[path]

    def unlink(self, path: str, text: str) -> None:
        """A file is removed while it is open: who has it open goes on with what nobody else sees any more."""
        for file in self.files.values():
            if file.kind == FILE and (file.path == path or file.path.startswith(path + "/")):
                file.kind, file.text = TEXT, text if file.path == path else ""

    def rename(self, path: str, new: str) -> None:
        """A file gets another name: who has it open follows it."""
        for file in self.files.values():
            if file.kind == FILE and (file.path == path or file.path.startswith(path + "/")):
                file.path = new + file.path[len(path) :]

    def has_ended(self, file: OpenFile) -> bool:
        """Whether nobody can write any more to the pipe that this end reads."""
        pipe = self.pipes[file.pipe]
        return pipe.writers == 0 and pipe.opened[WRITER] >= file.offset

    def has_no_reader(self, file: OpenFile) -> bool:
        """Whether nobody reads any more what this end writes."""
        pipe = self.pipes[file.pipe]
        return pipe.readers == 0 and pipe.opened[READER] >= file.offset

    def save(self) -> dict[str, Any]:
        return {
            "files": [[number, file.save()] for number, file in self.files.items()],
            "pipes": [[number, pipe.save()] for number, pipe in self.pipes.items()],
            "fifos": dict(self.fifos),
            "next": [self.next_file, self.next_pipe],
        }

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> OpenFiles:
        table = cls()
        table.files = {number: OpenFile.load(entry) for number, entry in data["files"]}
        table.pipes = {number: Pipe.load(entry) for number, entry in data["pipes"]}
        table.fifos = dict(data["fifos"])
        table.next_file, table.next_pipe = data["next"]
        return table
