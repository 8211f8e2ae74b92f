"""Kubernetes v1.37, as far as its release notes tell: nothing of it is recorded, nor was its source read."""

from __future__ import annotations

from lifecycle.lean_dataclasses import replace

from .release import Gate, read_defaults
from .switches import EXEC_PROBES_END_WITH_SYNC
from .v1_36 import V1_36

_GATES = {
    **V1_36.gates,
    # kubernetes/kubernetes#140107
    "HPAConfigurableTolerance": Gate(True, "GA", is_locked=True),
    # kubernetes/kubernetes#139466, once Parallel sets were mended (#137666)
    "MaxUnavailableStatefulSet": Gate(True, "Beta"),
    # kubernetes/kubernetes#140805
    "PLEGOnDemandRelist": Gate(True, "GA", is_locked=True),
    # kubernetes/kubernetes#135300, #140488
    "PodReadyToStartContainersCondition": Gate(True, "GA", is_locked=True),
}

V1_37 = replace(
    V1_36,
    name="v1.37",
    version="v1.37.0",
    gates=_GATES,
    defaults=read_defaults(_GATES),
    # Mended by kubernetes/kubernetes#140882.
    switches={**V1_36.switches, EXEC_PROBES_END_WITH_SYNC: False},
    patches=(),
    borrows="by its release notes StatefulSets obey maxUnavailable, exec probes go on while a pod ends, and"
    " looks on demand cannot be turned off; what else they tell is not modelled, and as in v1.36",
    is_recorded=False,
)
