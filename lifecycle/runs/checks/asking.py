"""A check is asked for, cancelled, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.limits import Exceeded, is_bound
from lifecycle.models import Check, Cluster
from lifecycle.models.checks import GOING_ON
from lifecycle.runs import messages
from lifecycle.runs.checks import news

MOST_SEEDS = 50
MOST_FUTURES = 5_000
MOST_KEPT = 10
"""So many checks of a cluster are kept; the oldest go."""
AGAIN_SECONDS = 10


def ask(cluster: Cluster, user: Any, ordeals: Sequence[str] = (), seeds: int = 1) -> Check:
    """Ask for a check of a cluster as it is now; no ordeals named: all.

    ValidationError with what would be right; limits.Exceeded while another one goes on, of the same cluster
    or of the same user.
    """
    names = check_ordeals(ordeals)
    if not isinstance(seeds, int) or isinstance(seeds, bool) or not 1 <= seeds <= MOST_SEEDS:
        raise ValidationError({"seeds": [f"{seeds}: use a whole number from 1 to {MOST_SEEDS}"]})
    if cluster.failure:
        raise ValidationError(
            f"the cluster {cluster.name} has failed and cannot be checked: {cluster.failure}"
        )
    try:
        with transaction.atomic():
            _check_user(user)
            check = Check.objects.create(cluster=cluster, user=user, ordeals=names, seeds=seeds)
    except IntegrityError:
        raise Exceeded(
            "a check of this cluster goes on, and one at a time is the most: wait for its end, or cancel it",
            429,
            AGAIN_SECONDS,
        ) from None
    forget_old(cluster)
    transaction.on_commit(lambda: messages.carrier().ask_for_check(str(check.pk), [None]))
    return check


def check_ordeals(names: Sequence[str]) -> list[str]:
    """Those that are meant, in the order in which they are known: none for all. ValidationError."""
    known = [one.name for one in list_ordeals()]
    wrong = [one for one in names if one not in known]
    if wrong:
        told = f"no ordeal is called {str(wrong[0])[:40]!r}; there are {', '.join(known)}"
        raise ValidationError({"ordeals": [told]})
    return [one for one in known if not names or one in names]


def _check_user(user: Any) -> None:
    """Exceeded while another check of the user's goes on. The user's row is locked meanwhile."""
    if not is_bound(user):
        return
    list(get_user_model().objects.select_for_update().filter(pk=user.pk).values_list("pk"))
    going_on = Check.objects.filter(user=user, state__in=GOING_ON).select_related("cluster").first()
    if going_on is not None:
        raise Exceeded(
            f"your check of the cluster {going_on.cluster.name} goes on, and one at a time is the most for"
            " one user: wait for its end, or cancel it",
            429,
            AGAIN_SECONDS,
        )


def forget_old(cluster: Cluster) -> None:
    """Make room for one more."""
    old = Check.objects.filter(cluster=cluster).exclude(state__in=GOING_ON).values_list("pk", flat=True)
    Check.objects.filter(pk__in=list(old[MOST_KEPT - 1 :])).delete()


def cancel(check: Check) -> bool:
    """Stop a check: what has begun stops at its next future. False when it had ended before."""
    ended = {"state": Check.State.CANCELLED, "ended_at": timezone.now(), "base": b""}
    is_done = Check.objects.filter(pk=check.pk, state__in=GOING_ON).update(**ended) > 0
    check.refresh_from_db()
    if is_done:
        news.tell(check)
    return is_done
