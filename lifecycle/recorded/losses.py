"""When pods stopped being ready, read from the rows of the last minutes."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import TextField
from django.db.models.functions import Cast

from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.telling.losses import READY, WINDOW_MS, is_loss
from lifecycle.engine.rules.telling.noticed import STATE
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.pod_judge import ENDED
from lifecycle.recorded.latest import LATEST_FIRST

MOST_ROWS = 5_000


def read_losses(
    cluster: Cluster, now_ms: int, namespace: str | None = None, owners: Sequence[str] | None = None
) -> dict[str, list[int]]:
    """By uid the instants at which living pods stopped being ready lately: of one workload, or all there are.

    Those that have ended come and go no more.

    `owners`: what pods of that one may name as theirs.
    """
    rows = Transition.objects.filter(cluster=cluster, field=STATE, at_ms__gte=now_ms - WINDOW_MS)
    # Of very many changes the latest are looked at; only what may be a loss leaves the database.
    if cluster.seq > MOST_ROWS:
        first = rows.order_by("-at_ms").values_list("at_ms", flat=True)[MOST_ROWS : MOST_ROWS + 1]
        rows = rows.filter(at_ms__gt=first[0]) if first else rows
    if owners is not None:
        rows = rows.filter(namespace=namespace, owner__in=owners)
    said = rows.annotate(was=Cast("old", TextField())).filter(was=f'"{READY}"')
    latest = said.filter(kind=POD_KIND.name, seq__lte=cluster.seq).order_by(LATEST_FIRST)
    losses: dict[str, list[int]] = {}
    for uid, at_ms, old, new in reversed(latest.values_list("uid", "at_ms", "old", "new")[:MOST_ROWS]):
        if is_loss(old, new):
            losses.setdefault(uid, []).append(at_ms)
    if not losses:
        return {}
    # By their uids alone: to ask for those that live would be to go through all that do.
    known = StoredObject.objects.filter(cluster=cluster, uid__in=list(losses))
    states = known.values_list("uid", "deleted_ms", "state")
    return {uid: losses[uid] for uid, gone_ms, state in states if gone_ms is None and state not in ENDED}
