"""Lines without an input: `seq` and `yes`."""

from __future__ import annotations

import re

from ...shell.reading.options import split_options
from ...shell.task import Wait
from ..call import Call, Outcome
from ..registry import tool


@tool("seq")
def seq(call: Call) -> Outcome:
    """`seq`: numbers, line by line."""
    options, numbers = split_options(
        [word if not re.fullmatch(r"-\d+(\.\d+)?", word) else f"\0{word}" for word in call.arguments], "sf"
    )
    numbers = [number.lstrip("\0") for number in numbers]
    try:
        values = [float(number) for number in numbers]
    except ValueError:
        return call.fail(f"invalid number {' '.join(numbers)!r}")
    if not 1 <= len(values) <= 3:
        return call.fail("one to three numbers are needed")
    first, step, last = (1.0, 1.0, values[0]) if len(values) == 1 else (values[0], 1.0, values[-1])
    step = values[1] if len(values) == 3 else step
    if step == 0 or abs((last - first) / step) > 200_000:
        return call.cannot("of so many numbers")
    places = max((len(number.partition(".")[2]) for number in numbers), default=0)
    count = int((last - first) / step + 1e-9) + 1 if (last - first) * step >= 0 else 0
    width = max((len(number) for number in numbers), default=0) if "w" in options else 0
    texts = [f"{first + step * place:.{places}f}".zfill(width) for place in range(count)]
    separator = options.get("s", "\n")
    if texts:
        call.out(separator.join(texts) + "\n")
    return 0


@tool("yes")
def yes(call: Call) -> Outcome:
    """`yes`: one line for ever."""
    line = " ".join(call.arguments or ["y"]) + "\n"
    if not call.out(line * 512) or not call.is_alive:
        return None if not call.is_alive else 1
    file = call.machine.open_files.files[call.task.fds[1]]
    if file.kind != "writer":
        call.task.cpu_milli = 1_000
        return Wait(Wait.SIGNAL)
    return Wait(Wait.SPACE, file.pipe)
