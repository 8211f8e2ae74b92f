"""StatefulSet."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.workloads import default_stateful_set
from ..rules.validation.stateful_sets import (
    validate_new_stateful_set,
    validate_stateful_set,
    validate_stateful_set_change,
)
from ..rules.workload_columns import decide_container_columns, decide_stateful_set_columns, summarize_replicas
from ..rules.workload_words import describe_replicas
from .entry import NO_PODS, REPLICAS, RESTART, TEMPLATE, KindEntry

STATEFUL_SET = KindEntry(
    kind=Kind("apps/v1", "StatefulSet", "statefulsets", True, "sts"),
    unattended=NO_PODS,
    default_spec=default_stateful_set,
    is_host_name="Pod names and hostnames",
    validate_new=validate_new_stateful_set,
    validate_spec=validate_stateful_set,
    validate_change=validate_stateful_set_change,
    columns=decide_stateful_set_columns,
    wide_columns=decide_container_columns,
    summarize=summarize_replicas,
    describe=describe_replicas,
    pod_spec_path=TEMPLATE,
    replicas_path=REPLICAS,
    rollout=(RESTART,),
    is_workload=True,
)
