"""Where a workload is, in one line that a person reads at a glance: `2 of 3 ready`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def describe_replicas(data: Json) -> str:
    """Of a workload that wants `spec.replicas`."""
    spec, status = data.get("spec") or {}, data.get("status") or {}
    return f"{status.get('readyReplicas', 0)} of {spec.get('replicas', 1)} ready"


def describe_daemon_set(data: Json) -> str:
    """Of one that wants a pod on every node that it is for."""
    status = data.get("status") or {}
    return f"{status.get('numberReady', 0)} of {status.get('desiredNumberScheduled', 0)} ready"


def describe_job(data: Json) -> str:
    """Its pods by what became of them."""
    status = data.get("status") or {}
    return " · ".join(f"{status.get(name, 0)} {name}" for name in ("active", "succeeded", "failed"))


def describe_cron_job(data: Json) -> str:
    """When it runs, and how many of its Jobs do so now."""
    spec, status = data.get("spec") or {}, data.get("status") or {}
    return f"{spec.get('schedule', '')} · {len(status.get('active') or ())} active"
