"""How controllers are called in the events that they tell: those of which few runs load what decides."""

from __future__ import annotations

CRON_JOB = "cronjob-controller"
DAEMON_SET = "daemonset-controller"
HORIZONTAL_POD_AUTOSCALER = "horizontal-pod-autoscaler"
JOB = "job-controller"
STATEFUL_SET = "statefulset-controller"
