"""Parts of pages that all who may see a cluster see alike: made once for those who ask at the same time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from django.http import Http404, HttpResponse
from django.urls import get_script_prefix

from lifecycle.models import Cluster

# Durations are told in seconds.
FRESH_SECONDS = 1.0
MOST_HELD = 256


@dataclass(slots=True)
class Part:
    """What was made last, and of how much of the history."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    made_at: float = 0.0
    seq: int = -1
    rv: int = -1
    content: bytes = b""

    def tells(self, cluster: Cluster) -> bool:
        """Whether it tells all that a reader of this cluster can know, and is of just now."""
        is_fresh = time.monotonic() - self.made_at < FRESH_SECONDS
        return is_fresh and self.seq >= cluster.seq and self.rv >= cluster.rv


_held: OrderedDict[tuple[str, ...], Part] = OrderedDict()
_holding = threading.Lock()


def share_part(name: str, cluster: Cluster, make: Callable[[Cluster], HttpResponse]) -> HttpResponse:
    """The part, as it was made since this cluster was read, or made now. Whoever waits gets what was made.

    Its links have the cluster's address, so that it is shared by those who call the cluster alike, come by
    the same way, and may do the same.
    """
    what = "editable" if cluster.is_editable else "shown"
    part = _find(name, str(cluster.epoch_id), cluster.address, get_script_prefix(), what)
    with part.lock:
        if not part.tells(cluster):
            try:
                cluster.refresh_from_db()
            except Cluster.DoesNotExist:
                raise Http404 from None
            made_at, content = time.monotonic(), make(cluster).content
            part.made_at, part.seq, part.rv, part.content = made_at, cluster.seq, cluster.rv, content
        return HttpResponse(part.content)


def _find(*key: str) -> Part:
    with _holding:
        part = _held.setdefault(key, Part())
        _held.move_to_end(key)
        if len(_held) > MOST_HELD:
            _held.popitem(last=False)
        return part
