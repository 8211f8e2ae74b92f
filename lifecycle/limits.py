"""What one user may have and do, so that nobody's work keeps the others waiting.

What somebody has (clusters, their pods, their histories) is counted in the database; what somebody does
(commands, exports, sockets, looks ahead) in each process of the server. Superusers, who set the limits, are
held to none but that of exports. A limit of 0 is none.
"""

from __future__ import annotations

import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from django.conf import settings
from django.db.models import Sum

from lifecycle.models import Cluster
from lifecycle.models.shares import count_issued

MEGABYTE = 2**20
# Commands that come at once are taken up to what so many seconds have room for.
BURST_SECONDS = 20.0
SMALL_ANSWER_BYTES = 64 * 1024
MOST_REMEMBERED = 10_000


class Exceeded(Exception):
    """More than one user may have (403), or do at once (429: again after `seconds`), in words."""

    def __init__(self, message: str, code: int, seconds: int = 0) -> None:
        super().__init__(message)
        self.code, self.seconds = code, seconds


class Places:
    """How many of something each user has at once, in this process."""

    def __init__(self) -> None:
        self._taken: Counter[int] = Counter()
        self._lock = Lock()

    def is_full(self, user_id: int, most: int) -> bool:
        """Whether the user has as many as one may have."""
        with self._lock:
            return self._taken[user_id] >= most

    def count(self) -> int:
        """How many places are taken, by all users."""
        with self._lock:
            return self._taken.total()

    def take(self, user_id: int, holder: object, amount: int = 1) -> Callable[[], object]:
        """A place, or several, until what is returned is called, or the holder is gone."""
        with self._lock:
            self._taken[user_id] += amount
        return weakref.finalize(holder, self._leave, user_id, amount)

    def _leave(self, user_id: int, amount: int) -> None:
        with self._lock:
            self._taken[user_id] -= amount
            if not self._taken[user_id]:
                del self._taken[user_id]


class Pace:
    """How often each user may do something, in this process: so many a second, more after a rest."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._free_at: dict[int, float] = {}
        self._lock = Lock()

    def take(self, user_id: int, a_second: int, is_begun: bool = False) -> float:
        """Take one; else how many seconds to wait for the next. One that `is_begun` is taken in any case."""
        with self._lock:
            now = self._now()
            free_at = max(self._free_at.get(user_id, 0.0), now - BURST_SECONDS)
            if free_at > now and not is_begun:
                return free_at - now
            if len(self._free_at) > MOST_REMEMBERED:
                self._free_at = {user: at for user, at in self._free_at.items() if at > now - BURST_SECONDS}
            self._free_at[user_id] = free_at + 1 / a_second
            return 0.0


class _Holder:
    """What holds a place for the time of a block."""


exports = Places()
sockets = Places()
execs = Places()
tools = Places()
answers = Places()
previews = Places()
commands = Pace()


def is_bound(user: Any) -> bool:
    """Whether limits are for this user."""
    return user is not None and user.is_authenticated and not user.is_superuser


def check_clusters(user: Any, wanted: int = 1) -> None:
    """Exceeded when the user has as many clusters as one may have, or more pods or history in them."""
    if not is_bound(user):
        return
    most = settings.MAX_CLUSTERS
    used = Cluster.objects.filter(owner=user, is_look=False).count()
    if most and used + wanted > most:
        raise Exceeded(
            f"you have {used:,} clusters, and {most:,} is the most for one user (MAX_CLUSTERS): delete one"
            " first",
            403,
        )
    check_holdings(user)


def check_shares(user: Any) -> None:
    """Exceeded when the user has shared as many links as one may have."""
    if is_bound(user) and settings.MAX_SHARES and count_issued(user) >= settings.MAX_SHARES:
        raise Exceeded(
            f"{settings.MAX_SHARES:,} links of yours are good, the most for one user (MAX_SHARES): revoke one"
            " first",
            403,
        )


def bind_settings(user: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Settings of a new cluster of the user's, whose API server refuses more pods than one user may have."""
    if not (settings.MAX_PODS and is_bound(user)):
        return given
    manager = given.get("controllerManager") or {}
    most = min(manager.get("mostPods", settings.MAX_PODS), settings.MAX_PODS)
    return {**given, "controllerManager": {**manager, "mostPods": most}}


def check_holdings(user: Any) -> None:
    """Exceeded when the user's clusters hold more than one may have."""
    if is_bound(user) and (excess := find_excess(user)):
        raise Exceeded(excess, 403)


def find_excess(user: Any) -> str:
    """Of what the user's clusters hold too much, in words; "" when nothing."""
    held = Cluster.objects.filter(owner=user, is_look=False).aggregate(
        pods=Sum("pods"), bytes=Sum("recorded_bytes")
    )
    pods, megabytes = held["pods"] or 0, (held["bytes"] or 0) // MEGABYTE
    if settings.MAX_PODS and pods > settings.MAX_PODS:
        return (
            f"your clusters have {pods:,} pods, and {settings.MAX_PODS:,} is the most for one user"
            " (MAX_PODS): delete some, or a cluster"
        )
    if settings.MAX_MEGABYTES and megabytes > settings.MAX_MEGABYTES:
        return (
            f"the histories of your clusters have {megabytes:,} MiB, and {settings.MAX_MEGABYTES:,} is the"
            " most for one user (MAX_MEGABYTES): delete a cluster, or let it keep less"
        )
    return ""


def take_command(user: Any, is_begun: bool = False) -> None:
    """Count a command of the user's. Exceeded when they come faster than one may send them.

    One that `is_begun`, as the second of a file, is counted and not refused.
    """
    most = settings.MAX_COMMANDS
    if not (most and is_bound(user)):
        return
    if seconds := commands.take(user.pk, most, is_begun):
        raise Exceeded(
            f"you sent more than {most * BURST_SECONDS:,.0f} commands at once, and {most:,} a second is the"
            f" most for one user (MAX_COMMANDS): try again in {seconds:.0f} s",
            429,
            int(seconds) + 1,
        )


def take_socket(user: Any, holder: object) -> Callable[[], object]:
    """A place for something that stays open. Exceeded when the user has as many open as one may have."""
    return _take(sockets, user, holder, settings.MAX_SOCKETS, "MAX_SOCKETS", "sockets and watches open")


def take_exec(user: Any, holder: object) -> Callable[[], object]:
    """A place for a command in a container, each of which a thread waits for. Exceeded as `take_socket`."""
    return _take(execs, user, holder, settings.MAX_EXECS, "MAX_EXECS", "commands in containers at once")


def take_tool(user: Any, holder: object) -> Callable[[], object]:
    """A place for a tool that an agent calls, each of which a thread carries out. As `take_socket`."""
    return _take(tools, user, holder, settings.MAX_TOOLS, "MAX_TOOLS", "tools of agents at once")


def take_answer(user: Any, holder: object, size_bytes: int) -> Callable[[], object]:
    """Room for an answer until its client has taken it, or has gone; small ones are not counted.

    Exceeded when as much is under way to the user as may be: somebody reads slowly, or not at all.
    """
    most = settings.MAX_ANSWER_MIB
    if size_bytes <= SMALL_ANSWER_BYTES or not (most and is_bound(user)):
        return lambda: None
    if answers.is_full(user.pk, most * MEGABYTE):
        raise Exceeded(
            f"{most:,} MiB of answers are on their way to you, the most for one user (MAX_ANSWER_MIB):"
            " read them first",
            429,
            1,
        )
    return answers.take(user.pk, holder, size_bytes)


@contextmanager
def preview(user: Any) -> Iterator[None]:
    """Room for looking ahead or back inside. Exceeded when the user looks as often at once as one may."""
    holder = _Holder()
    leave = _take(previews, user, holder, settings.MAX_PREVIEWS, "MAX_PREVIEWS", "previews at once")
    try:
        yield
    finally:
        leave()


def _take(
    places: Places, user: Any, holder: object, most: int, setting: str, what: str
) -> Callable[[], object]:
    if not (most and is_bound(user)):
        return lambda: None
    if places.is_full(user.pk, most):
        raise Exceeded(
            f"you have {most:,} {what}, and {most:,} is the most for one user ({setting}): wait for one to"
            " end",
            429,
            1,
        )
    return places.take(user.pk, holder)
