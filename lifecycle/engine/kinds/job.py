"""Job."""

from __future__ import annotations

from ..objects.propagation import ORPHAN
from ..objects.workloads.job import JOB_KIND, Job, JobSpec, JobStatus, UncountedPods
from ..rules.columns.workloads import JOB_COLUMNS, summarize_job
from ..rules.defaults.jobs import default_job, identify_job
from ..rules.serving.fields import read_at
from ..rules.telling.workloads import describe_job
from .entry import TEMPLATE, KindEntry
from .late_checks import late
from .served import ALL, STATUS_ONLY, Form, Served

_list_job_warnings = late("workloads.jobs", "list_job_warnings")
_KEPT_PODS = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove"
    " them or set propagationPolicy=Orphan to suppress this warning"
)

JOB = KindEntry(
    kind=JOB_KIND,
    metadata_looks=2,
    typed=Job,
    records=(JobStatus, UncountedPods),
    spec_class=JobSpec,
    default_spec=default_job,
    identify=identify_job,
    propagation=ORPHAN,
    drops_status=True,
    is_host_name="Pod names and hostnames",
    validate=late("workloads.jobs", "validate_job"),
    validate_update=late("workloads.job_updates", "validate_job_update"),
    validate_status=late("workloads.job_status", "validate_job_status"),
    status_rows=("completedIndexes", "failedIndexes"),
    warn=lambda data: _list_job_warnings(data.get("spec") or {}, "spec"),
    list_rows=lambda spec: {"suspended": bool(spec.get("suspend"))},
    columns=JOB_COLUMNS,
    summarize=summarize_job,
    describe=describe_job,
    pod_spec_path=TEMPLATE,
    is_workload=True,
    stands_between=True,
    served=Served(
        parts=STATUS_ONLY,
        categories=ALL,
        warning_of_deletion=_KEPT_PODS,
        form=Form(fields={"status.successful": read_at("status.succeeded", "0")}),
    ),
)
