"""What a browser missed, read from the database as one frame; what many ask at once is asked once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from lifecycle import frames, reads
from lifecycle.models import Cluster, StoredObject


@dataclass(slots=True)
class Head:
    """How far a history goes, or how far a browser has been told."""

    epoch_id: str
    seq: int
    rv: int


class Shared:
    """Answers that everyone who asks within `seconds` gets alike. For one event loop."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.answers: dict[Hashable, tuple[float, asyncio.Future[Any]]] = {}

    async def ask(self, key: Hashable, work: Callable[[], Awaitable[Any]]) -> Any:
        """What `work` gives, now or a moment ago. Its failure is everyone's."""
        now = time.monotonic()
        asked_at, answer = self.answers.get(key, (0.0, None))
        if answer is None or now - asked_at > self.seconds:
            self._forget(now)
            answer = asyncio.ensure_future(work())
            self.answers[key] = (now, answer)
        # One who goes away takes nothing from the others.
        return await asyncio.shield(answer)

    def _forget(self, now: float) -> None:
        old = [key for key, (asked_at, _) in self.answers.items() if now - asked_at > self.seconds]
        for key in old:
            del self.answers[key]


_shared: WeakKeyDictionary[asyncio.AbstractEventLoop, Shared] = WeakKeyDictionary()


def shared(seconds: float) -> Shared:
    """The answers of the running event loop."""
    return _shared.setdefault(asyncio.get_running_loop(), Shared(seconds))


def read_head(cluster: Cluster) -> Head | None:
    """The cluster's cursor as stored now; None when the cluster is gone."""
    row = Cluster.objects.filter(pk=cluster.pk).values_list("epoch_id", "seq", "rv").first()
    return Head(str(row[0]), row[1], row[2]) if row else None


def read_frame(cluster: Cluster, told: Head) -> frames.Frame | None:
    """Everything after `told`, up to the stored cursor. Another history or too much: `refetch`, no rows."""
    stored = Cluster.objects.filter(pk=cluster.pk).first()
    if stored is None:
        return None
    if str(stored.epoch_id) != told.epoch_id or told.seq + 1 < stored.oldest_seq:
        return frames.make_frame(stored, told.seq, told.rv, [], []) | {"refetch": True}
    # One row more than a frame takes: enough to know that it is too much.
    rows = reads.rows_since(stored, told.seq, frames.MAX_ROWS + 1)
    return frames.make_frame(stored, told.seq, told.rv, rows, _objects(stored, told.rv, rows))


def _objects(cluster: Cluster, rv: int, rows: list[dict[str, Any]]) -> list[frames.Summary]:
    """The latest summaries: of what was written since `rv`, of the rows' subjects when no rv is known."""
    if len(rows) > frames.MAX_ROWS:
        return []
    stored = StoredObject.objects.filter(cluster=cluster).order_by("rv")
    if rv:
        changed = stored.filter(rv__gt=rv, rv__lte=cluster.rv)
    else:
        changed = stored.filter(uid__in={row["uid"] for row in rows})
    return [frames.summary_of(row) for row in islice(changed.defer("data"), frames.MAX_ROWS + 1)]
