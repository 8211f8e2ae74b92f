"""StatefulSet."""

from __future__ import annotations

from ..objects.workloads.stateful_set import (
    STATEFUL_SET_KIND,
    StatefulSet,
    StatefulSetSpec,
    StatefulSetStatus,
)
from ..rules.columns.workloads import STATEFUL_SET_COLUMNS, summarize_counts
from ..rules.defaults.workloads import default_stateful_set
from ..rules.telling.workloads import describe_replicas
from ..rules.validation.words.names import check_label
from .entry import REPLICAS, RESTART, TEMPLATE, UNDO, KindEntry
from .late_checks import late
from .served import ALL, SCALE_AND_STATUS, Served

STATEFUL_SET = KindEntry(
    kind=STATEFUL_SET_KIND,
    typed=StatefulSet,
    records=(StatefulSetStatus,),
    spec_class=StatefulSetSpec,
    drops_status=True,
    default_spec=default_stateful_set,
    check_name=check_label,
    validate=late("workloads.stateful_sets", "validate_stateful_set"),
    validate_update=late("workloads.stateful_sets", "validate_stateful_set_update"),
    validate_status=late("workloads.status", "validate_stateful_set_status"),
    columns=STATEFUL_SET_COLUMNS,
    summarize=lambda obj: summarize_counts(obj, obj.status.ready_replicas, obj.spec.replicas),
    describe=describe_replicas,
    pod_spec_path=TEMPLATE,
    replicas_path=REPLICAS,
    rollout=(RESTART, UNDO),
    is_workload=True,
    served=Served(parts=SCALE_AND_STATUS, categories=ALL),
)
