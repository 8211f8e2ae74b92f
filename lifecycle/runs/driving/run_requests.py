"""What a run is asked to go to: a duration, a clock, `idle`, or a condition; and that it could end there."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError

from lifecycle.engine.heart.timing import parse_milliseconds
from lifecycle.engine.kinds import registry
from lifecycle.engine.objects.kinds import id_for
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.objects.workloads.replica_set import REPLICA_SET_KIND
from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.input import expressions
from lifecycle.input.instants import parse_clock
from lifecycle.models import Cluster, Command, StoredObject
from lifecycle.recorded.objects import find_object
from lifecycle.runs.run_controls import IDLE
from lifecycle.stored_kinds import of_kind

MOST_LETTERS = 500
MADE_BELOW = {POD_KIND.id, REPLICA_SET_KIND.id, JOB_KIND.id}
"""Kinds that a controller makes, under a name that begins with that of what it makes them for."""
MADE_ANYHOW = {
    id_for(api_version, kind)
    for api_version, kind in (
        ("v1", "Node"),
        ("v1", "Event"),
        ("v1", "Endpoints"),
        ("v1", "ConfigMap"),
        ("v1", "ServiceAccount"),
        ("v1", "PersistentVolume"),
        ("v1", "PersistentVolumeClaim"),
        ("apps/v1", "ControllerRevision"),
        ("discovery.k8s.io/v1", "EndpointSlice"),
        ("coordination.k8s.io/v1", "Lease"),
    )
}
"""Kinds that components make under names of their own: who waits for one may be right."""


def read_run(until: str, now_ms: int) -> dict[str, Any]:
    """The payload of a run to `10m` from now, `00:10:00`, `idle`, or `deployment/web Available`.

    ValidationError where there is no such way to say it.
    """
    until = until.strip()
    if not until:
        raise ValidationError("Until when? Say 10m, idle, or a condition such as deployment/web Available")
    if len(until) > MOST_LETTERS:
        raise ValidationError(f"Until when? Say it in {MOST_LETTERS} letters at most")
    asked = {"fast": True, "asked": until}
    if (at_ms := parse_clock(until)) is not None:
        if at_ms < now_ms:
            raise ValidationError(f"{until} is over: it is {tell_instant(now_ms)}. Look at it, or fork there")
        return {"untilMs": at_ms, **asked}
    try:
        return {"untilMs": now_ms + parse_milliseconds(until.removeprefix("+")), **asked}
    except ValueError:
        return {"condition": until, **asked}


def check_run(cluster: Cluster, payload: dict[str, Any]) -> None:
    """ValidationError for a run until something holds of an object that nobody has made or is about to."""
    condition = payload.get("condition") or IDLE
    if condition == IDLE:
        return
    try:
        asked = expressions.parse(condition)
    except expressions.ExpressionError as problem:
        raise ValidationError(str(problem)) from None
    if asked.test == "gone" or cluster.commands.filter(state=Command.State.PENDING).exists():
        return
    namespace = asked.namespace or ""
    found = find_object(cluster, asked.kind, namespace, asked.name)
    is_there = found is not None and found.deleted_ms is None
    if not is_there and not _may_come(cluster, asked.kind, namespace, asked.name):
        name = f"{asked.kind} {f'{namespace}/' if namespace else ''}{asked.name}"
        raise ValidationError(f"There is no {name}: nothing would ever come of waiting for it")


def _may_come(cluster: Cluster, kind: str, namespace: str, name: str) -> bool:
    """Whether a controller may make it: those of pods name them after their workloads."""
    if kind not in MADE_BELOW:
        return kind in MADE_ANYHOW
    kinds = of_kind(*(entry.kind.id for entry in registry.list_workloads()))
    owners = StoredObject.objects.filter(kinds, cluster=cluster, namespace=namespace, deleted_ms__isnull=True)
    dashes = [at for at, letter in enumerate(name) if letter == "-"]
    return owners.filter(name__in=[name[:at] for at in dashes]).exists()
