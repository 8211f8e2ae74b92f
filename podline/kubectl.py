"""kubectl's words on a cluster in virtual time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from lifecycle.agents.kubectl.asking import Reply, Wait, ask
from lifecycle.agents.kubectl.views import View, is_everything
from lifecycle.agents.kubectl.words import Misread
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.public import Cluster as Engine

if TYPE_CHECKING:
    from podline.library import Cluster

MOST_SECONDS = 20.0
"""So long one command may take of real time."""


def run(
    cluster: Cluster,
    command: str,
    given: str = "",
    shows: Callable[[Kind], bool] = is_everything,
    hidden: str = "",
) -> str:
    """Carry a command line out; what kubectl prints. Raises InputRefused.

    `shows` and `hidden`: as of a View.
    """
    from podline.library import InputRefused

    try:
        reply = ask(View(cluster._engine, cluster._memory, shows, hidden), command, given)
    except Misread as problem:
        raise InputRefused([str(problem)]) from None
    if reply.wait is not None:
        return wait(cluster, reply.wait)
    return "\n".join(_carry_out(cluster, reply)) if reply.changes else reply.text


def _carry_out(cluster: Cluster, reply: Reply) -> list[str]:
    """One change after the other, until one is refused. Raises InputRefused."""
    from podline.library import InputRefused

    said: list[str] = []
    for change in reply.changes:
        result = cluster._give(change.kind, change.payload)
        if not result.ok:
            status = result.status or {}
            reason = f" ({status['reason']})" if status.get("reason") else ""
            problem = f"Error from server{reason}: {status.get('message') or result.code}"
            raise InputRefused([*said, problem])
        said += [f"Warning: {one}" for one in result.warnings]
        said.append(change.tell(result.code))
    return said


def wait(cluster: Cluster, asked: Wait) -> str:
    """Let time pass until something holds, or its time is up; what is said then."""
    deadline = time.monotonic() + MOST_SECONDS

    def is_over(engine: Engine) -> bool:
        cluster._take()
        return asked.is_over(engine) or time.monotonic() > deadline

    if not asked.is_over(cluster._engine):
        cluster._engine.run_until(cluster.now_ms + asked.limit_ms, stop=is_over)
        cluster._take()
    return asked.tell(cluster._engine)
