"""What a cluster's page lists: its workloads, and what they need and nobody has made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Sum

from dashboard.addresses import find_page
from dashboard.pages.states import Share, list_shares
from lifecycle.engine.kinds import references, registry
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject
from lifecycle.reads import virtual_now_ms
from lifecycle.recorded.living import is_none_alone
from lifecycle.recorded.objects import Key, list_there, read_parents
from lifecycle.recorded.troubles import Parents, list_unwell_keys
from lifecycle.stored_kinds import kind_of_stored, of_kind
from lifecycle.verdicts import judge_rollout

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Workload:
    """A workload of the cluster page's list."""

    kind: str
    namespace: str
    name: str
    page: str
    summary: str
    shares: list[Share]
    restarts: int = 0

    @property
    def pods(self) -> int:
        """How many living pods it has; 1 when none, so that an empty meter has a width."""
        return sum(share.count for share in self.shares) or 1


def list_workloads(cluster: Cluster) -> list[Workload]:
    """Everything that owns pods and is not itself owned, by namespace and name."""
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    kinds = of_kind(*(entry.kind.id for entry in registry.list_workloads()))
    owners = alive.filter(kinds, owner__isnull=True).order_by("namespace", "name", "kind")
    parents = read_parents(cluster)
    states, restarts = _states_by_workload(cluster, parents)
    unwell = list_unwell_keys(cluster, parents, virtual_now_ms(cluster))
    return [_workload(row, states, restarts, unwell) for row in owners]


def list_missing(cluster: Cluster) -> list[references.Missing]:
    """What the cluster's workloads, lone pods and claims need and nobody has made."""
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    wanting = {entry.kind.id for entry in registry.list_entries() if entry.pod_spec_path} - {POD_KIND.id}
    alone = alive.filter(owner__isnull=True)
    # Pods by themselves: of very many the few that nobody owns are found without reading them.
    asked = [alone.filter(of_kind(*wanting, *references.ASKERS))]
    if not is_none_alone(cluster, POD_KIND.id):
        asked.append(alone.filter(of_kind(POD_KIND.id)))
    found = [row for rows in asked for row in rows.values_list("created_ms", "uid", "data")]
    found.sort(key=lambda row: row[:2])
    return references.list_missing((data for *_, data in found), list_there(cluster))


def _workload(
    row: StoredObject, states: dict[Key, Counter[str]], restarts: Counter[Key], unwell: Container[Key]
) -> Workload:
    entry, namespace = registry.entry_of_id(kind_of_stored(row)), row.namespace or ""
    key = (row.namespace, f"{entry.kind.id}/{row.name}")
    shares, page = list_shares(states.get(key, Counter())), find_page(entry.kind.id, namespace, row.name)
    told = describe_workload(entry, row.data, is_unwell=key in unwell)
    return Workload(row.kind, namespace, row.name, page, told, shares, restarts[key])


def _states_by_workload(cluster: Cluster, parents: Parents) -> tuple[dict[Key, Counter[str]], Counter[Key]]:
    """How many pods of each workload are in each state, and how often all of them restarted."""
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    states: dict[Key, Counter[str]] = {}
    restarts = Counter[Key]()
    pods = alive.filter(of_kind(POD_KIND.id), owner__isnull=False).order_by()
    counted = pods.values_list("namespace", "owner", "state")
    for namespace, owner, state, count, again in counted.annotate(count=Count("pk"), again=Sum("restarts")):
        key = (namespace, parents.get((namespace, owner), owner))
        states.setdefault(key, Counter())[state or "unknown"] += count
        restarts[key] += again or 0
    return states, restarts


def describe_workload(entry: KindEntry, data: Json, *, is_unwell: bool = False) -> str:
    """Where it is, and its rollout as `kubectl rollout status` says it, as far as the judge calls it well."""
    words = [entry.describe(data)]
    if rollout := judge_rollout(entry.kind.id, data):
        paused = "paused, " if (data.get("spec") or {}).get("paused") else ""
        unwell = ", but not well" if is_unwell and rollout.is_done else ""
        words.append(f"{paused}{rollout.brief}{unwell}")
    return " · ".join(words)
