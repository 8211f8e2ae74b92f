"""Importing this module registers every tool."""

from __future__ import annotations

from . import (
    coding,
    environment,
    expressions,
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
from .awk import command as awk
from .registry import TOOLS

MODULES = (
    awk,
    coding,
    environment,
    expressions,
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
COUNT = len(TOOLS)
