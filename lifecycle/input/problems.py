"""What can be wrong with an input, said so that its author can mend it."""

from collections.abc import Sequence
from typing import NoReturn

from lifecycle.engine.schema.paths import Path
from lifecycle.lean_dataclasses import dataclass

MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with the input: where it stands, what is wrong, what would be right."""

    message: str
    remedy: str = ""
    path: str = ""
    subject: str = ""
    source: str = ""
    document: int | None = None
    line: int | None = None

    @property
    def place(self) -> tuple[str, int, int]:
        """Where it stands: problems are told by file, document and line."""
        return self.source, self.document or 0, self.line or 0

    def __str__(self) -> str:
        place = [self.source] if self.source else []
        if self.document is not None:
            place.append(f"document {self.document}")
        if self.line is not None:
            place.append(f"line {self.line}")
        parts = [", ".join(place), self.subject, self.path, self.message]
        text = ": ".join(part for part in parts if part)
        return f"{text}; {self.remedy}" if self.remedy else text


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or an object that is left out, why, and what to give instead."""

    name: str
    why: str
    remedy: str = ""


def list_names(names: Sequence[str]) -> str:
    """All names, of very many the first ones."""
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"


class ManifestError(ValueError):
    """The input cannot be used. `problems` says why, in the order of the text."""

    def __init__(self, problems: list[Problem]) -> None:
        assert problems, "an error without a reason"
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


def parse_path(text: str) -> Path:
    """`spec.containers[0].image` taken apart; what stands in brackets is an index or a key."""
    path: list[str | int] = []
    for part in text.replace("[", ".[").split("."):
        if part.startswith("[") and part.endswith("]"):
            inner = part[1:-1]
            path.append(int(inner) if _is_place(inner) else inner)
        elif part:
            path.append(part)
    return tuple(path)


def _is_place(text: str) -> bool:
    """Whether it says where in a list: keys may look like numbers that Python cannot read, as "²" does."""
    return text.isascii() and text.isdigit() and len(text) < 10


def refuse(
    source: str, message: str, remedy: str = "", document: int | None = None, line: int | None = None
) -> NoReturn:
    """Give up on the whole text for one reason."""
    raise ManifestError([Problem(message, remedy, source=source, document=document, line=line)])
