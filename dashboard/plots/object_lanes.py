"""A lane for each object: how it stood when, from its rows, and a mark at every change of its spec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dashboard.addresses import find_page
from dashboard.plots.object_words import CHILDREN, ENDPOINT, Said, Standing, tell_standing
from dashboard.plots.phases import VALUES
from dashboard.plots.spans import Lane, Mark, Span, make_lanes
from dashboard.plots.theme import WAITING
from lifecycle.engine.objects.kinds import kind_of_id

Row = Mapping[str, Any]
Key = tuple[str, str, str]
"""Kind, namespace and name."""
CHANGE, MOST_HELD = "change", 500
"""Of one object so many bars and so many changes are held, the latest."""
OVER = ("Complete", "Failed")
"""The conditions with which a Job is over."""


class ObjectStory:
    """One object by kind, namespace and name; another of that name goes on with its lane."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.kind, self.namespace, self.name = key
        self.lane = "/".join(key)
        self.spans: list[Span] = []
        self.marks: list[Mark] = []
        self.is_gone = False
        self._now = Standing()
        self._said: Said | None = None

    def begin(self, at_ms: int, status: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        """It was there from an instant on, whatever of its rows is kept.

        `status`: as it is now; `before`: by field what it was before the first row that is kept.
        """
        self._now, self._said, self.is_gone = Standing(), None, False
        self._now.read(status)
        self._now.values |= before
        self._tell(at_ms, None)

    def feed(self, row: Row) -> None:
        """Its own next row."""
        if row["field"] == "exists":
            self._turn(row)
        elif not self.is_gone:
            self._now.take(row)
            self._tell(row["at_ms"], row["seq"])

    def feed_endpoint(self, row: Row) -> None:
        """How a pod stands to it from now on, `endpoint.<service>`."""
        self._put(ENDPOINT, row["uid"], row["new"], row)

    def feed_child(self, row: Row) -> None:
        """A row of a Job that it made."""
        field, is_true = row["field"].removeprefix("condition."), row["new"] == "True"
        if row["field"] == "exists":
            self._put(CHILDREN, row["uid"], "active" if row["new"] == "created" else None, row)
        elif field in OVER and is_true:
            self._put(CHILDREN, row["uid"], None, row)

    def mark(self, at_ms: int, rv: int, fields: Sequence[str]) -> None:
        """Its spec was changed by the version `rv`: in these fields."""
        told = ", ".join(fields[:3]) + (f" and {len(fields) - 3} more" if len(fields) > 3 else "")
        title = f"{self.name}: changed {told}"
        notes = ["press to see the difference"]
        self.marks.append(Mark(self.lane, "diamond", WAITING, at_ms, title, notes, f"{CHANGE}/{rv}"))
        del self.marks[:-MOST_HELD]

    def _put(self, group: str, uid: str, value: Any, row: Row) -> None:
        if self.is_gone:
            return
        found = self._now.group(group)
        found.pop(uid, None)
        if value is not None:
            found[uid] = value
        self._tell(row["at_ms"], row["seq"])

    def _turn(self, row: Row) -> None:
        """It was made, or is gone."""
        if row["new"] == "deleted":
            self._close(row["at_ms"])
            self.is_gone = True
            return
        self._close(row["at_ms"])
        self._now, self._said, self.is_gone = Standing(), None, False
        self._tell(row["at_ms"], row["seq"])

    def _tell(self, at_ms: int, seq: int | None) -> None:
        """Several rows of one instant leave one bar, the last."""
        said = tell_standing(self.kind, self._now)
        if said == self._said:
            return
        self._said = said
        last = self.spans[-1] if self.spans else None
        if last is not None and last.end_ms is None and last.start_ms == at_ms:
            self.spans.pop()
        else:
            self._close(at_ms)
        title = f"{self.name}: {said.word}"
        self.spans.append(Span(self.lane, said.tone, at_ms, None, title, said.notes, seq, said.word))
        del self.spans[:-MOST_HELD]

    def _close(self, at_ms: int) -> None:
        if self.spans and self.spans[-1].end_ms is None:
            self.spans[-1].end_ms = at_ms

    @property
    def ended_ms(self) -> int:
        """When its last bar ended; 0 where it goes on."""
        return (self.spans[-1].end_ms or 0) if self.spans else 0

    def to_lane(self) -> Lane:
        """Its row of the figure."""
        tone = "gone" if self.is_gone or not self.spans else self.spans[-1].tone.name
        title = f"{kind_of_id(self.kind).name} {self.namespace + '/' if self.namespace else ''}{self.name}"
        return Lane(self.lane, self.name, title, find_page(*self.key), tone=tone)


def make_object_lanes(
    stories: Iterable[ObjectStory], now_ms: int, window_ms: int | None = None, left_out: int = 0
) -> dict[str, Any]:
    """The figure: objects in their order, a header where another kind or namespace begins.

    `left_out`: so many are not drawn.
    """
    since_ms = 0 if window_ms is None else now_ms - window_ms
    shown = [one for one in stories if _is_seen(one, since_ms)]
    lanes: list[Lane] = []
    heads: set[tuple[str, str]] = set()
    for story in shown:
        head = story.kind, story.namespace
        if head not in heads:
            heads.add(head)
            where = f" in {story.namespace}" if story.namespace else ""
            label = f"{kind_of_id(story.kind).name}{where}"
            lanes.append(Lane(f"head:{'/'.join(head)}", label, label, header=True))
        lanes.append(story.to_lane())
    spans = [span for story in shown for span in story.spans]
    marks = [mark for story in shown for mark in story.marks]
    figure = make_lanes(lanes, VALUES, spans, marks, now_ms, window_ms)
    if left_out:
        figure["layout"]["meta"]["left_out"] = left_out
    return figure


def _is_seen(story: ObjectStory, since_ms: int) -> bool:
    """Whether anything of it stands within the window."""
    last = story.spans[-1] if story.spans else None
    return last is not None and (last.end_ms is None or last.end_ms >= since_ms)
