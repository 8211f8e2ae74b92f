"""A check ends in words when it cannot go on; what nobody was heard to work on is asked for anew."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from lifecycle.models import Check
from lifecycle.models.checks import GOING_ON, SILENCE
from lifecycle.runs.checks import news

LONGEST = timedelta(hours=2)


def fail(check: Check, problem: str) -> None:
    """End a check that cannot go on, and say why."""
    ended = {"state": Check.State.FAILED, "problem": problem, "ended_at": timezone.now(), "base": b""}
    if update(check, **ended):
        news.tell(check)


def update(check: Check, **values: object) -> bool:
    """Write into a check that goes on still."""
    return Check.objects.filter(pk=check.pk, state=check.state).update(**values) > 0


def list_forgotten(now: datetime) -> list[tuple[str, list[int | None]]]:
    """The checks that nobody has been heard to work on lately, and what is to be asked for anew.

    One that goes on for too long is ended.
    """
    found: list[tuple[str, list[int | None]]] = []
    late = Q(heard_at__lt=now - SILENCE) | Q(created_at__lt=now - LONGEST)
    going_on = Check.objects.filter(late, state__in=GOING_ON).select_related("cluster")
    for check in going_on.defer("base", "report"):
        if now - check.created_at > LONGEST:
            fail(check, f"it was not done after {_tell_hours()}: take fewer seeds, or fewer ordeals")
            continue
        Check.objects.filter(pk=check.pk).update(heard_at=now)
        undone = check.parts.filter(is_done=False).values_list("first", flat=True)
        found.append((str(check.pk), list(undone) or [None]))
    return found


def _tell_hours() -> str:
    return f"{LONGEST // timedelta(hours=1)} hours"
