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
    servers,
    stream_editors,
    system,
    text,
)
from lifecycle.engine.programs.tools.registry import TOOLS

MODULES = (
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
    servers,
    stream_editors,
    system,
    text,
)
COUNT = len(TOOLS)
