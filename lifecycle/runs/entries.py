"""Commands on their way into a turn: which are due, when they enter, and which is set aside.

What a command holds is read when it enters, so that a turn reads no more of an inbox than it carries out. A
command that costs its worker the shard, by its memory or by work that cannot be left, would do so for ever:
the inbox outlives every worker. So once a cluster's shard was lost, its waiting commands enter one by one,
each counted before it begins; one that was counted, and whose worker was lost once more, is set aside. As
long as no shard is lost, nothing is counted and nothing written.
"""

from __future__ import annotations

import logging

from django.db.models import F

from lifecycle.engine import Result
from lifecycle.engine.heart.errors import InternalError
from lifecycle.models import Cluster, Command
from lifecycle.models.rows import Rows
from lifecycle.runs import checkpoints
from lifecycle.runs.engine_faults import EngineFault
from lifecycle.runs.hot import Hot
from lifecycle.runs.recorder import Answer, FencedOff

log = logging.getLogger(__name__)

COMMANDS_A_TURN = 200
_WAITING = Rows(Command, "cluster_id order kind version state pinned_ms attempts source")
_PAYLOADS = Rows(Command, "payload")
# Without the `+` SQLite walks all commands a cluster ever had, in their order; so it sorts the few that wait.
_LIST_WAITING = f"""
    SELECT {_WAITING.columns("command")} FROM lifecycle_command AS command
    WHERE cluster_id = %s AND state = 'pending' AND (pinned_ms IS NULL OR pinned_ms <= %s)
    ORDER BY +"order" LIMIT %s
"""
SET_ASIDE = (
    "the command was set aside: twice the worker that carried it out was lost meanwhile, so it is not tried"
    " again; what it asks for is more than a worker can hold or finish. The cluster goes on without it"
)


def list_waiting(cluster: Cluster, now_ms: int, target_ms: int) -> list[tuple[int, Command]]:
    """What is due until `target_ms`, with the instant it enters at: a scenario's step its own, the rest now.

    Sorted by that instant, then in inbox order. Their payloads are not read yet.
    """
    if not cluster.has_commands:
        return []
    waiting = _WAITING.list(_LIST_WAITING, [cluster.pk, target_ms, COMMANDS_A_TURN])
    enters = [(now_ms if command.pinned_ms is None else command.pinned_ms, command) for command in waiting]
    return sorted(enters, key=lambda one: (one[0], one[1].order))


def enter(hot: Hot, command: Command) -> Answer:
    """Carry a command out, or set it aside. Raises EngineFault, FencedOff."""
    if is_careful(hot.cluster):
        if command.attempts:
            return _set_aside(hot.cluster, command)
        _count_attempt(hot.cluster, command)
    whole = _PAYLOADS.get(command.pk)
    if whole is not None:
        command.payload = whole.payload
    try:
        result = hot.engine.submit(checkpoints.engine_command(command))
    except Exception as problem:
        raise EngineFault(hot.cluster, command, problem) from problem
    return Answer(command, hot.engine.now_ms, result.to_json())


def is_careful(cluster: Cluster) -> bool:
    """Whether commands enter one a turn: the shard was lost, and one of those that wait may be the cause."""
    return cluster.losses > 0


def _count_attempt(cluster: Cluster, command: Command) -> None:
    """Durable before the attempt begins. Raises FencedOff when another worker has the cluster by now."""
    mine = Command.objects.filter(pk=command.pk, cluster__fence=cluster.fence)
    if not mine.update(attempts=F("attempts") + 1):
        raise FencedOff


def _set_aside(cluster: Cluster, command: Command) -> Answer:
    log.error("command set aside: %s", command.pk, extra={"cluster": cluster.log_name})
    answer = InternalError(f"Internal error occurred: {SET_ASIDE}")
    return Answer(command, None, Result(answer.code, None, answer.to_status()).to_json())
