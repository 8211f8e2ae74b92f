"""When the engine itself raises: a defect, never something a user did.

A command that broke it is answered with 500 and never entered, so the cluster lives on as if it had not
been asked. Anything else stops the cluster, visibly, with its recorded history intact.
"""

import logging

from lifecycle.engine import Result
from lifecycle.engine.heart.errors import InternalError
from lifecycle.models import Cluster, Command
from lifecycle.runs import forks, messages

log = logging.getLogger(__name__)


class EngineFault(Exception):
    """The engine raised. `command` is what was entering, if anything."""

    def __init__(self, cluster: Cluster, command: Command | None, problem: Exception) -> None:
        super().__init__(str(problem))
        self.cluster, self.command, self.problem = cluster, command, problem


def note(fault: EngineFault) -> bool:
    """Write down what happened; True when the cluster goes on."""
    cluster, reason = fault.cluster, f"{type(fault.problem).__name__}: {fault.problem}"
    log.error("engine fault: %s", reason, exc_info=fault.problem, extra={"cluster": cluster.log_name})
    if fault.command is None:
        Cluster.objects.filter(pk=cluster.pk, fence=cluster.fence).update(
            failure=reason, paused=True, next_wake_at=None
        )
        return False
    answer = InternalError(f"Internal error occurred: {reason}")
    result = Result(answer.code, None, answer.to_status()).to_json()
    pending = Command.objects.filter(pk=fault.command.pk, state=Command.State.PENDING)
    pending.update(state=Command.State.DONE, result=result)
    messages.carrier().announce_results([str(fault.command.pk)])
    return True


def forget(cluster: Cluster) -> bool:
    """Let a stopped cluster run again, paused, from its recorded history; False when it was not stopped.

    A fork that was never finished has no history to run from: it stays as it is.
    """
    stopped = Cluster.objects.filter(pk=cluster.pk).exclude(failure__in=["", forks.UNFINISHED])
    if not stopped.update(failure="", paused=True):
        return False
    log.warning("failure forgotten: %s", cluster.failure, extra={"cluster": cluster.log_name})
    return True
