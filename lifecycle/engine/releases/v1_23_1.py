"""Kubernetes v1.23.1, as far as it is modelled: how it stops pods. All else is v1.35's."""

from __future__ import annotations

from lifecycle.lean_dataclasses import replace

from .switches import EVICTIONS_IGNORE_POD_GRACE, GRACE_OVERRIDE_IS_LAST
from .v1_35 import V1_35

V1_23_1 = replace(
    V1_35,
    name="v1.23.1",
    version="v1.23.1",
    go_version="go1.17.5",
    switches={**V1_35.switches, EVICTIONS_IGNORE_POD_GRACE: True, GRACE_OVERRIDE_IS_LAST: True},
    patches=(),
    borrowed_minor=V1_35.minor[1],
    is_recorded=False,
    borrows="only how long pods get to stop is as in that release; all else is as in v1.35",
)
