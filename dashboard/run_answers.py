"""What is said of a run beside doing it: that it could never end as asked, or that nothing came of it."""

from __future__ import annotations

import time
from typing import Any

from django.core.exceptions import ValidationError

from dashboard.readings import find_object
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.objects.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.stateful_set import STATEFUL_SET_KIND
from lifecycle.input import expressions
from lifecycle.models import Cluster, Command
from lifecycle.runs.run_controls import IDLE

OF_PEOPLE = frozenset(
    kind.id
    for kind in (
        DEPLOYMENT_KIND,
        STATEFUL_SET_KIND,
        DAEMON_SET_KIND,
        CRON_JOB_KIND,
        HORIZONTAL_POD_AUTOSCALER.kind,
    )
)
"""Kinds that no controller makes: who waits for one that is not there waits for nothing."""
SETTLE_SECONDS, LOOK_SECONDS = 0.5, 0.05


def check_run(cluster: Cluster, payload: dict[str, Any]) -> None:
    """ValidationError for a run until something holds of an object that nobody has made or is about to."""
    condition = payload.get("condition") or IDLE
    if condition == IDLE:
        return
    try:
        asked = expressions.parse(condition)
    except expressions.ExpressionError as problem:
        raise ValidationError(str(problem)) from None
    if asked.kind not in OF_PEOPLE or cluster.commands.filter(state=Command.State.PENDING).exists():
        return
    namespace = asked.namespace or "default"
    found = find_object(cluster, asked.kind, namespace, asked.name)
    if found is None or found.deleted_ms is not None:
        name = f"{asked.kind} {namespace}/{asked.name}"
        raise ValidationError(f"There is no {name}: nothing would ever come of waiting for it")


def tell_nothing(cluster: Cluster, kind: str, payload: dict[str, Any], before_ms: int) -> str:
    """That time stands where it stood, and why; "" when it went on. `cluster` is refreshed."""
    if kind not in ("step", "run") or "untilMs" in payload:
        return ""
    deadline = time.monotonic() + SETTLE_SECONDS
    cluster.refresh_from_db()
    while not cluster.paused and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
        cluster.refresh_from_db()
    if not cluster.paused or cluster.instant_ms != before_ms:
        return ""
    if kind == "step":
        return "Nothing is due: nothing here will change by itself"
    condition = payload.get("condition") or IDLE
    return (
        "It is idle already: nothing moves until somebody asks"
        if condition == IDLE
        else f"{condition} holds already"
    )
