"""How a program takes connections: when it begins to, and what it does with them after its stop signal."""

from __future__ import annotations

from .process import Process


def find_opening_ms(process: Process, port: int, now_ms: int) -> int | None:
    """When a program begins to take connections to a port, as far as is known beforehand."""
    if process.exit is not None or process.closed_ms is not None or not process.serves(port):
        return None
    opens_ms = process.ready_ms if process.binds_ms is None else process.binds_ms
    return opens_ms if opens_ms > now_ms else None


def is_closing(process: Process, port: int) -> bool:
    """Whether it lives, and takes connections to a port no more because of its stop signal."""
    return process.closed_ms is not None and process.exit is None and process.serves(port)


def drops_requests(process: Process) -> bool:
    """Whether requests that were under way at its stop signal have been dropped."""
    plan = process.behavior.on_term
    return process.closed_ms is not None and plan is not None and not plan.finishes
