"""How long history stays: the watch window of versions, and each cluster's own limits on rows.

Only history goes. The latest state of every object, the commands and the checkpoints stay, so a
cluster whose rows were cut can still be replayed, and looks the same.
"""

from django.db import transaction
from django.db.models import Model

from lifecycle.models import Cluster, Event, ObjectVersion, Transition

EVERY_SECONDS = 30.0
# Deleted in short transactions, so that no writer waits long.
BATCH_ROWS = 5000


def prune(cluster: Cluster) -> None:
    """Delete what is older than the cluster keeps. The oldest rows left are noted first: readers of
    what is going get a clear answer instead of a gap."""
    oldest_rv = max(
        cluster.rv - cluster.watch_rows + 1,
        first_at(ObjectVersion, "rv", cluster, cluster.instant_ms - cluster.watch_ms),
    )
    oldest_seq = cluster.oldest_seq
    if cluster.keep_rows is not None:
        oldest_seq = max(oldest_seq, cluster.seq - cluster.keep_rows + 1)
    if cluster.keep_ms is not None:
        cutoff_ms = cluster.instant_ms - cluster.keep_ms
        oldest_seq = max(oldest_seq, first_at(Transition, "seq", cluster, cutoff_ms))
    oldest_rv = max(oldest_rv, cluster.oldest_rv)
    if (oldest_rv, oldest_seq) == (cluster.oldest_rv, cluster.oldest_seq):
        return
    before = cluster.rv - cluster.oldest_rv + cluster.seq - cluster.oldest_seq + 2
    left = max(0, cluster.rv - oldest_rv + cluster.seq - oldest_seq + 2)
    # About: the rows that go are taken to be as large as those that stay.
    size = cluster.recorded_bytes * left // before
    Cluster.objects.filter(pk=cluster.pk).update(
        oldest_rv=oldest_rv, oldest_seq=oldest_seq, recorded_bytes=size
    )
    _delete_below(ObjectVersion, "rv", cluster, oldest_rv)
    _delete_below(Transition, "seq", cluster, oldest_seq)
    _delete_below(Event, "seq", cluster, oldest_seq)
    cluster.oldest_rv, cluster.oldest_seq, cluster.recorded_bytes = oldest_rv, oldest_seq, size


def first_at(model: type[Model], number: str, cluster: Cluster, at_ms: int) -> int:
    """The number of the first row at or after an instant. Both only grow, so halving finds it."""
    if at_ms <= 0:
        return 1
    rows = model._default_manager.filter(cluster=cluster)
    low, high = 1, getattr(cluster, number) + 1
    while low < high:
        middle = (low + high) // 2
        row = (
            rows.filter(**{f"{number}__gte": middle, f"{number}__lt": high})
            .order_by(number)
            .values_list(number, "at_ms")
            .first()
        )
        if row is None or row[1] >= at_ms:
            high = middle
        else:
            low = row[0] + 1
    return low


def _delete_below(model: type[Model], number: str, cluster: Cluster, limit: int) -> None:
    rows = model._default_manager.filter(cluster=cluster, **{f"{number}__lt": limit})
    while True:
        last = rows.order_by(number).values_list(number, flat=True)[BATCH_ROWS - 1 : BATCH_ROWS].first()
        with transaction.atomic():
            part = rows if last is None else rows.filter(**{f"{number}__lte": last})
            part.delete()
        if last is None:
            return
