"""A main process that is a script or a plain command line, compiled once per text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Script:
    """What process 1 executes."""

    argv: tuple[str, ...]
    handles_term: bool = False
