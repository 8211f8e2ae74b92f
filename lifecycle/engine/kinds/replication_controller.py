"""ReplicationController."""

from __future__ import annotations

from ..objects.propagation import ORPHAN
from ..objects.workloads.replication_controller import (
    REPLICATION_CONTROLLER_KIND,
    ReplicationController,
    ReplicationControllerSpec,
)
from ..rules.columns.workloads import REPLICATION_CONTROLLER_COLUMNS, summarize_counts
from ..rules.defaults.workloads import default_replication_controller, label_like_template
from ..rules.serving.fields import read_at
from ..rules.telling.workloads import describe_replicas
from ..rules.validation.words.names import check_long_name
from ..rules.validation.workloads.workloads import validate_replication_controller
from .entry import REPLICAS, TEMPLATE, KindEntry
from .late_checks import late
from .served import ALL, SCALE_AND_STATUS, Form, Served

REPLICATION_CONTROLLER = KindEntry(
    kind=REPLICATION_CONTROLLER_KIND,
    typed=ReplicationController,
    spec_class=ReplicationControllerSpec,
    default_spec=default_replication_controller,
    default=label_like_template,
    check_name=check_long_name,
    propagation=ORPHAN,
    drops_status=True,
    is_host_name="Pod names and hostnames",
    validate_spec=validate_replication_controller,
    validate_status=late("workloads.status", "validate_replica_set_status"),
    columns=REPLICATION_CONTROLLER_COLUMNS,
    summarize=lambda obj: summarize_counts(obj, obj.status.ready_replicas, obj.spec.replicas),
    describe=describe_replicas,
    pod_spec_path=TEMPLATE,
    replicas_path=REPLICAS,
    is_workload=True,
    stands_between=True,
    served=Served(
        parts=SCALE_AND_STATUS,
        categories=ALL,
        registry_name="controllers",
        form=Form(fields={"status.replicas": read_at("status.replicas", "0")}),
    ),
)
