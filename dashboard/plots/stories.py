"""The life of each pod, folded from its transitions in order: which `state` it was in, from when to when.

What a pod's state is, `lifecycle.engine.columns` decides, as for every other surface.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from dashboard.plots.spans import Span
from dashboard.plots.states import Facts
from dashboard.plots.theme import TONES

Row = Mapping[str, Any]


class PodStory:
    """One pod, from its first row to its last."""

    __slots__ = ("created_ms", "deleted_ms", "facts", "lane", "name", "namespace", "owner", "spans", "uid")

    def __init__(self, row: Row) -> None:
        self.uid: str = row["uid"]
        self.namespace: str = row["namespace"] or ""
        self.name: str = row["name"]
        self.owner: str | None = row["owner"]
        # A StatefulSet's next web-0 continues the row of the last one.
        self.lane = f"{self.namespace}/{self.name}"
        self.created_ms: int = row["at_ms"]
        self.deleted_ms: int | None = None
        self.facts = Facts()
        self.spans: list[Span] = []

    @property
    def state(self) -> str:
        return self.spans[-1].tone.name if self.spans else "unknown"

    @property
    def is_gone(self) -> bool:
        return self.deleted_ms is not None

    def is_gone_before(self, instant_ms: int) -> bool:
        return self.deleted_ms is not None and self.deleted_ms < instant_ms

    def importance(self) -> tuple[bool, int]:
        """The living before the gone, the latest first."""
        return not self.is_gone, self.created_ms if self.deleted_ms is None else self.deleted_ms

    def feed(self, row: Row) -> None:
        """Take the pod's next transition."""
        at_ms = row["at_ms"]
        if self.is_gone:  # the other rows of the write that removed it
            return
        if row["field"] == "exists" and row["new"] == "deleted":
            self._close(at_ms)
            self.deleted_ms = at_ms
            return
        self.facts.feed(row)
        self.settle(self.facts.state, at_ms)

    def settle(self, state: str, at_ms: int) -> None:
        """Be in `state` from `at_ms` on. Several changes of one instant leave one span, the last."""
        tone = TONES.get(state, TONES["unknown"])
        if self.spans and self.spans[-1].start_ms == at_ms:
            self.spans.pop()
        if self.spans and self.spans[-1].tone is tone:
            self.spans[-1].end_ms = None
            self.spans[-1].notes = self.facts.notes()
            return
        self._close(at_ms)
        self.spans.append(
            Span(self.lane, tone, at_ms, None, f"{self.name} · {tone.label}", self.facts.notes())
        )

    def _close(self, at_ms: int) -> None:
        if self.spans and self.spans[-1].end_ms is None:
            self.spans[-1].end_ms = at_ms


class Stories:
    """Every pod of a cluster, and who owns whom: fed with transitions in order."""

    def __init__(self) -> None:
        self.by_uid: dict[str, PodStory] = {}
        # `default/ReplicaSet/web-6d4` to `Deployment/web`; and which of them are deleted.
        self.workloads: dict[str, str] = {}
        self.ended: set[str] = set()

    def feed(self, row: Row) -> None:
        if row["kind"] == "Pod":
            self._story(row).feed(row)
        elif row["field"] == "exists" and row["owner"]:
            name = f"{row['namespace']}/{row['kind']}/{row['name']}"
            self.workloads[name] = row["owner"]
            if row["new"] == "deleted":
                self.ended.add(name)
            else:
                self.ended.discard(name)

    def settle(self, summaries: Iterable[Row], at_ms: int) -> None:
        """Believe the stored state of each pod over the folded one, should they ever differ."""
        for summary in summaries:
            story = self.by_uid.get(summary["uid"])
            if story and not story.is_gone and summary["state"] not in (None, story.state):
                story.settle(summary["state"], at_ms)

    def forget(self, held: int) -> None:
        """Keep so many pods: the gone go first, the oldest of them before the others. Owners go with them."""
        if max(len(self.by_uid), len(self.ended)) <= held:
            return
        kept = sorted(self.by_uid.values(), key=PodStory.importance, reverse=True)[:held]
        self.by_uid = {story.uid: story for story in kept}
        for name in self.ended - {f"{story.namespace}/{story.owner}" for story in kept}:
            self.ended.discard(name)
            self.workloads.pop(name, None)

    def count_states(self) -> dict[str, int]:
        """Living pods by state."""
        return Counter(story.state for story in self.by_uid.values() if not story.is_gone)

    def workload_of(self, story: PodStory) -> str:
        """`Deployment/web` for a pod of one of its ReplicaSets, else its owner; `Pod` when it has none."""
        if story.owner is None:
            return "Pod"
        return self.workloads.get(f"{story.namespace}/{story.owner}", story.owner)

    def _story(self, row: Row) -> PodStory:
        story = self.by_uid.get(row["uid"])
        if story is None:
            story = self.by_uid[row["uid"]] = PodStory(row)
        elif row["owner"] != story.owner:  # adopted, or let go
            story.owner = row["owner"]
        return story
