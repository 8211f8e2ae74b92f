"""DaemonSet."""

from __future__ import annotations

from ..objects.workloads.daemon_set import DAEMON_SET_KIND, DaemonSet, DaemonSetSpec, DaemonSetStatus
from ..rules.columns.workloads import DAEMON_SET_COLUMNS, summarize_daemon_set
from ..rules.defaults.workloads import default_daemon_set
from ..rules.telling.workloads import describe_daemon_set
from ..rules.validation.workloads.workloads import validate_daemon_set, validate_daemon_set_change
from .entry import RESTART, TEMPLATE, UNDO, KindEntry
from .late_checks import late
from .served import ALL, STATUS_ONLY, Served

DAEMON_SET = KindEntry(
    kind=DAEMON_SET_KIND,
    typed=DaemonSet,
    records=(DaemonSetStatus,),
    spec_class=DaemonSetSpec,
    default_spec=default_daemon_set,
    drops_status=True,
    validate_spec=validate_daemon_set,
    validate_status=late("workloads.status", "validate_daemon_set_status"),
    validate_change=validate_daemon_set_change,
    columns=DAEMON_SET_COLUMNS,
    summarize=summarize_daemon_set,
    describe=describe_daemon_set,
    pod_spec_path=TEMPLATE,
    rollout=(RESTART, UNDO),
    is_workload=True,
    served=Served(parts=STATUS_ONLY, categories=ALL),
)
