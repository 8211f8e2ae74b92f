"""Open files and pipes of a container's processes, as plain data."""

from __future__ import annotations

from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..saved import Saved

NULL, LOG, FILE, READER, WRITER, CAPTURE, TEXT = "null", "log", "file", "reader", "writer", "capture", "text"
ZERO = "zero"
CONNECTIONS = ("/dev/tcp/", "/dev/udp/")
"""Where bash opens a connection instead of a file."""


@dataclass(slots=True, eq=False)
class OpenFile(Saved):
    """An open file description, shared by every descriptor that was copied from it.

    READER and WRITER are the ends of the pipe numbered `pipe`. CAPTURE collects `text` for a substitution
    or a check; TEXT reads `text` (a here-document); LOG is the container's log.
    """

    kind: str
    path: str = ""
    pipe: int = 0
    text: str = ""
    offset: int = 0
    references: int = 0

    @property
    def is_connection(self) -> bool:
        """Whether somebody else answers here, and nobody knows what."""
        return self.path.startswith(CONNECTIONS)


@dataclass(slots=True, eq=False)
class Pipe(Saved):
    """What was written and not yet read, and how many ends of each kind are open."""

    text: str = ""
    readers: int = 0
    writers: int = 0
    is_answer: bool = False
    """A server answered into it, and nobody knows what."""


@dataclass(slots=True, eq=False)
class Session(Saved):
    """Somebody's command that waits for more input: its process, and the open files that lead to it and back.

    `source` is what it reads, `sink` where that is written; 0 once the input has ended.
    """

    pid: int
    source: int
    sink: int
    output: int
    errors: int
    is_terminal: bool = False


MAIN_INPUT = ""
"""The name of the main process' own input, where its container keeps one open."""
PIPE_CHARACTERS = 4_096
"""A writer waits while a pipe holds this much. Linux' own limit is larger; what is written is the same."""


@dataclass(slots=True, eq=False)
class OpenFiles(Saved):
    """All open files by number, counted by reference, and the pipes between them."""

    files: dict[int, OpenFile] = field(default_factory=dict)
    pipes: dict[int, Pipe] = field(default_factory=dict)
    next_file: int = 1
    next_pipe: int = 1
    sessions: dict[str, Session] = field(default_factory=dict)

    @classmethod
    def load(cls, data: dict[str, Any]) -> OpenFiles:
        """Make what `save` described; what an older engine saved has no sessions."""
        return cls._load({"sessions": {}, **data})

    def find_session(self, number: int | None) -> Session | None:
        """The session whose input this open file is."""
        return next((one for one in self.sessions.values() if one.source == number), None)

    def open(self, file: OpenFile) -> int:
        """The number of a new open file, which nothing refers to yet."""
        number = self.next_file
        self.next_file += 1
        self.files[number] = file
        if file.kind in (READER, WRITER):
            self._count_ends(file, 1)
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
        if file.kind in (READER, WRITER):
            pipe = self._count_ends(file, -1)
            if not pipe.readers and not pipe.writers:
                del self.pipes[file.pipe]

    def _count_ends(self, file: OpenFile, by: int) -> Pipe:
        pipe = self.pipes[file.pipe]
        if file.kind == READER:
            pipe.readers += by
        else:
            pipe.writers += by
        return pipe

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
        return self.pipes[file.pipe].writers == 0

    def has_no_reader(self, file: OpenFile) -> bool:
        """Whether nobody reads any more what this end writes."""
        return self.pipes[file.pipe].readers == 0
