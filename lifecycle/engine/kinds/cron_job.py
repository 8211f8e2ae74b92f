"""CronJob."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.workloads import default_cron_job
from ..rules.validation.cron_jobs import validate_cron_job, validate_new_cron_job
from ..rules.workload_columns import decide_cron_job_columns, decide_wide_cron_job_columns, summarize_end
from ..rules.workload_words import describe_cron_job
from .entry import NO_PODS, TEMPLATE, KindEntry

CRON_JOB = KindEntry(
    kind=Kind("batch/v1", "CronJob", "cronjobs", True, "cj"),
    unattended=NO_PODS,
    default_spec=default_cron_job,
    is_host_name="Pod names and hostnames",
    validate_new=validate_new_cron_job,
    validate_spec=validate_cron_job,
    list_rows=lambda spec: {"suspended": bool(spec.get("suspend"))},
    columns=decide_cron_job_columns,
    wide_columns=decide_wide_cron_job_columns,
    summarize=summarize_end,
    describe=describe_cron_job,
    pod_spec_path=("spec", "jobTemplate", *TEMPLATE),
    is_workload=True,
)
