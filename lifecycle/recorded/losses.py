"""When pods stopped being ready, read from the rows of the last minutes."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.telling.losses import WINDOW_MS, is_loss
from lifecycle.engine.rules.telling.noticed import STATE
from lifecycle.models import Cluster, StoredObject, Transition

MOST_ROWS = 5_000


def read_losses(
    cluster: Cluster, pods: QuerySet[StoredObject], now_ms: int, owners: Sequence[str] | None = None
) -> dict[str, list[int]]:
    """By uid the instants at which these pods, which have these owners, stopped being ready lately."""
    rows = Transition.objects.filter(cluster=cluster, field=STATE, at_ms__gte=now_ms - WINDOW_MS)
    if owners is not None:
        rows = rows.filter(owner__in=owners)
    latest = rows.filter(kind=POD_KIND.name, seq__lte=cluster.seq).order_by("-seq")
    losses: dict[str, list[int]] = {}
    for uid, at_ms, old, new in reversed(latest.values_list("uid", "at_ms", "old", "new")[:MOST_ROWS]):
        if is_loss(old, new):
            losses.setdefault(uid, []).append(at_ms)
    asked = pods.filter(uid__in=list(losses)).order_by().values_list("uid", flat=True)
    return {uid: losses[uid] for uid in asked}
