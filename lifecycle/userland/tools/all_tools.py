"""Importing this module registers every tool."""

from __future__ import annotations

from . import (  # noqa: F401  they register themselves
    environment,
    executables,
    expressions,
    file_server,
    files,
    finding,
    identity,
    idle,
    kernel,
    languages,
    network,
    outside,
    process_list,
    processes,
    servers,
    stress,
    times,
)
from .awk import command  # noqa: F401
from .registry import TOOLS
from .texts import coding, following, searching, sed, series, text  # noqa: F401  they register themselves

COUNT = len(TOOLS)
