"""Whether a saved script would still be compiled to the same instructions.

A running shell stands at a place in its list of instructions. Another engine may compile the same text to
another list, in which that place means something else: then the script cannot be continued.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from . import shell


def digest_scripts(machine: Mapping[str, Any] | None) -> str:
    """A digest of the instructions of all texts that the shells of a saved machine are in; "" without any."""
    texts = sorted(set(_texts(machine))) if machine is not None else []
    return blake2b("".join(map(_digest, texts)).encode(), digest_size=8).hexdigest() if texts else ""


def is_continuable(process: Mapping[str, Any]) -> bool:
    """Whether a process that another engine saved stands where it stood: its scripts are compiled alike.

    Without a shell there is nothing to compile; an engine that did not say how it compiled cannot be trusted.
    """
    digest = digest_scripts(process["machine"])
    return not digest or process.get("scripts") == digest


def _texts(machine: Mapping[str, Any]) -> Iterator[str]:
    for _, task in machine["tasks"]:
        shell = task["shell"]
        if shell:
            yield from (frame["program"] for frame in shell["frames"])
            yield from (place[0] for place in shell["functions"].values())


@lru_cache(maxsize=4096)
def _digest(text: str) -> str:
    try:
        code = repr(shell.compile_text(text))
    except shell.CannotInterpret as problem:
        # A shell stands before it that has not read it yet: it is refused then.
        code = str(problem)
    return blake2b(code.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
