"""Two clusters side by side: what they share, where they first differ, and how workloads fared in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.db.models import Q, QuerySet

from dashboard.addresses import find_page
from dashboard.live.live_figures import tell_time
from dashboard.plots.theme import clock, duration
from dashboard.reading.causes import Link, describe_row, tell_command
from lifecycle.engine.kinds import registry
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.lost_requests import tell_worth
from lifecycle.models import Cluster, Command, StoredObject, Transition
from lifecycle.recorded.objects import find_object
from lifecycle.recorded.requests import list_services_of, read_served
from lifecycle.stored_kinds import kind_of_stored, of_kind

MOST_ROWS = 40_000
"""So many changes of each cluster are compared, the earliest first."""
MOST_SHOWN = 20
MOST_ASKED = 10
MOST_FORKS = 50
AVAILABLE = ("availableReplicas", "numberAvailable")
SETTLING = (*AVAILABLE, "replicas", "readyReplicas", "updatedReplicas", "revision", "condition.Available")
Subject = tuple[str, str, str]
"""Kind, namespace and name."""
Change = tuple[int, str, Any, int]
"""Instant, field, new value, and the row's number."""


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


@dataclass(slots=True)
class Course:
    """How a workload fared in one of the two from the common instant on."""

    points: list[tuple[int, int]] = field(default_factory=list)
    """Its available pods: (instant, how many), from the beginning on."""
    settled_ms: int | None = None
    restarts: int = 0
    is_there: bool = True
    lost_ms: dict[str, Fraction] = field(default_factory=dict)
    """By Service that selects its pods how many ms' worth of all requests were lost."""

    @property
    def fewest(self) -> int | None:
        """Fewest available pods after there were any; None where there never were."""
        counts = [count for _, count in self.points]
        first = next((index for index, count in enumerate(counts) if count), None)
        return None if first is None else min(counts[first:])

    @property
    def last(self) -> int | None:
        """How many are available in the end; None where that was never told."""
        return self.points[-1][1] if self.points else None


@dataclass(frozen=True, slots=True)
class Compared:
    """One workload in both."""

    subject: Subject
    left: Course
    right: Course
    since_ms: int
    until_ms: int

    @property
    def name(self) -> str:
        """`Deployment shop/web`."""
        return _name(self.subject)

    @property
    def page(self) -> str:
        """Its address below that of a cluster."""
        return find_page(*self.subject)

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """What is told of it, with the words for each of the two."""
        sides = (self.left, self.right)
        told = [
            ("Fewest available", *(_count(one.fewest) for one in sides)),
            ("Available in the end", *(_count(one.last) for one in sides)),
            ("Last change after", *(self._after(one) for one in sides)),
            ("Restarts of its pods", *(str(one.restarts) if one.is_there else "–" for one in sides)),
            *self._tell_lost(),
        ]
        return [(what, left, right) for what, left, right in told if (left, right) != ("–", "–")]

    def _tell_lost(self) -> list[tuple[str, str, str]]:
        """What was lost of the requests to each Service of it, and which of the two did better."""
        told = []
        for service in sorted({**self.left.lost_ms, **self.right.lost_ms}):
            left, right = (one.lost_ms.get(service) for one in (self.left, self.right))
            here, there = ("–" if one is None else tell_worth(one) for one in (left, right))
            if left is not None and right is not None and here != there:
                there += ", better" if right < left else ", worse"
            told.append((f"Requests to {service} lost", here, there))
        return told

    def _after(self, course: Course) -> str:
        return "–" if course.settled_ms is None else duration(course.settled_ms - self.since_ms)

    @property
    def differs(self) -> bool:
        """Whether it fared otherwise in the two."""
        return any(left != right for _, left, right in self.rows) or self.left.points != self.right.points

    @property
    def lines(self) -> tuple[str, str]:
        """Both courses as the points of lines, 600 wide and 100 high."""
        return self._line(self.left, self.top, 0), self._line(self.right, self.top, 1.5)

    @property
    def top(self) -> int:
        """The most that were ever available."""
        return max([count for one in (self.left, self.right) for _, count in one.points], default=1) or 1

    def _line(self, course: Course, top: int, shift: float) -> str:
        """Steps; the second line a little lower, so that equal ones are both seen."""
        span = max(1, self.until_ms - self.since_ms)
        told: list[str] = []
        before: float | None = None
        for at_ms, count in [*course.points, (self.until_ms, course.last or 0)]:
            x, y = round(600 * (at_ms - self.since_ms) / span, 1), round(96 - 90 * count / top + shift, 1)
            told += [f"{x},{before}"] * (before is not None) + [f"{x},{y}"]
            before = y
        return " ".join(told) if course.points else ""


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
    behind: Cluster | None
    """The one that is not as far as the other; None when both are as far."""

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
    ours, theirs = (_read_history(one, since_ms, until_ms) for one in (left, right))
    parted = _find_parted(ours.changes, theirs.changes)
    shown = [_describe(one, left, right) for one in parted[:MOST_SHOWN]]
    workloads = _compare_workloads(((left, ours), (right, theirs)), since_ms, until_ms)
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


@dataclass(slots=True)
class History:
    """What happened in one of the two: by object its changes in order, by owner the restarts of its pods."""

    changes: dict[Subject, list[Change]] = field(default_factory=dict)
    restarts: Counter[tuple[str, str]] = field(default_factory=Counter)
    is_cut: bool = False


def _read_history(cluster: Cluster, since_ms: int, until_ms: int) -> History:
    history = History()
    columns = ("kind", "group", "namespace", "name", "owner", "at_ms", "field", "new", "seq")
    rows = _rows(cluster, since_ms, until_ms).values_list(*columns)[: MOST_ROWS + 1]
    for number, (kind, group, namespace, name, owner, *change) in enumerate(rows.iterator()):
        if number == MOST_ROWS:
            history.is_cut = True
            break
        history.changes.setdefault((kind_id(group, kind), namespace or "", name), []).append(tuple(change))
        if change[1].endswith(".restartCount"):
            history.restarts[(namespace or "", owner or f"{kind}/{name}")] += 1
    return history


def _rows(cluster: Cluster, since_ms: int, until_ms: int) -> QuerySet[Transition]:
    rows = Transition.objects.filter(cluster=cluster, seq__lte=cluster.seq)
    # Of the indexed rows one before leads there: later rows have higher numbers.
    before = rows.filter(field="state", at_ms__lt=since_ms).order_by("-at_ms").values_list("seq", flat=True)
    rows = rows.filter(seq__gt=before.first() or 0)
    return rows.filter(at_ms__gte=since_ms, at_ms__lte=until_ms).order_by("seq")


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
    return Difference(_instant(parted), _name(subject), *sides)


def _describe_change(cluster: Cluster, change: Change | None) -> Link | None:
    row = Transition.objects.filter(cluster=cluster, seq=change[3]).first() if change else None
    return describe_row(row) if row is not None else None


def _name(subject: Subject) -> str:
    kind, namespace, name = subject
    return f"{kind.partition('.')[0]} {f'{namespace}/' if namespace else ''}{name}"


def _list_asked(left: Cluster, right: Cluster, since_ms: int, until_ms: int) -> tuple[list[Link], list[Link]]:
    """What was asked of each since; what both were asked before they parted is not told."""
    asked = [
        one.commands.filter(
            state=Command.State.DONE, instant_ms__gte=since_ms, instant_ms__lte=until_ms
        ).order_by("order")
        for one in (left, right)
    ]
    shared = set.intersection(*({command.trace_id for command in commands} for commands in asked))
    told = (
        [
            tell_command(command)
            for command in commands.select_related("user")
            if command.trace_id not in shared
        ]
        for commands in asked
    )
    ours, theirs = told
    return ours[:MOST_ASKED], theirs[:MOST_ASKED]


# --- workloads --------------------------------------------------------------------------------------------


def _compare_workloads(
    sides: tuple[tuple[Cluster, History], tuple[Cluster, History]], since_ms: int, until_ms: int
) -> list[Compared]:
    """Every workload that nobody owns, in either; those that differ first."""
    kinds = of_kind(*(entry.kind.id for entry in registry.list_workloads()))
    is_seen = Q(deleted_ms__isnull=True) | Q(deleted_ms__gte=since_ms)
    subjects: dict[Subject, None] = {}
    for cluster, _ in sides:
        stored = StoredObject.objects.filter(is_seen, kinds, cluster=cluster, owner__isnull=True)
        for row in stored.order_by("namespace", "name", "kind").defer("data")[:MOST_SHOWN]:
            subjects[(kind_of_stored(row), row.namespace or "", row.name)] = None
    compared = []
    for subject in subjects:
        left, right = (_read_course(*side, subject, since_ms, until_ms) for side in sides)
        compared.append(Compared(subject, left, right, since_ms, until_ms))
    return sorted(compared, key=lambda one: not one.differs)


def _read_course(
    cluster: Cluster, history: History, subject: Subject, since_ms: int, until_ms: int
) -> Course:
    kind, namespace, name = subject
    own = Transition.objects.filter(of_kind(kind), cluster=cluster, seq__lte=cluster.seq)
    own = own.filter(namespace=namespace, name=name, at_ms__lte=until_ms)
    before = own.filter(field__in=AVAILABLE, at_ms__lt=since_ms).order_by("-seq").values_list("new").first()
    course = Course(is_there=own.exists())
    if before is not None:
        course.points.append((since_ms, before[0] or 0))
    for at_ms, what, new, _ in history.changes.get(subject, ()):
        if what in SETTLING:
            course.settled_ms = at_ms
        if what in AVAILABLE:
            course.points.append((at_ms, new or 0))
    owners = [f"{kind}/{name}", *_list_below(cluster, subject)]
    course.restarts = sum(history.restarts[(namespace, owner)] for owner in owners)
    stored = find_object(cluster, kind, namespace, name)
    for served in read_served(cluster, list_services_of(cluster, stored) if stored is not None else []):
        course.lost_ms[served.stored.name] = served.courses.sum_lost(since_ms, until_ms)
    return course


def _list_below(cluster: Cluster, subject: Subject) -> list[str]:
    """Whose its pods are, besides its own: the ReplicaSets of a Deployment, the Jobs of a CronJob."""
    kind, namespace, name = subject
    below = StoredObject.objects.filter(cluster=cluster, namespace=namespace, owner=f"{kind}/{name}")
    named = below.exclude(of_kind(POD_KIND.id)).values_list("kind", "group", "name")
    return [f"{kind_id(group, one)}/{owned}" for one, group, owned in named]


def _count(number: int | None) -> str:
    return "–" if number is None else str(number)


# --- as text ----------------------------------------------------------------------------------------------


def write_markdown(told: Comparison) -> str:
    """The comparison for a pull request."""
    left, right = told.left.address, told.right.address
    lines = [f"### {left} and {right}, {clock(told.since_ms)} to {clock(told.until_ms)}", ""]
    for cluster, asked in zip((left, right), told.asked, strict=True):
        lines += [f"- asked of {cluster} at {one.at}: {_cell(f'{one.what} {one.subject}')}" for one in asked]
    if told.first is None:
        lines += ["", "No difference."]
    for one in told.workloads:
        if one.differs:
            lines += ["", f"| {_cell(one.name)} | {left} | {right} |", "|---|---|---|"]
            lines += [f"| {what} | {here} | {there} |" for what, here, there in one.rows]
    if told.differences:
        lines += ["", f"| First differences of {told.total} | {left} | {right} |", "|---|---|---|"]
        for parted in told.differences:
            sides = (_cell(side.what) if side else "nothing more" for side in (parted.left, parted.right))
            lines.append(f"| {parted.at} {_cell(parted.subject)} | {' | '.join(sides)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
