"""`podline mcp`: the Model Context Protocol over standard input and output."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

from lifecycle.version import TOLD

INSTALL = "pip install 'podline[mcp]'"
BAD_INPUT = 2
HELP = (
    "Serve tools for agents over standard input and output, by the Model Context Protocol: make clusters in"
    " virtual time, look, try changes, ask why. No server and no real cluster is needed; clusters live as"
    " long as the process."
)


def main(arguments: Sequence[str], program: str = "podline mcp") -> int:
    """Serve until standard input ends; the exit status."""
    parser = ArgumentParser(program, description=HELP)
    parser.add_argument("--version", action="version", version=TOLD)
    parser.parse_args(arguments)
    if find_spec("mcp") is None:
        sys.stderr.write(f"{program}: the package mcp is missing: run {INSTALL}\n")
        return BAD_INPUT
    import anyio

    anyio.run(serve)
    return 0


async def serve() -> None:
    """Serve one client over standard input and output."""
    import anyio
    from mcp.server.stdio import stdio_server

    from lifecycle.agents.protocol import make_server
    from lifecycle.agents.tools import call
    from podline.mcp.desk import LocalDesk

    desk, one_at_a_time = LocalDesk(), anyio.Lock()

    async def answer(name: str, given: Any) -> str:
        # What a cluster does takes the processor; the protocol goes on beside it.
        async with one_at_a_time:
            return await anyio.to_thread.run_sync(partial(call, desk, name, given))

    server = make_server(answer)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
