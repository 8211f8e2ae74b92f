"""DaemonSet."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.workloads import default_daemon_set
from ..rules.validation.workloads import validate_daemon_set
from ..rules.workload_columns import decide_daemon_set_columns, decide_selector_columns, summarize_daemon_set
from ..rules.workload_words import describe_daemon_set
from .entry import NO_PODS, RESTART, TEMPLATE, KindEntry

DAEMON_SET = KindEntry(
    kind=Kind("apps/v1", "DaemonSet", "daemonsets", True, "ds"),
    unattended=NO_PODS,
    default_spec=default_daemon_set,
    validate_spec=validate_daemon_set,
    immutable=("selector",),
    columns=decide_daemon_set_columns,
    wide_columns=decide_selector_columns,
    summarize=summarize_daemon_set,
    describe=describe_daemon_set,
    pod_spec_path=TEMPLATE,
    rollout=(RESTART,),
    is_workload=True,
)
