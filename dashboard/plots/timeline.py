"""The cluster page's picture: one row a pod, grouped by workload, coloured by `state`."""

from __future__ import annotations

from collections import Counter
from typing import Any

from dashboard.pages import find_page
from dashboard.plots.spans import Lane, make_lanes
from dashboard.plots.stories import PodStory, Stories
from dashboard.plots.theme import STATES
from lifecycle.engine.objects.pod import POD_KIND

MAX_ROWS = 300


def make_timeline(
    stories: Stories,
    now_ms: int,
    window_ms: int | None = None,
    workload: str = "",
    max_rows: int = MAX_ROWS,
) -> dict[str, Any]:
    """Pods gone before the window are left out; of more than `max_rows` the living stay, problems first.

    `workload` (`shop/Deployment/web`) keeps the pods of that one. What is counted is counted of all pods.
    """
    since_ms = 0 if window_ms is None else now_ms - window_ms
    shown = [story for story in stories.by_uid.values() if not story.is_gone_before(since_ms)]
    counts = stories.living.count_by_workload(stories.workloads)
    if workload:
        shown = [story for story in shown if f"{story.namespace}/{stories.workload_of(story)}" == workload]
        counts = {key: states for key, states in counts.items() if "/".join(key) == workload}
    states = sum(counts.values(), Counter())
    gone = sum(story.is_gone for story in shown)
    if len(shown) > max_rows:
        shown = sorted(shown, key=PodStory.importance, reverse=True)[:max_rows]
    groups = _group(shown, stories)
    lanes = [lane for key, group in groups.items() for lane in _group_lanes(key, group, counts.get(key))]
    spans = (span for story in shown for span in story.spans)
    figure = make_lanes(lanes, STATES, spans, [], now_ms, window_ms)
    hidden = max(0, states.total() + gone - len(shown))
    figure["layout"]["meta"] |= {"hidden": hidden, "counts": dict(states)}
    return figure


def _group(shown: list[PodStory], stories: Stories) -> dict[tuple[str, str], list[PodStory]]:
    """Groups by namespace and workload; rows in order of creation, so that a new pod appears at the end."""
    groups: dict[tuple[str, str], list[PodStory]] = {}
    for story in sorted(shown, key=lambda story: (story.created_ms, story.name)):
        groups.setdefault((story.namespace, stories.workload_of(story)), []).append(story)
    return dict(sorted(groups.items()))


def _group_lanes(key: tuple[str, str], stories: list[PodStory], states: Counter[str] | None) -> list[Lane]:
    namespace, workload = key
    kind, _, name = workload.partition("/")
    counted = _count_words(states or Counter())
    header = Lane(
        key=f"group:{namespace}/{workload}",
        label=name or "Bare pods",
        title=f"{namespace}/{workload}",
        path=find_page(kind, namespace, name) if name else "",
        note=f"{kind if name else 'no controller'} · {counted}",
        header=True,
    )
    rows = {story.lane: _pod_lane(story, name) for story in stories}
    return [header, *rows.values()]


def _count_words(states: Counter[str]) -> str:
    """`2 of 3 ready, 1 terminating`; of what has ended that it has: `5 succeeded, 2 failed`."""
    ended = {name: states[name] for name in ("succeeded", "failed", "terminating") if states[name]}
    running = states.total() - sum(ended.values())
    words = [f"{states['ready']} of {running} ready"] if running or not ended else []
    return ", ".join([*words, *(f"{count} {name}" for name, count in ended.items())])


def _pod_lane(story: PodStory, workload: str) -> Lane:
    """The header already says the workload's name: the row shows what is the pod's own."""
    label = story.name.removeprefix(f"{workload}-") if workload else story.name
    return Lane(
        key=story.lane,
        label=label,
        title=f"{story.namespace}/{story.name}",
        path=find_page(POD_KIND.id, story.namespace, story.name),
        tone="gone" if story.is_gone else story.state,
    )
