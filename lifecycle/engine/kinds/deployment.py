"""Deployment."""

from __future__ import annotations

from ..objects.workloads.deployment import DEPLOYMENT_KIND, Deployment, DeploymentSpec, DeploymentStatus
from ..rules.columns.workloads import DEPLOYMENT_COLUMNS, summarize_counts
from ..rules.defaults.workloads import default_deployment
from ..rules.telling.workloads import describe_replicas
from ..rules.validation.workloads.workloads import validate_deployment
from .entry import PAUSE, REPLICAS, RESTART, RESUME, TEMPLATE, UNDO, KindEntry
from .late_checks import late
from .served import ALL, SCALE_AND_STATUS, Served

DEPLOYMENT = KindEntry(
    kind=DEPLOYMENT_KIND,
    typed=Deployment,
    records=(DeploymentStatus,),
    spec_class=DeploymentSpec,
    default_spec=default_deployment,
    drops_status=True,
    is_host_name="Pod names and hostnames",
    validate_spec=validate_deployment,
    validate_status=late("workloads.status", "validate_deployment_status"),
    immutable=("selector",),
    # They are copied to its replica sets.
    counts_annotations=True,
    columns=DEPLOYMENT_COLUMNS,
    summarize=lambda obj: summarize_counts(obj, obj.status.ready_replicas, obj.spec.replicas),
    describe=describe_replicas,
    pod_spec_path=TEMPLATE,
    replicas_path=REPLICAS,
    rollout=(RESTART, PAUSE, RESUME, UNDO),
    is_workload=True,
    served=Served(parts=SCALE_AND_STATUS, categories=ALL),
)
