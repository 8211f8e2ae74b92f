"""Checks as Celery has them: a group of parts in a queue of their own, which workers of their own listen to.

A chord would have Redis remember which parts are done. Here the database does, in the transaction that keeps
what came of them, so that a lost key cannot leave a check without an end.
"""

import logging
from collections.abc import Sequence

import redis
from celery import group, shared_task
from django.db import Error, close_old_connections
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)

QUEUE = "checks"


@shared_task(name="podline.check")  # type: ignore[untyped-decorator]
def go_on(check: str, first: int | None) -> None:
    """Go on with a check: with the part that begins with a future, or with the whole."""
    # Only who lives through checks needs all that they need.
    from lifecycle.runs.checks import work

    close_old_connections()
    try:
        work.work_on(check, first)
    except Error as problem:
        # The database is away. The ticker has it asked for again once it is back.
        log.warning("not gone on with: %s", problem, extra={"check": check})


@shared_task(name="podline.releases")  # type: ignore[untyped-decorator]
def run_releases(comparison: str) -> None:
    """Run an input under several releases."""
    # Only who does it needs all that it needs.
    from lifecycle.runs.comparisons import work

    close_old_connections()
    try:
        work.work_on(comparison)
    except Error as problem:
        log.warning("not compared: %s", problem, extra={"comparison": comparison})


def ask_for_comparison(comparison: str) -> bool:
    """Have a worker run it; False when the broker is not there, and the ticker asks again."""
    try:
        run_releases.apply_async((comparison,), queue=QUEUE, retry=False)
    except (redis.RedisError, OperationalError) as problem:
        log.warning("a comparison was not asked for: %s", problem, extra={"comparison": comparison})
        return False
    return True


def ask_for_check(check: str, firsts: Sequence[int | None]) -> bool:
    """Have workers go on with a check; False when the broker is not there, and the ticker asks again."""
    try:
        group(go_on.si(check, first) for first in firsts).apply_async(queue=QUEUE, retry=False)
    except (redis.RedisError, OperationalError) as problem:
        log.warning("a check was not asked for: %s", problem, extra={"check": check})
        return False
    return True
