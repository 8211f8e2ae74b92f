"""kubectl's words on a cluster in virtual time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

from lifecycle.agents.kubectl.asking import Wait, ask
from lifecycle.agents.kubectl.changing import Change
from lifecycle.agents.kubectl.views import View
from lifecycle.agents.kubectl.words import Misread
from lifecycle.agents.memory import Memory
from lifecycle.engine.public import Cluster as Engine
from lifecycle.engine.public import Result
from podline.refusals import InputRefused

MOST_SECONDS = 20.0
"""So long one command may take of real time."""


class Cluster(Protocol):
    """What a command needs of a cluster of the library."""

    _engine: Engine
    _memory: Memory

    @property
    def now_ms(self) -> int: ...

    def _give(self, kind: str, payload: dict[str, Any]) -> Result: ...

    def _take(self) -> None: ...


def run(cluster: Cluster, command: str, given: str = "") -> str:
    """Carry a command line out; what kubectl prints. Raises InputRefused."""
    try:
        reply = ask(View(cluster._engine, cluster._memory), command, given)
    except Misread as problem:
        raise InputRefused([str(problem)]) from None
    if reply.wait is not None:
        return wait(cluster, reply.wait)
    return "\n".join(carry_out(cluster, reply.changes)) if reply.changes else reply.text


def carry_out(cluster: Cluster, changes: Sequence[Change]) -> list[str]:
    """One change after the other, until one is refused. Raises InputRefused."""
    said: list[str] = []
    for change in changes:
        result = cluster._give(change.kind, change.payload)
        if not result.ok:
            status = result.status or {}
            reason = f" ({status['reason']})" if status.get("reason") else ""
            problem = f"Error from server{reason}: {status.get('message') or result.code}"
            raise InputRefused([*said, problem])
        said += [f"Warning: {one}" for one in result.warnings]
        said.append(change.tell(result.code))
    return said


def wait(cluster: Cluster, asked: Wait, most_seconds: float = MOST_SECONDS) -> str:
    """Let time pass until something holds, or its time is up; what is said then.

    After `most_seconds` of real time it is up as well: infinity for who wants the same each time.
    """
    deadline = time.monotonic() + most_seconds

    def is_over(engine: Engine) -> bool:
        cluster._take()
        return asked.is_over(engine) or time.monotonic() > deadline

    if not asked.is_over(cluster._engine):
        cluster._engine.run_until(cluster.now_ms + asked.limit_ms, stop=is_over)
        cluster._take()
    return asked.tell(cluster._engine)
