"""The ghost: what comes next if nobody asks for anything, drawn pale to the right of now."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from dashboard.live.feeds import TIMELINE, PodFeed, make_foresighted
from dashboard.plots.futures import cut_future
from dashboard.plots.pod_names import shorten_name
from dashboard.plots.spans import Span, when
from dashboard.plots.stories import FIELDS, STATE, PodStory, Stories
from dashboard.plots.theme import clock
from lifecycle.engine import Changes
from lifecycle.engine import Cluster as Engine
from lifecycle.engine.heart.trace import Row, Transition, row_to_json
from lifecycle.engine.objects.meta import StoredObject
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.rules.pods.state import decide_state
from lifecycle.models import Cluster
from lifecycle.pod_judge import UNWELL
from lifecycle.recorded.objects import alive, list_between
from lifecycle.runs.ahead import Ahead, run_ahead
from lifecycle.simulation.reports.tones import TONES

SPAN_MS = 10 * 60 * 1000
CPU_SECONDS = 0.3
# Larger clusters take longer to take up than a page may wait.
MOST_PODS = 500
MOST_LANES = 40


def read_ghost(cluster: Cluster, names: Sequence[str]) -> dict[str, Any]:
    """By the names of a page's figures (`rollout:shop/Deployment/web`) what is still to come of each.

    Of a timeline: bars by its lanes, and lanes that are to come; of others the part right of now.
    `at_ms` to `to_ms` is what was looked at; `note` says in words what comes. Raises
    checkpoints.Unreadable.
    """
    if alive(cluster, POD_KIND.id).count() > MOST_PODS:
        return {"figures": {}, "note": f"More than {MOST_PODS} pods: nothing is looked ahead."}
    stories, changes = Stories(), list[Changes]()
    # Also where only upkeep is left: a probe may fail yet, and a crashed container is started again.
    ahead = run_ahead(
        cluster,
        span_ms=SPAN_MS,
        cpu_seconds=CPU_SECONDS,
        is_over=lambda engine: False,
        at_start=lambda engine: _begin(stories, engine),
        watch=changes.append,
    )
    for row in ahead.rows:
        if isinstance(row, Transition) and _is_told(row):
            stories.feed(row_to_json(row))
    figures, shown = dict[str, Any](), set[str]()
    rows = [row_to_json(row) for one in changes for row in one.rows]
    versions = [version for one in changes for version in one.versions]
    for name in names:
        kind, _, subject = name.partition(":")
        if kind == TIMELINE:
            figures[name] = _draw_timeline(cluster, ahead, stories, subject)
            shown |= {story.uid for story in _choose(stories, subject)}
        elif feed := make_foresighted(cluster, name):
            feed.foresee(rows, versions)
            figures[name] = cut_future(feed.figure(ahead.to_ms), ahead.from_ms)
            shown |= {feed.uid} if isinstance(feed, PodFeed) else set()
    reach = {"at_ms": ahead.from_ms, "to_ms": ahead.to_ms}
    return reach | {"figures": figures, "note": _tell(ahead, shown)}


def _choose(stories: Stories, workload: str) -> list[PodStory]:
    """The pods of `shop/Deployment/web`; "" for all."""
    return [
        story
        for story in stories.by_uid.values()
        if not workload or f"{story.namespace}/{stories.workload_of(story)}" == workload
    ]


def _draw_timeline(cluster: Cluster, ahead: Ahead, stories: Stories, workload: str) -> dict[str, Any]:
    shown, named = _choose(stories, workload), alive(cluster, POD_KIND.id).values_list("namespace", "name")
    known = {f"{namespace}/{name}" for namespace, name in named}
    new = sorted((story for story in shown if story.lane not in known), key=_by_creation)
    lanes = {story.lane: _label(story, stories) for story in new[:MOST_LANES]}
    bars = [
        bar
        for story in shown
        for bar in _bars(story, ahead.from_ms, ahead.to_ms)
        if story.lane in known or story.lane in lanes
    ]
    return {"bars": bars, "lanes": [{"key": key, "label": label} for key, label in lanes.items()]}


def _by_creation(story: PodStory) -> tuple[int, str]:
    return story.created_ms, story.name


def _begin(stories: Stories, engine: Engine) -> None:
    """Every living pod in the state that it is in now: the recorded states are older."""
    for kind in list_between():
        for subject in (StoredObject.from_json(one).subject for one in engine.list(kind)):
            if subject.owner:
                stories.workloads[f"{subject.namespace}/{kind}/{subject.name}"] = subject.owner
    for pod in (Pod.from_json(one, engine.epoch_ms) for one in engine.list(POD_KIND.id)):
        said = ("state", None, *decide_state(pod), None, None)
        stories.feed(row_to_json(Transition(engine.head, engine.now_ms, pod.subject, *said)))


def _is_told(row: Row) -> bool:
    assert isinstance(row, Transition)
    is_of_pod = row.subject.kind == POD_KIND.name
    return row.field in FIELDS if is_of_pod else row.field == "exists" and bool(row.subject.owner)


def _label(story: PodStory, stories: Stories) -> str:
    name = stories.workload_of(story).partition("/")[2]
    return shorten_name(story.name, name)


def _bars(story: PodStory, from_ms: int, to_ms: int) -> list[dict[str, Any]]:
    return [_bar(span, to_ms) for span in story.spans if (span.end_ms or to_ms) > from_ms]


def _bar(span: Span, to_ms: int) -> dict[str, Any]:
    end_ms = to_ms if span.end_ms is None else span.end_ms
    return {
        "lane": span.lane,
        "start": span.start_ms,
        "end": end_ms,
        "colour": span.tone.colour,
        "title": span.title,
        "when": when(span.start_ms, span.end_ms),
    }


def _tell(ahead: Ahead, shown: Collection[str]) -> str:
    until = clock(ahead.to_ms).partition(".")[0]
    head = f"Looked ahead to {until}: nothing changes by itself until then."
    if any(isinstance(row, Transition) for row in ahead.rows):
        head = f"The pale part on the right: what will happen until {until} if nobody changes anything."
    return " ".join([head, *_tell_troubles(ahead, shown), *_tell_drains(ahead)])


def _tell_troubles(ahead: Ahead, shown: Collection[str]) -> list[str]:
    """How many of these pods get into trouble, and the first of them."""
    first: dict[str, Transition] = {}
    rows = (row for row in ahead.rows if isinstance(row, Transition) and row.field == STATE)
    for row in rows:
        if row.subject.uid in shown and row.new in UNWELL and row.old not in UNWELL:
            first.setdefault(row.subject.uid, row)
    if not first:
        return []
    row = next(iter(first.values()))
    reason, at = f", {row.reason}" if row.reason else "", clock(row.at_ms).partition(".")[0]
    told = f"{TONES[row.new].label.lower()} at {at}{reason}"
    if len(first) == 1:
        return [f"{row.subject.name} gets into trouble: {told}."]
    return [f"{len(first)} pods get into trouble, {row.subject.name} first: {told}."]


def _tell_drains(ahead: Ahead) -> list[str]:
    names = sorted(one["metadata"]["name"] for one in ahead.engine.list(NODE_KIND.id))
    return [f"The drain of {name} is not done by then." for name in names if ahead.engine.is_draining(name)]
