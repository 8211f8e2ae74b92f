"""Two clusters side by side: what they share, where they first differ, and how workloads fared in both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dashboard.live.live_figures import tell_time
from dashboard.pages.compare.histories import Change, Subject, name_subject, read_history
from dashboard.pages.compare.lanes import draw
from dashboard.pages.compare.manifests import Changed, list_changed
from dashboard.pages.compare.workloads import Compared, compare_workloads
from dashboard.plots.beside import Picture
from dashboard.plots.theme import clock
from dashboard.reading.causes import Link, describe_row, fold_alike, read_chain, tell_command
from lifecycle.models import Cluster, Command, Transition

MOST_SHOWN = 20
MOST_ASKED = 10
MOST_FORKS = 50


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the histories of one object part: what each of the two did then, None for nothing more."""

    at_ms: int
    subject: str
    left: Link | None
    right: Link | None

    @property
    def at(self) -> str:
        """Its instant, as the page's clock shows it."""
        return clock(self.at_ms)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is told of two clusters."""

    left: Cluster
    right: Cluster
    since_ms: int
    until_ms: int
    is_related: bool
    asked: tuple[list[Link], list[Link]]
    differences: list[Difference]
    total: int
    is_cut: bool
    workloads: list[Compared]
    changed: list[Changed]
    more_changed: int
    picture: Picture | None
    behind: Cluster | None
    """The one that is not as far as the other; None when both are as far."""

    @property
    def is_empty(self) -> bool:
        """Whether no time has passed since they share a history."""
        return self.until_ms <= self.since_ms

    @property
    def reasons(self) -> list[list[Link]]:
        """Of each of the two what led to what was first otherwise, from its root on."""
        sides = ((self.left, self.first and self.first.left), (self.right, self.first and self.first.right))
        return [
            fold_alike(read_chain(cluster, link.seq)) if link and link.seq else [] for cluster, link in sides
        ]

    @property
    def first(self) -> Difference | None:
        """The earliest; None where there is none."""
        return self.differences[0] if self.differences else None


def compare(left: Cluster, right: Cluster) -> Comparison:
    """Both from the instant on at which their histories part, up to where the slower one is."""
    shared_ms = find_common(left, right)
    ends = [tell_time(one)["at_ms"] for one in (left, right)]
    since_ms, until_ms = shared_ms or 0, min(ends)
    since_ms = min(since_ms, until_ms)
    ours, theirs = (read_history(one, since_ms, until_ms) for one in (left, right))
    parted = _find_parted(ours.changes, theirs.changes)
    shown = [_describe(one, left, right) for one in parted[:MOST_SHOWN]]
    sides = ((left, ours), (right, theirs))
    workloads = compare_workloads(sides, since_ms, until_ms)
    return Comparison(
        left,
        right,
        since_ms,
        until_ms,
        shared_ms is not None,
        _list_asked(left, right, since_ms, until_ms),
        shown,
        len(parted),
        ours.is_cut or theirs.is_cut,
        workloads,
        *list_changed(left, right),
        draw(sides, workloads, since_ms, until_ms),
        None if ends[0] == ends[1] else left if ends[0] < ends[1] else right,
    )


def find_common(left: Cluster, right: Cluster) -> int | None:
    """Up to which instant both have one history, in ms; None of clusters that are not of one family."""
    reached = dict(_walk_up(left))
    for pk, at_ms in _walk_up(right):
        if pk in reached:
            known = [one for one in (reached[pk], at_ms) if one is not None]
            return min(known) if known else tell_time(left)["at_ms"]
    return None


def _walk_up(cluster: Cluster) -> Iterator[tuple[int, int | None]]:
    """A cluster and its ancestors, each with up to when they are shared; None: all of it."""
    at_ms: int | None = None
    one: Cluster | None = cluster
    for _ in range(MOST_FORKS):
        if one is None:
            return
        yield one.pk, at_ms
        forked = one.forked_at_ms
        at_ms = forked if at_ms is None else min(at_ms, forked or 0)
        one = one.parent


# --- what differs -----------------------------------------------------------------------------------------


Parted = tuple[Subject, Change | None, Change | None]


def _find_parted(left: dict[Subject, list[Change]], right: dict[Subject, list[Change]]) -> list[Parted]:
    """By object the first change that the other did not have at that instant; the earliest first."""
    parted: list[Parted] = []
    for subject in {**left, **right}:
        one, other = left.get(subject, []), right.get(subject, [])
        equal = 0
        while equal < min(len(one), len(other)) and one[equal][:3] == other[equal][:3]:
            equal += 1
        if equal < max(len(one), len(other)):
            pair = (one[equal] if equal < len(one) else None, other[equal] if equal < len(other) else None)
            parted.append((subject, *pair))
    return sorted(parted, key=lambda one: (_instant(one), one[0]))


def _instant(parted: Parted) -> int:
    return min(change[0] for change in parted[1:] if change is not None)


def _describe(parted: Parted, left: Cluster, right: Cluster) -> Difference:
    subject, one, other = parted
    sides = [_describe_change(cluster, change) for cluster, change in ((left, one), (right, other))]
    return Difference(_instant(parted), name_subject(subject), *sides)


def _describe_change(cluster: Cluster, change: Change | None) -> Link | None:
    row = Transition.objects.filter(cluster=cluster, seq=change[3]).first() if change else None
    return describe_row(row) if row is not None else None


def _list_asked(left: Cluster, right: Cluster, since_ms: int, until_ms: int) -> tuple[list[Link], list[Link]]:
    """What was asked of each since; what both were asked before they parted is not told."""
    done = {"state": Command.State.DONE, "instant_ms__gte": since_ms, "instant_ms__lte": until_ms}
    asked = [
        list(one.commands.filter(**done).order_by("order").select_related("user")) for one in (left, right)
    ]
    shared = set.intersection(*({command.trace_id for command in commands} for commands in asked))
    told = (
        [tell_command(command) for command in commands if command.trace_id not in shared]
        for commands in asked
    )
    ours, theirs = told
    return ours[:MOST_ASKED], theirs[:MOST_ASKED]
