"""ReplicaSet."""

from __future__ import annotations

from ..objects.workloads.replica_set import REPLICA_SET_KIND, ReplicaSet, ReplicaSetSpec, ReplicaSetStatus
from ..rules.columns.workloads import REPLICA_SET_COLUMNS, summarize_counts
from ..rules.defaults.workloads import default_replica_set
from ..rules.telling.workloads import describe_replicas
from ..rules.validation.workloads.workloads import validate_replica_set
from .entry import REPLICAS, TEMPLATE, KindEntry
from .late_checks import late
from .served import ALL, SCALE_AND_STATUS, Served

REPLICA_SET = KindEntry(
    kind=REPLICA_SET_KIND,
    typed=ReplicaSet,
    records=(ReplicaSetStatus,),
    spec_class=ReplicaSetSpec,
    default_spec=default_replica_set,
    drops_status=True,
    is_host_name="Pod names and hostnames",
    validate_spec=validate_replica_set,
    validate_status=late("workloads.status", "validate_replica_set_status"),
    immutable=("selector",),
    columns=REPLICA_SET_COLUMNS,
    summarize=lambda obj: summarize_counts(obj, obj.status.ready_replicas, obj.spec.replicas),
    describe=describe_replicas,
    pod_spec_path=TEMPLATE,
    replicas_path=REPLICAS,
    is_workload=True,
    stands_between=True,
    served=Served(parts=SCALE_AND_STATUS, categories=ALL),
)
