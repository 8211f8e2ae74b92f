"""Open files and pipes of a container's processes, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..saved import Saved

NULL, LOG, FILE, READER, WRITER, CAPTURE, TEXT = "null", "log", "file", "reader", "writer", "capture", "text"
ZERO = "zero"
BOTH = "both"


_ENDS = {READER: (READER,), WRITER: (WRITER,), BOTH: (READER, WRITER)}


@dataclass(slots=True, eq=False)
class OpenFile(Saved):
    """An open file description, shared by every descriptor that was copied from it.

    READER and WRITER are ends of the pipe numbered `pipe`, BOTH is both of a named one; their `offset` is how
    often the other end must have been opened before this one can find it closed. CAPTURE collects `text` for
    a substitution or a check; TEXT reads `text` (a here-document); LOG is the container's log.
    """

    kind: str
    path: str = ""
    pipe: int = 0
    text: str = ""
    offset: int = 0
    references: int = 0


def _none_opened() -> dict[str, int]:
    return {READER: 0, WRITER: 0}


@dataclass(slots=True, eq=False)
class Pipe(Saved):
    """What was written and not yet read, and how many ends of each kind are open."""

    text: str = ""
    is_named: bool = False
    opened: dict[str, int] = field(default_factory=_none_opened)
    """How often each end was opened."""
    readers: int = 0
    writers: int = 0


PIPE_CHARACTERS = 4_096
"""A writer waits while a pipe holds this much. Linux' own limit is larger; what is written is the same."""


@dataclass(slots=True, eq=False)
class OpenFiles(Saved):
    """All open files by number, counted by reference, and the pipes between them."""

    files: dict[int, OpenFile] = field(default_factory=dict)
    pipes: dict[int, Pipe] = field(default_factory=dict)
    fifos: dict[str, int] = field(default_factory=dict)
    """Pipes by the path that names them."""
    next_file: int = 1
    next_pipe: int = 1

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
        """Count one reference more."""
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
