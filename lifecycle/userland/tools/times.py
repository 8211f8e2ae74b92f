"""Tools of time: `sleep` lets it pass, `date` tells it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..shell.reading.options import split_options
from ..shell.task import Wait
from .call import Call, Outcome
from .quantities import sleep_milliseconds
from .registry import tool

_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799


@tool("sleep", "usleep")
def sleep(call: Call) -> Outcome:
    """`sleep`: let time pass."""
    if "until" in call.state:
        return 0
    if call.arguments in (["infinity"], ["inf"]):
        return Wait(Wait.SIGNAL)
    spans = [sleep_milliseconds(word) for word in call.arguments]
    if not spans or None in spans:
        return call.fail(f"invalid number '{' '.join(call.arguments)}'")
    total_ms = sum(span for span in spans if span is not None)
    call.state["until"] = call.now_ms + (total_ms if call.name == "sleep" else total_ms // 1_000_000)
    return call.sleep_until(call.state["until"])


@tool("date")
def date(call: Call) -> Outcome:
    """`date`: tell the time of the cluster's clock, or of so many seconds."""
    options, operands = split_options(call.arguments, "drI", ("date", "reference"))
    call.machine.is_volatile = True
    instant_ms = call.world.epoch_ms + call.now_ms
    if text := options.get("d", options.get("date")):
        if not text.startswith("@"):
            return call.cannot(f"-d {text!r}", 1)
        instant_ms = int(text[1:]) * 1000
    form = next((word[1:] for word in operands if word.startswith("+")), None)
    if "I" in options or "iso-8601" in options:
        form = "%Y-%m-%d" if options.get("I", "") != "seconds" else "%Y-%m-%dT%H:%M:%S+00:00"
    call.out(format_date(instant_ms, form if form is not None else "%a %b %e %H:%M:%S UTC %Y") + "\n")
    return 0


def format_date(instant_ms: int, form: str) -> str:
    """`strftime` for UTC, with the forms that GNU and busybox add. Raises ValueError beyond the year 9999."""
    if not _FIRST_SECOND <= instant_ms // 1000 <= _LAST_SECOND:
        raise ValueError(f"the instant {instant_ms}")
    moment = datetime.fromtimestamp(instant_ms // 1000, UTC)
    own = {
        "s": str(instant_ms // 1000),
        "N": f"{instant_ms % 1000:03d}000000",
        "e": f"{moment.day:2d}",
        "T": moment.strftime("%H:%M:%S"),
        "F": moment.strftime("%Y-%m-%d"),
        "R": moment.strftime("%H:%M"),
        "D": moment.strftime("%m/%d/%y"),
        "Z": "UTC",
        "z": "+0000",
        "n": "\n",
        "t": "\t",
        "3N": f"{instant_ms % 1000:03d}",
    }
    return re.sub(
        r"%(3N|-?[A-Za-z%])",
        lambda found: own.get(found[1]) or moment.strftime("%" + found[1].lstrip("-")),
        form,
    )
