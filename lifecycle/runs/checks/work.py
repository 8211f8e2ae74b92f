"""What a worker does for a check: begin it, live through a part of its futures, sum it up.

Each does what the database says is next, and asks for what follows. What goes wrong ends the check, in words.
"""

from __future__ import annotations

import logging
import time
from uuid import UUID

from django.db import Error, transaction
from django.db.models import F, Q
from django.utils import timezone

from lifecycle.check.findings import list_faults
from lifecycle.check.life import Future, live
from lifecycle.check.scorecard import Card, begin_card, fill_card, join_cards, note_faults
from lifecycle.engine import ENGINE_VERSION
from lifecycle.models import Check, CheckPart
from lifecycle.models.checks import SILENCE
from lifecycle.runs import checkpoints, forks, messages
from lifecycle.runs.checks import endings, futures, grounds, news, summing
from lifecycle.runs.checks.asking import MOST_FUTURES
from lifecycle.runs.checks.heartbeats import Heartbeat

log = logging.getLogger(__name__)

PART_FUTURES = 8
TURN_SECONDS = 2.0
"""After so long a part tells what it has, and lets others have a turn."""
MOST_ATTEMPTS = 3


def work_on(check_id: str, first: int | None) -> None:
    """Do what is next of a check: of the part that begins with a future, or of the whole (None)."""
    check = _find(check_id)
    if check is None or not check.is_going_on:
        return
    try:
        if first is not None:
            _live_part(check, first)
        elif (check.state == Check.State.ASKED or check.is_summing) and _claim_whole(check):
            with Heartbeat(lambda: endings.update(check, worked_at=timezone.now(), heard_at=timezone.now())):
                (_conclude if check.is_summing else _begin)(check)
    except Error:
        raise
    except Exception as problem:
        log.exception("a check failed", extra={"check": check_id})
        endings.fail(check, f"{type(problem).__name__}: {problem}"[:500])


def _find(check_id: str) -> Check | None:
    heavy = ("base", "report")
    return Check.objects.select_related("cluster").defer(*heavy).filter(pk=UUID(check_id)).first()


# --- it begins ----------------------------------------------------------------------------------------------


def _begin(check: Check) -> None:
    """Take the cluster as it stands, see what there is to be lived through, and share it out."""
    try:
        restored = forks.restore_at(check.cluster, None)
    except (ValueError, checkpoints.Unreadable) as problem:
        endings.fail(check, f"the cluster cannot be taken up: {problem}")
        return
    found = grounds.lay(check, restored.engine)
    if unfit := _tell_unfit(found):
        endings.fail(check, unfit)
        return
    card = begin_card(found.trials, len(found.seeds), found.settled)
    faults = list_faults(found.settled, found.trials, len(found.seeds), found.untouched)
    note_faults(card, faults, found.settled)
    at_ms, order = restored.engine.now_ms, checkpoints.last_order_at(check.cluster, restored.engine.now_ms)
    with transaction.atomic():
        is_begun = endings.update(
            check,
            state=Check.State.RUNNING,
            at_ms=at_ms,
            command_order=order,
            engine_version=ENGINE_VERSION,
            base=checkpoints.pack(restored.engine.save()),
            total=found.total,
            card=card,
            attempts=0,
            worked_at=None,
            heard_at=timezone.now(),
        )
        if not is_begun:
            return
        firsts = range(0, found.total, PART_FUTURES)
        parts = [
            CheckPart(check_of=check, first=first, count=min(PART_FUTURES, found.total - first))
            for first in firsts
        ]
        CheckPart.objects.bulk_create(parts, batch_size=500)
        transaction.on_commit(lambda: messages.carrier().ask_for_check(str(check.pk), list(firsts)))
    news.tell(check)


def _claim_whole(check: Check) -> bool:
    """Whether the whole is this worker's to begin, or to sum up: nobody is at it, nor lost others at it."""
    now = timezone.now()
    free = Q(worked_at=None) | Q(worked_at__lt=now - SILENCE)
    mine = Check.objects.filter(free, pk=check.pk, state=check.state)
    if not mine.update(worked_at=now, heard_at=now, attempts=F("attempts") + 1):
        return False
    if check.attempts < MOST_ATTEMPTS:
        return True
    endings.fail(check, f"{MOST_ATTEMPTS} times its worker was lost while it began, or while it summed up")
    return False


def _tell_unfit(found: grounds.Grounds) -> str:
    if not found.trials:
        return "none of these ordeals can befall anything here: apply a workload, or choose others"
    if found.total > MOST_FUTURES:
        most = MOST_FUTURES // len(found.trials)
        cure = f"take {most} seeds at most, or fewer ordeals" if most else "choose fewer ordeals"
        return f"that would be {found.total:,} futures, and {MOST_FUTURES:,} is the most: {cure}"
    return ""


# --- its futures --------------------------------------------------------------------------------------------


def _live_part(check: Check, first: int) -> None:
    part = _claim(check, first)
    if part is None:
        return
    found = grounds.find(check)
    if part.attempts >= MOST_ATTEMPTS:
        trial, seed = found.job(first + len(part.futures))
        endings.fail(
            check, f"{MOST_ATTEMPTS} times its worker was lost in the future {trial.title}, seed {seed}"
        )
        return
    lived: list[Future] = []
    card: Card = {}
    with Heartbeat(lambda: _is_wanted(check, part)):
        _live_some(check, part, found, lived, card)
    _keep(check, part, lived, card)


def _live_some(
    check: Check, part: CheckPart, found: grounds.Grounds, lived: list[Future], card: Card
) -> None:
    """Live through what is left of a part, until others should have a turn or nobody wants it any more."""
    started = time.monotonic()
    for number in range(part.first + len(part.futures), part.first + part.count):
        trial, seed = found.job(number)
        lived.append(live(found.settled, trial, seed))
        fill_card(card, trial, lived[-1], found.settled)
        if not _is_wanted(check, part) or time.monotonic() - started > TURN_SECONDS:
            return


def _claim(check: Check, first: int) -> CheckPart | None:
    """A part that nobody is at; None when it is done, or in good hands."""
    now = timezone.now()
    part = CheckPart.objects.filter(check_of=check, first=first, is_done=False).first()
    if part is None or (part.heard_at is not None and now - part.heard_at < SILENCE):
        return None
    mine = CheckPart.objects.filter(pk=part.pk, heard_at=part.heard_at, is_done=False)
    return part if mine.update(heard_at=now, attempts=F("attempts") + 1) else None


def _is_wanted(check: Check, part: CheckPart) -> bool:
    """Whether the check goes on; the part is heard of."""
    CheckPart.objects.filter(pk=part.pk).update(heard_at=timezone.now())
    return endings.update(check, heard_at=timezone.now())


def _keep(check: Check, part: CheckPart, lived: list[Future], card: Card) -> None:
    """Write down what was lived through, and ask for what follows."""
    known = [*part.futures, *map(futures.to_json, lived)]
    is_done = len(known) >= part.count
    with transaction.atomic():
        if not endings.update(check, done=F("done") + len(lived), heard_at=timezone.now()):
            return
        mine = CheckPart.objects.filter(pk=part.pk, is_done=False)
        mine.update(
            futures=known, card=join_cards([part.card, card]), is_done=is_done, attempts=0, heard_at=None
        )
        rest = CheckPart.objects.filter(check_of=check, is_done=False).exists()
        is_last = not rest and endings.update(check, is_summing=True)
        if is_last or not is_done:
            following = None if is_last else part.first
            transaction.on_commit(lambda: messages.carrier().ask_for_check(str(check.pk), [following]))
    news.tell(check)


# --- the sum ------------------------------------------------------------------------------------------------


def _conclude(check: Check) -> None:
    """Make the report of all that was lived through."""

    def is_wanted() -> bool:
        return endings.update(check, heard_at=timezone.now())

    found = grounds.find(check)
    card, lived = summing.gather(check, found)
    summed = summing.sum_up(check, found, lived, is_wanted)
    if summed is None:
        return
    with transaction.atomic():
        ended = {"state": Check.State.DONE, "ended_at": timezone.now(), "base": b""}
        if endings.update(check, card=card, **summed._asdict(), **ended):
            check.parts.all().delete()
    grounds.forget()
    news.tell(check)
