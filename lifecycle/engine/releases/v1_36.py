"""Kubernetes v1.36."""

from __future__ import annotations

from lifecycle.lean_dataclasses import replace

from .release import Patches, read_defaults, read_gates
from .switches import (
    BALANCE_SCORES_IMPROVEMENT,
    DRAIN_SAYS_IT_TWICE,
    EXEC_PROBES_END_WITH_SYNC,
    KUBELET_RELISTS_ON_DEMAND,
    RESIZE_EVENTS_TELL_ADMISSION,
    RESIZE_VALIDATED_BY_NODE,
    SANDBOX_MAKES_READY_TO_START,
)
from .tables.v1_36 import TABLES
from .tables.v1_36.gates import GATES
from .v1_35 import V1_35

_GATES = read_gates(GATES)

V1_36 = replace(
    V1_35,
    name="v1.36",
    version="v1.36.3",
    go_version="go1.26.6",
    gates=_GATES,
    defaults=read_defaults(_GATES),
    switches={
        **V1_35.switches,
        BALANCE_SCORES_IMPROVEMENT: True,
        DRAIN_SAYS_IT_TWICE: False,
        KUBELET_RELISTS_ON_DEMAND: True,
        RESIZE_EVENTS_TELL_ADMISSION: True,
        RESIZE_VALIDATED_BY_NODE: True,
        SANDBOX_MAKES_READY_TO_START: True,
    },
    # Until then each sync of a pod had a context of its own, and no probe's was cancelled with the last one.
    patches=[Patches(before=3, switches={EXEC_PROBES_END_WITH_SYNC: False})],
    tables=TABLES,
)
