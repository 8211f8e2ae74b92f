"""A look at a cluster's past: a fork of that instant which shows it whole, and to which nothing happens.

So every page, part and list that shows a cluster shows its past as well, and what it shows was recorded.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.db.models import Q

from lifecycle.models import Cluster, Transition
from lifecycle.models.shares import Guest
from lifecycle.runs import forks

# Whoever looks at a further instant loses the oldest of so many.
MOST_KEPT = 3


def look(cluster: Cluster, at_ms: int, user: Any) -> Cluster:
    """What `cluster`, or that which it is a look at, was at an instant: for `user` alone, or a link's guests.

    ValueError when the instant is not recorded; checkpoints.Unreadable when it cannot be replayed any more.
    """
    base, share = base_of(cluster), user.share if isinstance(user, Guest) else None
    # A link's looks are kept beside those of who made it, and go with it.
    owner = user if share is None else share.user
    own = Cluster.objects.filter(owner=owner, is_look=True, share=share)
    known = own.filter(parent=base, forked_at_ms=at_ms, failure="").first()
    if known is not None:
        return known
    made = forks.fork(base, at_ms, owner, f"look-{uuid4().hex[:12]}", is_look=True, asked_by=user)
    if share is not None:
        made.share = share
        made.save(update_fields=["share"])
    for older in own.order_by("-pk")[MOST_KEPT:]:
        older.delete()
    return made


def base_of(cluster: Cluster) -> Cluster:
    """What a look looks at; any other cluster itself."""
    return cluster.parent if cluster.is_look and cluster.parent is not None else cluster


def find_neighbours(look: Cluster, asked: Q | None = None) -> tuple[int | None, int | None]:
    """The instants of the last change before what a look shows, and of the next one after it.

    `asked`: only of such transitions.
    """
    base, at_ms = base_of(look), look.instant_ms
    found = Transition.objects.filter(asked or Q(), cluster=base, seq__lte=base.seq)
    rows = found.values_list("at_ms", flat=True)
    before = rows.filter(seq__lte=look.seq, at_ms__lt=at_ms).order_by("-seq").first()
    return before, rows.filter(seq__gt=look.seq).order_by("seq").first()
