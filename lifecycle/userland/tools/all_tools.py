"""Importing this module registers every tool."""

from __future__ import annotations

from . import (
    coding,
    expressions,
    files,
    finding,
    following,
    languages,
    network,
    process_list,
    processes,
    searching,
    sed,
    servers,
    system,
    text,
)
from .awk import command as awk
from .registry import TOOLS

MODULES = (
    awk,
    coding,
    expressions,
    files,
    finding,
    following,
    languages,
    network,
    process_list,
    processes,
    searching,
    sed,
    servers,
    system,
    text,
)
COUNT = len(TOOLS)
