"""Tools that code, compress and fill in texts."""

from __future__ import annotations

import base64
import re

from ...shell.reading.options import split_options
from ...shell.task import Wait
from ..call import Call, Outcome
from ..registry import tool


@tool("base64")
def base64_text(call: Call) -> Outcome:
    """`base64`: encode, or with -d decode."""
    options, names = split_options(call.arguments, "w", ("wrap",))
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    data = "".join(text for _, text in texts)
    if {"d", "D", "decode"} & set(options):
        try:
            call.out(base64.b64decode(data).decode(errors="replace"))
        except ValueError:
            return call.fail("invalid input")
        return 0
    coded = base64.b64encode(data.encode()).decode()
    width = int(options.get("w") or options.get("wrap") or 76)
    lines = [coded[at : at + width] for at in range(0, len(coded), width)] if width else [coded]
    call.out("\n".join(lines) + ("\n" if width else ""))
    return call.status


@tool("gzip", "gunzip", "bzip2", "xz", "zstd", "pigz", "iconv", "dos2unix")
def pass_through(call: Call) -> Outcome:
    """Compressed text is kept as it is: nobody here looks at the bytes."""
    options, names = split_options(call.arguments, "ft")
    if not names or {"c", "stdout"} & set(options):
        texts = call.whole_inputs(names)
        if isinstance(texts, Wait):
            return texts
        call.out("".join(text for _, text in texts))
        return call.status
    for name in names:
        text = call.read_file(name)
        if text is not None and call.name in ("gzip", "pigz"):
            call.files.write(call.path(name) + ".gz", text)
            call.files.remove(call.path(name))
        elif text is not None and name.endswith(".gz"):
            call.files.write(call.path(name.removesuffix(".gz")), text)
            call.files.remove(call.path(name))
    return call.status


@tool("envsubst")
def envsubst(call: Call) -> Outcome:
    """`envsubst`: put the environment's values in a text."""
    read = call.whole_input()
    if isinstance(read, Wait):
        return read
    wanted = set(re.findall(r"\w+", call.arguments[0])) if call.arguments else None

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return call.environment.get(name, "") if wanted is None or name in wanted else found[0]

    call.work(len(read) >> 4)
    call.out(re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, read))
    return 0
