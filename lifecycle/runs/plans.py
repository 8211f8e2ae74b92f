"""Plans become clusters: what `simulate` would run in its own process, recorded and shown."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction

from lifecycle.models import Cluster
from lifecycle.runs import inbox
from lifecycle.simulation import Plan

# A story is watched, not waited for.
PLAYED_AT_SPEED = 10.0


def begin(plan: Plan, name: str, user: Any) -> Cluster:
    """A new cluster in which a plan's objects are made and its steps will be taken, running.

    It begins now, unless the plan's Scenario says when. ValidationError when its input would give no cluster.
    """
    epoch = None
    if plan.is_epoch_given:
        epoch = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=plan.epoch_ms)
    with transaction.atomic():
        made = inbox.create_cluster(
            user, name, plan.seed, epoch, plan.settings.to_json(), speed=PLAYED_AT_SPEED
        )
        for data in plan.objects:
            inbox.append(made, "apply", {"object": dict(data)}, user, pinned_ms=0)
        for step in plan.steps:
            inbox.append(made, step.kind, step.payload, user, pinned_ms=step.at_ms)
    return made
