"""What the database says now of a token and its cluster, asked once for all requests that wait.

While one question is under way, those who come meanwhile wait for the next: each is told what was so after it
came. So a token that was revoked lets nobody in, and whoever reads sees every write that was answered before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID
from weakref import WeakKeyDictionary

import orjson
from django.contrib.auth import get_user_model
from django.db import connection

from lifecycle.access import Verb, allows, decide_role
from lifecycle.engine.releases.release import Release
from lifecycle.reads import choose_release
from lifecycle.threads import answering

MOST_AT_ONCE = 200
_ASKED = """
    SELECT token.digest, token.user_id, asker.is_active, asker.is_superuser, role.name, cluster.id,
        cluster.name, cluster.owner_id, owner.username, cluster.is_look, cluster.kubernetes,
        CAST(cluster.settings AS TEXT), cluster.epoch_id, cluster.rv
    FROM lifecycle_apitoken AS token
    JOIN {users} AS asker ON asker.id = token.user_id
    JOIN lifecycle_cluster AS cluster ON cluster.id = token.cluster_id
    JOIN {users} AS owner ON owner.id = cluster.owner_id
    LEFT JOIN lifecycle_role AS role ON role.cluster_id = cluster.id AND role.user_id = token.user_id
    WHERE token.digest IN ({places})
"""


class Look(NamedTuple):
    """What is so of a token. `rv`: everything that was answered is recorded up to this version."""

    digest: str
    user_id: int
    is_active: bool
    is_superuser: bool
    given_role: str | None
    cluster_id: int
    cluster_name: str
    owner_id: int
    owner_name: str
    is_look: bool
    kubernetes: str
    settings: str
    epoch_id: str
    rv: int

    @property
    def may_view(self) -> bool:
        """Whether it lets its user look at the cluster; of a look at the past others decide."""
        role = decide_role(bool(self.is_superuser), self.owner_id == self.user_id, self.given_role or "")
        return bool(self.is_active) and not self.is_look and allows(role, Verb.VIEW)

    @property
    def release(self) -> Release:
        """What the cluster is of."""
        return _read_release(self.kubernetes, self.settings)

    # What limits ask of a user.
    @property
    def pk(self) -> int:
        """The user's number."""
        return self.user_id

    @property
    def is_authenticated(self) -> bool:
        """It has shown a token."""
        return True


@lru_cache(maxsize=256)
def _read_release(kubernetes: str, settings: str) -> Release:
    return choose_release(kubernetes, orjson.loads(settings))


class Looks:
    """The questions of one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Look | None]] = {}
        self._asking: asyncio.Task[None] | None = None

    async def ask(self, digest: str) -> Look | None:
        """What is so of the token with this digest, now; None when there is none."""
        loop = asyncio.get_running_loop()
        found = self._waiting.setdefault(digest, loop.create_future())
        if self._asking is None or self._asking.done():
            self._asking = loop.create_task(self._ask_all())
        return await asyncio.shield(found)

    async def _ask_all(self) -> None:
        while self._waiting:
            asked = dict(list(self._waiting.items())[:MOST_AT_ONCE])
            for digest in asked:
                del self._waiting[digest]
            try:
                found = await answering(read)(list(asked))
            except Exception as problem:
                for one in asked.values():
                    one.set_exception(problem)
            else:
                for digest, one in asked.items():
                    one.set_result(found.get(digest))


def read(digests: Sequence[str]) -> dict[str, Look]:
    """By digest what is so of these tokens. Asks the database."""
    places = ", ".join(["%s"] * len(digests))
    with connection.cursor() as cursor:
        cursor.execute(_ASKED.format(users=get_user_model()._meta.db_table, places=places), digests)
        rows = [Look(*row) for row in cursor.fetchall()]
    # SQLite keeps a UUID as its digits.
    return {row.digest: row._replace(epoch_id=str(UUID(str(row.epoch_id)))) for row in rows}


_looks: WeakKeyDictionary[asyncio.AbstractEventLoop, Looks] = WeakKeyDictionary()


async def ask(digest: str) -> Look | None:
    """As `Looks.ask`, in the running event loop."""
    return await _looks.setdefault(asyncio.get_running_loop(), Looks()).ask(digest)
