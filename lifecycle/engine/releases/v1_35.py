"""Kubernetes v1.35."""

from __future__ import annotations

from .release import Gate, Patches, Release, read_defaults, read_gates
from .switches import (
    BACK_OFF_LOOKED_AT,
    BALANCE_SCORES_IMPROVEMENT,
    CONTAINER_EVENTS_NAME_CONTAINER,
    DRAIN_SAYS_IT_TWICE,
    EVICTIONS_IGNORE_POD_GRACE,
    EXEC_PROBES_END_WITH_SYNC,
    GRACE_OVERRIDE_IS_LAST,
    KUBELET_RELISTS_ON_DEMAND,
    LAST_END_IS_STATUS,
    MANY_MISSES_START,
    MAX_UNAVAILABLE_ROUNDS_UP,
    RESIZE_EVENTS_TELL_ADMISSION,
    RESIZE_TELLS_ITS_END_ONLY,
    RESIZE_VALIDATED_BY_NODE,
    ROLLBACK_EVENTS,
    SANDBOX_MAKES_READY_TO_START,
    SCALING_EVENTS_NAME_FORMER_SIZE,
    STATEFUL_SET_EVENTS_IN_LOWER_CASE,
)
from .tables.v1_35 import TABLES
from .tables.v1_35.gates import GATES

_GATES = {
    **read_gates(GATES),
    # The documentation still names it; the source has had it no more since v1.35.
    "UserNamespacesPodSecurityStandards": Gate(False, "Alpha"),
}

V1_35 = Release(
    name="v1.35",
    version="v1.35.6",
    go_version="go1.25.5",
    gates=_GATES,
    defaults=read_defaults(_GATES),
    switches={
        BACK_OFF_LOOKED_AT: False,
        BALANCE_SCORES_IMPROVEMENT: False,
        CONTAINER_EVENTS_NAME_CONTAINER: False,
        DRAIN_SAYS_IT_TWICE: True,
        EVICTIONS_IGNORE_POD_GRACE: False,
        EXEC_PROBES_END_WITH_SYNC: True,
        GRACE_OVERRIDE_IS_LAST: False,
        KUBELET_RELISTS_ON_DEMAND: False,
        LAST_END_IS_STATUS: False,
        MANY_MISSES_START: True,
        MAX_UNAVAILABLE_ROUNDS_UP: False,
        RESIZE_EVENTS_TELL_ADMISSION: False,
        RESIZE_TELLS_ITS_END_ONLY: False,
        RESIZE_VALIDATED_BY_NODE: False,
        ROLLBACK_EVENTS: False,
        SANDBOX_MAKES_READY_TO_START: False,
        SCALING_EVENTS_NAME_FORMER_SIZE: True,
        STATEFUL_SET_EVENTS_IN_LOWER_CASE: False,
    },
    tables=TABLES,
    # Turned off again by kubernetes/kubernetes#137926, since Parallel sets went wrong with it.
    patches=[Patches(before=4, gates={"MaxUnavailableStatefulSet": True})],
)
