"""CronJob."""

from __future__ import annotations

from ..objects.workloads.cron_job import CRON_JOB_KIND, CronJob, CronJobSpec, CronJobStatus
from ..rules.columns.workloads import CRON_JOB_COLUMNS, summarize_end
from ..rules.defaults.jobs import default_cron_job
from ..rules.telling.workloads import describe_cron_job
from .entry import TEMPLATE, KindEntry
from .late_checks import late
from .served import ALL, STATUS_ONLY, Served

CRON_JOB = KindEntry(
    kind=CRON_JOB_KIND,
    typed=CronJob,
    records=(CronJobStatus,),
    spec_class=CronJobSpec,
    default_spec=default_cron_job,
    drops_status=True,
    is_host_name="Pod names and hostnames",
    validate=late("workloads.cron_jobs", "validate_cron_job"),
    validate_update=late("workloads.cron_jobs", "validate_cron_job_update"),
    warn=late("workloads.cron_jobs", "list_cron_job_warnings"),
    list_rows=lambda spec: {"suspended": bool(spec.get("suspend"))},
    columns=CRON_JOB_COLUMNS,
    summarize=summarize_end,
    describe=describe_cron_job,
    pod_spec_path=("spec", "jobTemplate", *TEMPLATE),
    is_workload=True,
    served=Served(parts=STATUS_ONLY, categories=ALL),
)
