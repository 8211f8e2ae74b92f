"""The life of each pod, from its transitions in order: which `state` it was in, from when to when.

What a pod's state is, the engine decides, and says in rows of their own. Histories recorded before it did so
have none: what was before a pod's first such row is drawn as one stretch, in the state that row says it was
in, and a pod without any in the state that is stored of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from dashboard.plots.joined import Joined
from dashboard.plots.living import PROBLEMS, TROUBLED, LivingPods
from dashboard.plots.spans import Span
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.simulation.reports.tones import TONES, Tone

Row = Mapping[str, Any]

STATE = "state"
TOLD_BESIDE = ("node", "ready", "status")
FIELDS = ("exists", *TOLD_BESIDE, STATE)
"""The fields of a pod's rows that its story is made of."""
COLUMNS = tuple("seq at_ms group kind namespace name uid owner field old new reason message".split())
"""What of such a row it is made of."""


class PodStory:
    """One pod, from its first row to its last."""

    def __init__(self, row: Row) -> None:
        self.uid: str = row["uid"]
        self.namespace: str = row["namespace"] or ""
        self.name: str = row["name"]
        self.owner: str | None = row["owner"]
        # A StatefulSet's next web-0 continues the row of the last one.
        self.lane = f"{self.namespace}/{self.name}"
        self.created_ms: int = row["at_ms"]
        self.deleted_ms: int | None = None
        # Counted by the pod's status: its story is made of other rows.
        self.restarts = 0
        self.spans: list[Span] = []
        self.joined = Joined()
        # What came before the row that it began with was not told.
        self.is_partial = row["field"] != "exists"
        self._beside: dict[str, str] = {}
        self._why = ""
        # The last instant at which anything beside the state changed, and what had been true until then.
        self._told_ms = -1
        self._told_until: tuple[tuple[str, ...], str] = ((), "")

    @property
    def state(self) -> str:
        return self.spans[-1].tone.name if self.spans else "unknown"

    @property
    def is_gone(self) -> bool:
        return self.deleted_ms is not None

    def is_gone_before(self, instant_ms: int) -> bool:
        return self.deleted_ms is not None and self.deleted_ms < instant_ms

    @property
    def node(self) -> str:
        return self._beside.get("node", "")

    @property
    def status(self) -> str:
        """As the STATUS column has it."""
        return self._beside.get("status", "")

    @property
    def is_troubled(self) -> bool:
        """Whether somebody has to look at it, or it gets no traffic."""
        return not self.is_gone and self.state in TROUBLED

    def importance(self) -> tuple[bool, bool, bool, int]:
        """The living before the gone, problems before those that get no traffic, the latest first."""
        is_problem = not self.is_gone and self.state in PROBLEMS
        at_ms = self.created_ms if self.deleted_ms is None else self.deleted_ms
        return not self.is_gone, is_problem, self.is_troubled, at_ms

    def feed(self, row: Row) -> None:
        """Take the pod's next transition."""
        at_ms, field = row["at_ms"], row["field"]
        if self.is_gone:  # the other rows of the write that removed it
            return
        if field == "exists" and row["new"] == "deleted":
            self._close(at_ms)
            self.deleted_ms = at_ms
        elif field == STATE:
            self._turn(row)
        elif field in TOLD_BESIDE:
            self._tell(row)

    def assume(self, state: str | None) -> None:
        """Draw a pod whose rows say no state as having been in this one all its life."""
        if not self.spans and state:
            self._open(state, self.created_ms)
            self.spans[-1].end_ms = self.deleted_ms

    def forget(self, until_ms: int) -> None:
        """What ended before an instant is not told any more."""
        first = next((at for at, span in enumerate(self.spans) if (span.end_ms or until_ms) >= until_ms), 0)
        if first:
            del self.spans[:first]
            self.joined = Joined()

    def _turn(self, row: Row) -> None:
        """Be in another state from now on. Several changes of one instant leave one span, the last."""
        at_ms, state = row["at_ms"], row["new"]
        self.assume(row["old"])
        self._why = ": ".join(part for part in (row["reason"], row["message"]) if part)
        # A write's other rows stand before that of the state: they are about what it is now, not what it was.
        if self.spans and self._told_ms == at_ms:
            self.spans[-1].notes, self.spans[-1].word = self._told_until
        if self.spans and self.spans[-1].start_ms == at_ms:
            self.spans.pop()
        if self.spans and self.spans[-1].tone is _tone(state):
            self.spans[-1].end_ms = None
            self._write(self.spans[-1])
            return
        self._close(at_ms)
        self._open(state, at_ms, row["seq"])

    def _tell(self, row: Row) -> None:
        if self.spans and self._told_ms != row["at_ms"]:
            last = self.spans[-1]
            self._told_ms, self._told_until = row["at_ms"], (tuple(last.notes), last.word)
        self._beside[row["field"]] = row["new"] or ""
        if self.spans:
            self._write(self.spans[-1])

    def _write(self, span: Span) -> None:
        """What is known beside its state: STATUS says more than that, but of a pod that is well."""
        beside = self._beside
        span.notes = _note(beside.get("status"), beside.get("ready"), beside.get("node"), self._why)
        span.word = (
            span.tone.label if span.tone.name == "ready" else self._beside.get("status") or span.tone.label
        )

    def _open(self, state: str, at_ms: int, seq: int | None = None) -> None:
        tone = _tone(state)
        title = f"{self.name} · {tone.label}"
        self.spans.append(Span(self.lane, tone, at_ms, None, title, seq=seq))
        self._write(self.spans[-1])

    def _close(self, at_ms: int) -> None:
        if self.spans and self.spans[-1].end_ms is None:
            self.spans[-1].end_ms = at_ms


@lru_cache(maxsize=4096)
def _note(status: str | None, ready: str | None, node: str | None, why: str) -> tuple[str, ...]:
    """What a hover label adds to the state's name; pods come back to what they were."""
    columns = [("STATUS", status), ("READY", ready)]
    lines = [
        " · ".join(f"{name} {value}" for name, value in columns if value),
        f"on {node}" if node else "",
        why,
    ]
    return tuple(line for line in lines if line)


def _tone(state: str) -> Tone:
    return TONES.get(state, TONES["unknown"])


class Stories:
    """Every pod of a cluster, and who owns whom: fed with transitions in order."""

    def __init__(self) -> None:
        self.by_uid: dict[str, PodStory] = {}
        self.living = LivingPods()
        # `default/ReplicaSet/web-6d4` to `Deployment/web`; and which of them are deleted.
        self.workloads: dict[str, str] = {}
        self.ended: set[str] = set()

    def feed(self, row: Row) -> None:
        kind = kind_id(row["group"], row["kind"])
        if kind == POD_KIND.id:
            self.living.feed(row)
            self.feed_story(row)
        elif row["field"] == "exists" and row["owner"]:
            name = f"{row['namespace']}/{kind}/{row['name']}"
            self.workloads[name] = row["owner"]
            if row["new"] == "deleted":
                self.ended.add(name)
            else:
                self.ended.discard(name)

    def feed_story(self, row: Row) -> None:
        """Take a pod's transition that is counted already."""
        self._story(row).feed(row)

    def assume(self, states: Iterable[tuple[str, str | None]]) -> None:
        """Uids and stored states of pods: for those whose rows say no state."""
        for uid, state in states:
            if story := self.by_uid.get(uid):
                story.assume(state)

    def forget(self, held: int, is_asked: Callable[[PodStory], bool] | None = None) -> None:
        """Keep so many pods: the gone go first, the oldest of them before the others. Owners go with them.

        `is_asked`: only pods that are asked for stay.
        """
        if is_asked:
            self.by_uid = {uid: story for uid, story in self.by_uid.items() if is_asked(story)}
        if max(len(self.by_uid), len(self.ended)) <= held:
            return
        kept = sorted(self.by_uid.values(), key=PodStory.importance, reverse=True)[:held]
        self.by_uid = {story.uid: story for story in kept}
        for name in self.ended - {f"{story.namespace}/{story.owner}" for story in kept}:
            self.ended.discard(name)
            self.workloads.pop(name, None)

    def workload_of(self, story: PodStory) -> str:
        """`Deployment/web` for a pod of one of its ReplicaSets, else its owner; `Pod` when it has none."""
        if story.owner is None:
            return POD_KIND.id
        return self.workloads.get(f"{story.namespace}/{story.owner}", story.owner)

    def _story(self, row: Row) -> PodStory:
        story = self.by_uid.get(row["uid"])
        if story is None:
            story = self.by_uid[row["uid"]] = PodStory(row)
        elif row["owner"] != story.owner:  # adopted, or let go
            story.owner = row["owner"]
        return story
