"""Flags on timelines: what was asked of the cluster from outside, and when it came in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Q

from dashboard.live.autoscalers import AUTOSCALER
from dashboard.live.command_words import Memory
from dashboard.reading.causes import read_target, tell_command
from lifecycle.models import Cluster, Command, StoredObject
from lifecycle.runs.inbox import is_rehearsal
from lifecycle.stored_kinds import kind_of_stored, of_kind

Json = dict[str, Any]
MOST_FLAGS = 200
"""So many are held, the latest."""
SETTINGS = ("ContainerProfile",)
"""Kinds that say how programs behave: nothing happens when they are applied."""


class FlagReader:
    """Follows the commands that have come in, those of a window, of the cluster or of one workload."""

    def __init__(self, cluster: Cluster, window_ms: int | None, workload: str = "") -> None:
        """`workload`: `shop/Deployment/web`; "" for all."""
        self.workload = workload
        self.since_ms = 0 if window_ms is None else max(0, cluster.instant_ms - window_ms)
        self.order = -1
        self.flags: list[Json] = []
        scalers = StoredObject.objects.filter(of_kind(AUTOSCALER), cluster=cluster, deleted_ms__isnull=True)
        self.memory = Memory(with_replicas=not scalers.exists())
        self.follow(cluster)

    def follow(self, cluster: Cluster) -> None:
        """Take what has come in since."""
        if cluster.inbox_order <= self.order:
            return
        rows = Command.objects.filter(cluster=cluster, state=Command.State.DONE, order__gt=self.order)
        # What came before the window is not told, but what came since is a change of that.
        rows = rows.filter(instant_ms__lte=cluster.instant_ms)
        commands = list(rows.select_related("user").order_by("-order")[:MOST_FLAGS])[::-1]
        named = _find_owners(cluster, commands) if self.workload else {}
        for command in commands:
            if not _is_told(command):
                continue
            label, at_ms = self.memory.tell(command, self.workload), command.instant_ms or 0
            if at_ms >= self.since_ms and (not self.workload or self.workload in named[command.pk]):
                self.flags.append(_make_flag(command, label))
        del self.flags[:-MOST_FLAGS]
        self.order = cluster.inbox_order


def _is_told(command: Command) -> bool:
    """Not what was refused, what was only tried, and what only says how programs behave."""
    kind, _namespace, _name = read_target(command)
    is_refused = (command.result or {}).get("code", 200) >= 400
    return kind not in SETTINGS and not is_refused and not is_rehearsal(command)


def _make_flag(command: Command, label: str) -> Json:
    """`label` is written where there is room, all of it is said by the title."""
    link = tell_command(command)
    return {
        "at": command.instant_ms or 0,
        "label": label,
        "title": f"{f'{link.what} {link.subject}'.strip()}, {link.why}",
        "why": f"command/{command.pk}",
        "fault": command.kind == "fault",
    }


def _find_owners(cluster: Cluster, commands: Iterable[Command]) -> dict[Any, set[str]]:
    """By command the names of what it is about and of the owners of that, `shop/Deployment/web`."""
    targets = {command.pk: read_target(command) for command in commands}
    asked = Q(pk__in=[])
    for kind, namespace, name in {target for target in targets.values() if target[0] and target[2]}:
        asked |= of_kind(kind) & Q(name=name) & (Q(namespace=namespace) if namespace else Q())
    owners: dict[tuple[str, str, str], str] = {}
    for stored in StoredObject.objects.filter(asked, cluster=cluster).defer("data"):
        if stored.owner:
            owners[kind_of_stored(stored), stored.namespace or "", stored.name] = stored.owner
    above = _find_owners_above(cluster, owners)
    return {pk: set(_list_names(target, owners, above)) for pk, target in targets.items()}


def _find_owners_above(
    cluster: Cluster, owners: dict[tuple[str, str, str], str]
) -> dict[tuple[str, str], str]:
    """By namespace and owner who owns that: of a ReplicaSet its Deployment."""
    asked = Q(pk__in=[])
    for (_kind, namespace, _name), owner in owners.items():
        kind, _, name = owner.partition("/")
        asked |= of_kind(kind) & Q(name=name, namespace=namespace)
    rows = StoredObject.objects.filter(asked, cluster=cluster, owner__isnull=False).defer("data")
    return {
        (stored.namespace or "", f"{kind_of_stored(stored)}/{stored.name}"): stored.owner or ""
        for stored in rows
    }


def _list_names(
    target: tuple[str, str, str],
    owners: dict[tuple[str, str, str], str],
    above: dict[tuple[str, str], str],
) -> Iterator[str]:
    kind, namespace, name = target
    yield f"{namespace}/{kind}/{name}"
    owner = owners.get(target)
    while owner:
        yield f"{namespace}/{owner}"
        owner = above.get((namespace, owner))
