"""Kubernetes v1.34."""

from __future__ import annotations

from lifecycle.lean_dataclasses import replace

from .release import read_defaults, read_gates
from .switches import (
    BACK_OFF_LOOKED_AT,
    CONTAINER_EVENTS_NAME_CONTAINER,
    EXEC_PROBES_END_WITH_SYNC,
    LAST_END_IS_STATUS,
    RESIZE_TELLS_ITS_END_ONLY,
    STATEFUL_SET_EVENTS_IN_LOWER_CASE,
)
from .tables.v1_34 import TABLES
from .tables.v1_34.gates import GATES
from .v1_35 import V1_35

_GATES = read_gates(GATES)

V1_34 = replace(
    V1_35,
    name="v1.34",
    version="v1.34.9",
    go_version="go1.26.6",
    gates=_GATES,
    # Before there was a gate for it, a kubelet that came back did so.
    defaults=read_defaults(_GATES, ChangeContainerStatusOnKubeletRestart=True),
    switches={
        **V1_35.switches,
        BACK_OFF_LOOKED_AT: True,
        CONTAINER_EVENTS_NAME_CONTAINER: True,
        EXEC_PROBES_END_WITH_SYNC: False,
        LAST_END_IS_STATUS: True,
        RESIZE_TELLS_ITS_END_ONLY: True,
        STATEFUL_SET_EVENTS_IN_LOWER_CASE: True,
    },
    patches=(),
    tables=TABLES,
)
