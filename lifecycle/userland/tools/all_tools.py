"""Importing this module registers every tool."""

from __future__ import annotations

from . import (  # noqa: F401  they register themselves
    coding,
    environment,
    executables,
    expressions,
    file_server,
    files,
    finding,
    following,
    identity,
    idle,
    kernel,
    languages,
    network,
    outside,
    process_list,
    processes,
    searching,
    sed,
    series,
    servers,
    stress,
    text,
    times,
)
from .awk import command  # noqa: F401
from .registry import TOOLS

COUNT = len(TOOLS)
