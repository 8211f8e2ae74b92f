"""Importing this module registers every tool."""

from lifecycle.engine.programs.tools import (
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
from lifecycle.engine.programs.tools.awk import command as awk
from lifecycle.engine.programs.tools.registry import TOOLS

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
