"""The cluster page's picture: one row a pod, grouped by workload, coloured by `state`.

Of more pods than there are rows each workload has a band beside its name: all its pods by state over time.
Above them stand the Services, with how the requests to them fare.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from dashboard.addresses import find_page
from dashboard.plots.density import ORDER, Density, Owner, count_joined, make_band
from dashboard.plots.joined import find_stretch, join
from dashboard.plots.living import PROBLEMS, find_group
from dashboard.plots.pod_names import count_up, cut_name, shorten_name
from dashboard.plots.queries import Query, Seen
from dashboard.plots.requests import (
    REQUEST_TONES,
    ServedLane,
    choose_lanes,
    list_bars,
    list_lanes,
    list_marks,
)
from dashboard.plots.spans import Lane, Span, make_lanes, row_height
from dashboard.plots.stories import PodStory, Stories
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.simulation.reports.tones import STATES
from lifecycle.simulation.reports.tones import TONES as TONES_BY_NAME

INDEXED = re.compile(r"(\d+)-")
"""How the own part of the names of an Indexed Job's pods begins; other pods of Jobs have no such point."""
MAX_ROWS = 300
CROWDED_ROWS = 60
"""Beside bands fewer rows are drawn, those of pods in trouble before others."""
AT_A_GLANCE = 24
"""All of so few pods is seen at once: each stays with its workload. Of more those in trouble stand on top."""
MOST_BANDS = 40
BAND_PX = 50
BY_NAME, BY_STATE = "name", "state"
"""The orders of a page of rows."""
GRAVITY = {name: order for order, name in enumerate(ORDER)}
GONE = "gone"
TONES = (*STATES, *REQUEST_TONES)
Group = tuple[str, str]
"""A namespace and a workload, `Deployment/web`."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of rows out of all that are asked for, in their order."""

    number: int
    order: str
    uids: tuple[str, ...]
    count: int

    def to_json(self) -> dict[str, Any]:
        first = self.number * MAX_ROWS
        return {
            "number": self.number,
            "order": self.order,
            "first": first + 1,
            "last": first + len(self.uids),
            "count": self.count,
        }


def make_timeline(
    stories: Stories,
    now_ms: int,
    window_ms: int | None = None,
    workload: str = "",
    max_rows: int = MAX_ROWS,
    query: Query | None = None,
    found: int | None = None,
    page: Page | None = None,
    services: Iterable[ServedLane] = (),
) -> dict[str, Any]:
    """Pods gone before the window are left out; of more than `max_rows` the living stay, problems first.

    `workload` (`shop/Deployment/web`) keeps the pods of that one, `query` those it asks for, of which there
    were `found`, and `page` those it names. What is counted is counted of all pods.
    """
    since_ms = 0 if window_ms is None else now_ms - window_ms
    shown = [story for story in stories.by_uid.values() if not story.is_gone_before(since_ms)]
    counts = stories.living.count_by_workload(stories.workloads)
    if workload:
        shown = [story for story in shown if f"{story.namespace}/{stories.workload_of(story)}" == workload]
        counts = {key: states for key, states in counts.items() if "/".join(key) == workload}
    if query:
        shown = [story for story in shown if query.takes(see_story(story, stories))]
    states, gone = sum(counts.values(), Counter()), sum(story.is_gone for story in shown)
    total = max(len(shown), (states.total() + gone) if found is None else found)
    is_crowded = total > max_rows or page is not None
    shown = _choose_rows(shown, total, max_rows, page, stories)
    is_by_state = page is not None and page.order == BY_STATE
    pulled = shown if is_by_state else _pull_out(shown) if page is None else []
    apart = {story.lane for story in pulled}
    groups = _group([story for story in shown if story.lane not in apart], stories, page is None)
    drawn = Counter((story.namespace, stories.workload_of(story)) for story in shown)
    bands = _make_bands(drawn, counts, stories, len(shown)) if is_crowded and not is_by_state else {}
    spans = _list_spans(shown, now_ms, now_ms - since_ms, bands)
    keys = sorted({*groups, *(() if query else bands)})
    # Names are told apart by their namespaces as soon as there is more than one.
    is_spread = len({namespace for namespace, _workload in (*keys, *drawn)}) > 1
    served = choose_lanes(services, now_ms)
    lanes = _list_by_state(shown, is_spread) if is_by_state else _problem_lanes(pulled, is_spread)
    lanes += list_lanes(served, now_ms, is_spread)
    for key in keys:
        lanes += _group_lanes(key, groups.get(key, []), counts.get(key), bands, is_spread)
    figure = make_lanes(lanes, TONES, [*spans, *list_bars(served)], list_marks(served), now_ms, window_ms)
    meta = {"hidden": 0 if page else max(0, total - len(shown)), "counts": dict(states)}
    meta |= {"page": page.to_json()} if page else {}
    meta |= {"narrowed": True} if page or query else {}
    meta |= {"run": _tell_run(stories, counts)} if stories.living.densities else {}
    figure["layout"]["meta"] |= meta
    return figure


def _choose_rows(
    shown: list[PodStory], total: int, max_rows: int, page: Page | None, stories: Stories
) -> list[PodStory]:
    """Those of the page; else of more than there are rows for the most important ones."""
    if page:
        return [stories.by_uid[uid] for uid in page.uids if uid in stories.by_uid]
    if total <= max_rows:
        return shown
    kept = min(max_rows, CROWDED_ROWS) if stories.living.densities else max_rows
    return sorted(shown, key=PodStory.importance, reverse=True)[:kept]


def _list_spans(
    shown: list[PodStory], now_ms: int, span_ms: int, bands: dict[Group, tuple[int, list[Span]]]
) -> list[Span]:
    """Of the pods that are shown and of the bands. What is new comes last: only that is sent then."""
    stretch_ms = find_stretch(span_ms, len(shown))
    spans = [
        span for story in shown for span in join(story.spans, stretch_ms, story.name, now_ms, story.joined)
    ]
    spans += [span for _slots, bars in bands.values() for span in bars]
    return sorted(spans, key=lambda span: span.start_ms)


def see_story(story: PodStory, stories: Stories) -> Seen:
    """A pod, as a query sees it."""
    workload, owner = stories.workload_of(story), story.owner or ""
    return Seen(story.namespace, story.name, workload, owner, story.node, story.state, story.status)


def _tell_run(stories: Stories, counts: dict[Group, Counter[str]]) -> list[list[int]]:
    """The whole run: `[from_ms, in trouble, all]` wherever that changed."""
    whole = stories.living.densities[-1]
    by_group = _find_owners(stories, whole)
    owners = (owner for key, found in by_group.items() if key in counts for owner in found)
    told: list[list[int]] = []
    for run in whole.tell_runs(owners, sum(counts.values(), Counter())):
        numbers = [sum(run.states[name] for name in PROBLEMS), run.states.total()]
        if not told or told[-1][1:] != numbers:
            told.append([run.start_ms, *numbers])
    return told


def _make_bands(
    drawn: Counter[Group], counts: dict[Group, Counter[str]], stories: Stories, rows: int
) -> dict[Group, tuple[int, list[Span]]]:
    """How many rows each band is high, and its bars; the groups in trouble first, then the largest."""
    if not stories.living.densities:
        return {}
    density = stories.living.densities[0]
    owners = _find_owners(stories, density)

    def importance(key: Group) -> tuple[int, int]:
        return sum(counts[key][name] for name in PROBLEMS), counts[key].total()

    crowded = [key for key in counts if counts[key].total() > drawn[key]]
    banded = sorted(crowded, key=importance, reverse=True)[:MOST_BANDS]
    slots = max(2, -(-BAND_PX // row_height(rows + 3 * len(banded))))
    factor = count_joined(len(banded))
    bands = {}
    for namespace, workload in banded:
        key, lane = (namespace, workload), f"group:{namespace}/{workload}"
        runs = density.tell_runs(owners.get(key, ()), counts[key], factor)
        bands[key] = slots, make_band(lane, workload.partition("/")[2] or "Bare pods", runs, slots)
    return bands


def _find_owners(stories: Stories, density: Density) -> dict[Group, list[Owner]]:
    """By workload all that its pods belonged to."""
    owners: dict[Group, list[Owner]] = {}
    for owner in {*density.changes, *stories.living.by_owner}:
        owners.setdefault(find_group(owner, stories.workloads), []).append(owner)
    return owners


def _pull_out(shown: list[PodStory]) -> list[PodStory]:
    """The pods in trouble, the gravest first, where they would be looked for among others that are well.

    Their lanes go with them: a StatefulSet's web-0 that is gone stands where the one in trouble does.
    """
    troubled = [story for story in shown if story.is_troubled] if len(shown) > AT_A_GLANCE else []
    if len(troubled) == len(shown):
        return []
    return sorted(troubled, key=lambda story: (GRAVITY[story.state], story.created_ms, story.name))


def _problem_lanes(pulled: list[PodStory], is_spread: bool) -> list[Lane]:
    if not pulled:
        return []
    note = f"{len(pulled)} pod{'' if len(pulled) == 1 else 's'}"
    return [Lane("group:problems", "Problems", note=note, header=True), *_whole_lanes(pulled, is_spread)]


def _list_by_state(shown: list[PodStory], is_spread: bool) -> list[Lane]:
    """A group a state, the gravest first; what is gone comes last."""
    lanes, placed = list[Lane](), set[str]()
    for name, label in (*((state, TONES_BY_NAME[state].label) for state in ORDER), (GONE, "Gone")):
        there = [story for story in shown if story.lane not in placed]
        own = [story for story in there if (GONE if story.is_gone else story.state) == name]
        placed.update(story.lane for story in own)
        if own:
            note = f"{len(own)} on this page"
            lanes.append(Lane(f"group:state/{name}", label, note=note, header=True))
            lanes += _whole_lanes(own, is_spread)
    return lanes


def _whole_lanes(stories: list[PodStory], is_spread: bool) -> list[Lane]:
    """Rows that do not stand below their workloads: with the beginnings and the ends of their names."""
    rows = {}
    for story in stories:
        name = f"{story.namespace}/{story.name}" if is_spread else story.name
        rows[story.lane] = replace(_pod_lane(story, ""), label=cut_name(name))
    return list(rows.values())


def _group(shown: list[PodStory], stories: Stories, by_age: bool) -> dict[Group, list[PodStory]]:
    """Groups by namespace and workload; rows in order of creation, so that a new pod appears at the end."""
    groups: dict[Group, list[PodStory]] = {}
    for story in shown:
        groups.setdefault((story.namespace, stories.workload_of(story)), []).append(story)
    if by_age:
        return {key: _order(found, key[1]) for key, found in sorted(groups.items())}
    return dict(sorted(groups.items()))


def _order(stories: list[PodStory], workload: str) -> list[PodStory]:
    """By creation; those of an Indexed Job by their indexes, retries below one another."""
    kind, _, name = workload.partition("/")

    def place(story: PodStory) -> tuple[int, int, list[tuple[int, str]]]:
        own = shorten_name(story.name, name)
        index = INDEXED.match(own) if kind == JOB_KIND.id else None
        return int(index[1]) if index else 0, story.created_ms, count_up(own)

    return sorted(stories, key=place)


def _group_lanes(
    key: Group,
    stories: list[PodStory],
    states: Counter[str] | None,
    bands: dict[Group, tuple[int, list[Span]]],
    with_namespace: bool,
) -> list[Lane]:
    namespace, workload = key
    kind, _, name = workload.partition("/")
    where = f"{namespace}/" if with_namespace else ""
    counted = _count_words(states or Counter())
    header = Lane(
        key=f"group:{namespace}/{workload}",
        label=where + (name or "Bare pods"),
        title=f"{namespace}/{workload}",
        path=find_page(kind, namespace, name) if name else "",
        note=f"{kind if name else 'no controller'} · {counted}",
        header=True,
        slots=bands[key][0] if key in bands else 1,
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
    return Lane(
        key=story.lane,
        label=shorten_name(story.name, workload),
        title=f"{story.namespace}/{story.name}",
        path=find_page(POD_KIND.id, story.namespace, story.name),
        restarts=story.restarts,
        tone=GONE if story.is_gone else story.state,
    )
