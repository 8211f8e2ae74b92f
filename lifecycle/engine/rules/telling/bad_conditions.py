"""What the conditions of a workload's own status say is wrong with it, where no other words do. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.condition import Condition
from ...objects.names import FAILED_CREATE, REPLICA_FAILURE
from .verdicts import quote, tell_instant

_TOLD = (FAILED_CREATE, "ProgressDeadlineExceeded", "MinimumReplicasUnavailable")
"""Reasons that the words of a rollout, and of refused pods, tell already."""


def tell_bad_condition(workload: Mapping[str, Any], epoch_ms: int) -> str:
    """`ReplicaFailure is True since 00:01:00: FailedDelete (…)`; "" where nothing more is wrong.

    The one condition that is bad while it is True is ReplicaFailure.
    """
    for one in (workload.get("status") or {}).get("conditions") or ():
        is_bad = one.get("status") == ("True" if one.get("type") == REPLICA_FAILURE else "False")
        if is_bad and one.get("reason") and one["reason"] not in _TOLD:
            read = Condition.from_json(one, epoch_ms)
            since = tell_instant(read.last_transition_ms or 0)
            return f"{read.type} is {read.status} since {since}: {read.reason}{quote(read.message)}"
    return ""
