"""ReplicationController: stored and shown, not yet acted on."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.workloads import default_replication_controller
from ..rules.validation.workloads import validate_replication_controller
from ..rules.workload_columns import decide_replica_set_columns, summarize_replicas
from ..rules.workload_words import describe_replicas
from .entry import REPLICAS, TEMPLATE, KindEntry

REPLICATION_CONTROLLER = KindEntry(
    kind=Kind("v1", "ReplicationController", "replicationcontrollers", True, "rc"),
    default_spec=default_replication_controller,
    is_host_name="Pod names and hostnames",
    validate_spec=validate_replication_controller,
    columns=decide_replica_set_columns,
    summarize=summarize_replicas,
    describe=describe_replicas,
    pod_spec_path=TEMPLATE,
    replicas_path=REPLICAS,
    is_workload=True,
)
