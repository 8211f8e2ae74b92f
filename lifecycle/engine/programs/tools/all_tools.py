"""Importing this module registers every tool."""

from lifecycle.engine.programs.tools import (
    files,
    languages,
    network,
    processes,
    servers,
    stream_editors,
    system,
    text,
)
from lifecycle.engine.programs.tools.registry import TOOLS

MODULES = (files, languages, network, processes, servers, stream_editors, system, text)
COUNT = len(TOOLS)
