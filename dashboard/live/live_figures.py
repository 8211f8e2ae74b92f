"""The figures of one page: made once, then patched from frames."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import orjson

from dashboard.live.feeds import Feed, make_feed
from dashboard.live.timeline_feed import Asked
from dashboard.plots.patches import is_empty, make_patch
from lifecycle import reads
from lifecycle.models import Cluster

Message = dict[str, Any]


class LiveFigures:
    """Not safe for two threads at once: `messages` is called by one task, frames may be added meanwhile."""

    def __init__(
        self, cluster: Cluster, names: list[str], window_ms: int | None, asked: Asked | None = None
    ) -> None:
        self.cluster_id = cluster.pk
        self.names = names
        self.window_ms = window_ms
        self.asked = asked or Asked()
        self.feeds: dict[str, Feed] = {}
        self.sent: dict[str, dict[str, Any]] = {}
        self.waiting: list[str] = []
        self.loaded_seq = 0
        self.must_load = True

    def add(self, text: str) -> None:
        """A frame that was passed on, as it was."""
        self.waiting.append(text)

    def messages(self) -> list[Message]:
        """What the browser must know since the last call: whole figures, or patches."""
        # Frames come after the commit: a cluster read now holds all that wait.
        waiting, self.waiting = self.waiting, []
        cluster = Cluster.objects.get(pk=self.cluster_id)
        if self.must_load:
            self._load(cluster)
        for text in waiting:
            self._follow(cluster, read_frame(text))
        return list(self._changes(reads.virtual_now_ms(cluster)))

    def _load(self, cluster: Cluster) -> None:
        self.must_load = False
        made = {name: make_feed(cluster, name, self.window_ms, self.asked) for name in self.names}
        self.feeds = {name: feed for name, feed in made.items() if feed}
        self.sent = {}
        self.loaded_seq = cluster.seq

    def _follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        """Rows up to what was loaded are known already; after a gap everything is loaded again."""
        if frame["from"] > self.loaded_seq or frame.get("refetch"):
            return self._load(cluster)
        if frame["seq"] < self.loaded_seq:
            return
        if frame["from"] < self.loaded_seq:
            frame = frame | {
                kind: [row for row in frame[kind] if row["seq"] > self.loaded_seq]
                for kind in ("transitions", "events")
            }
        self.loaded_seq = frame["seq"]
        for feed in self.feeds.values():
            feed.follow(cluster, frame)

    def _changes(self, now_ms: int) -> Iterator[Message]:
        for name, feed in self.feeds.items():
            figure = feed.figure(now_ms)
            before = self.sent.get(name)
            patch = make_patch(before, figure) if before else None
            self.sent[name] = figure
            if patch is None:
                yield {"figure": name, **figure}
            elif not is_empty(patch):
                yield {"patch": name, **patch}


@lru_cache(maxsize=4)
def read_frame(text: str) -> dict[str, Any]:
    """A frame as it is passed on, read once for all who watch here; nobody may change it."""
    frame: dict[str, Any] = orjson.loads(text)
    return frame


def tell_time(cluster: Cluster) -> dict[str, Any]:
    """The clock message: what the page's clock runs on between frames."""
    return {
        "at_ms": reads.virtual_now_ms(cluster),
        "speed": cluster.speed,
        "paused": cluster.paused,
        "fast": cluster.as_fast_as_possible,
        "achieved_speed": cluster.achieved_speed,
        # Virtual time stands while no worker serves the cluster.
        "stalled": not reads.is_served(cluster),
        # Another command makes another future.
        "commands": cluster.inbox_order,
    }
