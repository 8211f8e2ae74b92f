"""A comparison ends in words when it cannot go on; what nobody was heard to work on is asked for anew."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from lifecycle.models import Comparison
from lifecycle.models.checks import GOING_ON, SILENCE

LONGEST = timedelta(hours=2)


def update(comparison: Comparison, **values: object) -> bool:
    """Write into one that goes on still."""
    return Comparison.objects.filter(pk=comparison.pk, state__in=GOING_ON).update(**values) > 0


def fail(comparison: Comparison, problem: str) -> None:
    """End one that cannot go on, and say why."""
    # PostgreSQL keeps no NUL in a text; what is told may quote one.
    told = problem[:1000].replace("\0", "�")
    update(comparison, state=Comparison.State.FAILED, problem=told, ended_at=timezone.now())


def list_lost(now: datetime) -> list[str]:
    """Those that nobody has been heard to work on lately; one that waits for too long is ended."""
    silent = Q(heard_at__lt=now - SILENCE) | Q(heard_at=None, created_at__lt=now - SILENCE)
    lost = []
    for one in Comparison.objects.filter(silent, state__in=GOING_ON).only("pk", "created_at"):
        if now - one.created_at > LONGEST:
            fail(one, f"no worker took it for {LONGEST // timedelta(hours=1)} hours: ask for it again")
        else:
            # Whoever is asked begins anew; nobody is asked again at once.
            update(one, state=Comparison.State.ASKED, heard_at=now)
            lost.append(str(one.pk))
    return lost
