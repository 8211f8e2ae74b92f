"""Which objects there are, by kind and namespace; and what a change of one of them came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from dashboard.addresses import find_page
from dashboard.plots.theme import clock
from dashboard.reading.causes import read_target
from lifecycle.engine.kinds.cron_job import CRON_JOB
from lifecycle.engine.kinds.daemon_set import DAEMON_SET
from lifecycle.engine.kinds.deployment import DEPLOYMENT
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.kinds.job import JOB
from lifecycle.engine.kinds.service import SERVICE
from lifecycle.engine.kinds.stateful_set import STATEFUL_SET
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.disruption_budget import DISRUPTION_BUDGET_KIND
from lifecycle.input.differences import Field
from lifecycle.input.differences import list_fields as list_differing
from lifecycle.models import Cluster, Command, StoredObject
from lifecycle.recorded.spec_changes import Change, list_fields, pick_asked, read_change

Json = Mapping[str, Any]
FIRST = (
    *(one.kind.id for one in (DEPLOYMENT, STATEFUL_SET, DAEMON_SET, JOB, CRON_JOB, SERVICE)),
    DISRUPTION_BUDGET_KIND.id,
    HORIZONTAL_POD_AUTOSCALER.kind.id,
    NODE_KIND.id,
    "PersistentVolumeClaim",
)
"""The kinds that people look for, in this order; all others follow by name."""
LEFT_OUT = (POD_KIND.name, "Event", "Lease")
"""Pods have lanes of their own; the others are no objects that anybody asks for, and change all the time."""
MOST_BRANCHES, MOST_FIELDS, MOST_COMMANDS = 1_000, 100, 200
SECRET, HIDDEN = "Secret", "(not shown)"


@dataclass(slots=True)
class Kind:
    """A kind with the namespaces in which there are any, each with how many; "" for what has none."""

    id: str
    name: str
    count: int
    namespaces: list[tuple[str, int]]


def list_kinds(cluster: Cluster) -> tuple[list[Kind], int]:
    """Every kind that the cluster has objects of, and how many namespaces of kinds are left out."""
    rows = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True).exclude(kind__in=LEFT_OUT)
    grouped = rows.values("kind", "group", "namespace").annotate(count=Count("uid"))
    counted = grouped.order_by("kind", "group", "namespace")
    by_kind: dict[str, Kind] = {}
    for row in counted[:MOST_BRANCHES]:
        named = kind_id(row["group"], row["kind"])
        kind = by_kind.setdefault(named, Kind(named, row["kind"], 0, []))
        kind.namespaces.append((row["namespace"] or "", row["count"]))
        kind.count += row["count"]
    rank = {name: place for place, name in enumerate(FIRST)}
    kinds = sorted(by_kind.values(), key=lambda one: (rank.get(one.id, len(rank)), one.id))
    return kinds, max(0, counted.count() - MOST_BRANCHES)


@dataclass(frozen=True, slots=True)
class Told:
    """A change of an object as it is shown. `is_cut`: what was before is not kept."""

    subject: str
    page: str
    at: str
    fields: list[Field]
    more: int
    is_cut: bool
    command: str


def tell_change(cluster: Cluster, rv: int) -> Told | None:
    """What the version `rv` of an object changed; None where that is not kept, or only its status."""
    change = read_change(cluster, rv)
    if change is None:
        return None
    if change.before is None:
        fields = [Field(path, "", "") for path in list_fields(change.after)]
    else:
        fields = list(list_differing(pick_asked(change.before), pick_asked(change.after)))
        if change.kind == SECRET:
            fields = [_hide(one) for one in fields]
    if not fields:
        return None
    where = f"{change.namespace}/" if change.namespace else ""
    return Told(
        subject=f"{change.kind} {where}{change.name}",
        page=find_page(change.kind, change.namespace, change.name),
        at=clock(change.at_ms),
        fields=fields[:MOST_FIELDS],
        more=max(0, len(fields) - MOST_FIELDS),
        is_cut=change.before is None,
        command=_find_command(cluster, change),
    )


def _hide(field: Field) -> Field:
    """Of a Secret is told which keys are other ones, and not what they hold."""
    if field.path.split(".")[0] not in ("data", "stringData"):
        return field
    return Field(field.path, field.left and HIDDEN, field.right and HIDDEN)


def _find_command(cluster: Cluster, change: Change) -> str:
    """The command that asked for it at that instant, if it was one about the object itself."""
    commands = Command.objects.filter(cluster=cluster, instant_ms=change.at_ms, state=Command.State.DONE)
    about = change.kind, change.namespace, change.name
    for command in commands.order_by("order")[:MOST_COMMANDS]:
        if read_target(command) == about:
            return str(command.pk)
    return ""
