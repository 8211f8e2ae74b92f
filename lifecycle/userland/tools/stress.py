"""Using up CPU and memory."""

from __future__ import annotations

from ..shell.reading.options import split_options
from ..shell.task import Wait
from .call import Call, Outcome
from .quantities import LARGEST, read_size, sleep_milliseconds
from .registry import tool


@tool("stress", "stress-ng")
def stress(call: Call) -> Outcome:
    """Use CPU and memory as told; ends after its timeout, or never."""
    options, _ = split_options(
        call.arguments,
        "cmtid",
        ("cpu", "vm", "vm-bytes", "vm-hang", "timeout", "io", "hdd", "cpu-load", "vm-keep"),
    )
    if "until" in call.state:
        return 0
    workers = int(options.get("cpu", options.get("c", "0")) or 0)
    memory_workers = int(options.get("vm", options.get("m", "0")) or 0)
    each = read_size(options.get("vm-bytes", "256M")) or 0
    load = int(options.get("cpu-load") or 100)
    call.task.cpu_milli = min(workers * load * 10 + memory_workers * 1000, LARGEST)
    call.task.memory_bytes = min(call.task.memory_bytes + memory_workers * each, LARGEST)
    span_ms = sleep_milliseconds(options.get("timeout", options.get("t", "")))
    call.out(
        f"stress: info: [{call.task.pid}] dispatching hogs: {workers} cpu, 0 io, {memory_workers} vm, 0 hdd\n"
    )
    if span_ms is None:
        return Wait(Wait.SIGNAL)
    call.state["until"] = call.now_ms + span_ms
    return call.sleep_until(call.state["until"])
