"""How many living objects a cluster has of each kind and state: of what there is none, nothing is asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Count, Sum

from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.once import once, recall
from lifecycle.stored_kinds import of_kind


@dataclass(slots=True)
class Living:
    """Those of one kind and state: how many, how many of them have an owner, and all their restarts."""

    count: int
    owned: int
    restarts: int


@once
def count_living(cluster: Cluster) -> Mapping[tuple[str, str], Living]:
    """By the id of a kind and the state, "" for none. It goes through all there is, in an index."""
    there = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True).order_by()
    counted = there.values_list("kind", "group", "state").annotate(
        count=Count("pk"), owned=Count("owner"), restarts=Sum("restarts")
    )
    return {
        (kind_id(group, kind), state or ""): Living(count, owned, restarts or 0)
        for kind, group, state, count, owned, restarts in counted
    }


@once
def count_pods(
    cluster: Cluster, namespace: str | None, owners: tuple[str, ...]
) -> Mapping[tuple[str, str], Living]:
    """The living pods of these owners, by owner and state, "" for none."""
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, deleted_ms__isnull=True)
    of_owners = pods.filter(namespace=namespace, owner__in=owners).order_by().values_list("owner", "state")
    counted = of_owners.annotate(count=Count("pk"), restarts=Sum("restarts"))
    return {
        (owner or "", state or ""): Living(count, count, restarts or 0)
        for owner, state, count, restarts in counted
    }


def find_living(
    cluster: Cluster, kinds: Collection[str], states: Collection[str] = ()
) -> list[Living] | None:
    """Of these kinds, and of these states or of any; None for who has not counted."""
    counted = recall(count_living, cluster)
    if counted is None:
        return None
    return [
        one for (kind, state), one in counted.items() if kind in kinds and (not states or state in states)
    ]


def is_none(cluster: Cluster, kinds: Collection[str], states: Collection[str] = ()) -> bool:
    """Whether it is known that there are none of them: for one question alone nobody counts."""
    return find_living(cluster, kinds, states) == []


def is_none_alone(cluster: Cluster, kind: str) -> bool:
    """Whether it is known that each has an owner."""
    found = find_living(cluster, (kind,))
    return found is not None and all(one.count == one.owned for one in found)
