"""How each workload fared in two clusters: figures, and which of the two did better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from django.db.models import Q

from dashboard.addresses import find_page
from dashboard.pages.compare.histories import History, Subject, name_subject
from dashboard.plots.theme import duration
from lifecycle.engine.kinds import registry
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.lost_requests import tell_worth
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.recorded.objects import find_object
from lifecycle.recorded.requests import list_services_of, read_served
from lifecycle.stored_kinds import kind_of_stored, of_kind

MOST_WORKLOADS = 20
NOTHING = "–"
AVAILABLE = ("availableReplicas", "numberAvailable")
SETTLING = (*AVAILABLE, "replicas", "readyReplicas", "updatedReplicas", "revision", "condition.Available")


@dataclass(slots=True)
class Course:
    """How a workload fared in one of the two from the common instant on."""

    points: list[tuple[int, int]] = field(default_factory=list)
    """Its available pods: (instant, how many), from the beginning on."""
    began_ms: int | None = None
    """When its numbers changed first, and last."""
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
    def took_ms(self) -> int | None:
        """From its first change to its last; None where nothing changed."""
        if self.began_ms is None or self.settled_ms is None:
            return None
        return self.settled_ms - self.began_ms

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
        return name_subject(self.subject)

    @property
    def page(self) -> str:
        """Its address below that of a cluster."""
        return find_page(*self.subject)

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """What is told of it, with the words for each of the two, and which of them did better."""
        fewest, last, restarts = (
            [getattr(one, name) if one.is_there else None for one in (self.left, self.right)]
            for name in ("fewest", "last", "restarts")
        )
        settled = [one.settled_ms for one in (self.left, self.right)]
        took = [one.took_ms for one in (self.left, self.right)]
        # Who comes to less is no better for being there sooner.
        is_alike = last[0] == last[1]
        told = [
            ("Fewest available", *judge(fewest, _count, is_more_better=True)),
            ("Available in the end", *judge(last, _count, is_more_better=True)),
            ("Last change after", *judge(settled, self._after, is_judged=is_alike)),
            ("From first to last change", *judge(took, _tell_span, is_judged=is_alike)),
            ("Restarts of its pods", *judge(restarts, _count)),
            *self._tell_lost(),
        ]
        return [(what, left, right) for what, left, right in told if (left, right) != (NOTHING, NOTHING)]

    def _tell_lost(self) -> list[tuple[str, str, str]]:
        """What was lost of the requests to each Service of it."""
        services = sorted({**self.left.lost_ms, **self.right.lost_ms})
        lost = ((name, [one.lost_ms.get(name) for one in (self.left, self.right)]) for name in services)
        return [(f"Requests to {name} lost", *judge(both, _tell_worth)) for name, both in lost]

    def _after(self, settled_ms: Fraction | int) -> str:
        return _tell_span(settled_ms - self.since_ms)

    @property
    def top(self) -> int:
        """The most that were ever available."""
        return max([count for one in (self.left, self.right) for _, count in one.points], default=1) or 1

    @property
    def differs(self) -> bool:
        """Whether it fared otherwise in the two."""
        return any(left != right for _, left, right in self.rows) or self.left.points != self.right.points


def compare_workloads(
    sides: tuple[tuple[Cluster, History], tuple[Cluster, History]], since_ms: int, until_ms: int
) -> list[Compared]:
    """Every workload that nobody owns, in either; those that differ first."""
    kinds = of_kind(*(entry.kind.id for entry in registry.list_workloads()))
    is_seen = Q(deleted_ms__isnull=True) | Q(deleted_ms__gte=since_ms)
    subjects: dict[Subject, None] = {}
    for cluster, _ in sides:
        stored = StoredObject.objects.filter(is_seen, kinds, cluster=cluster, owner__isnull=True)
        for row in stored.order_by("namespace", "name", "kind").defer("data")[:MOST_WORKLOADS]:
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
    changes = history.changes.get(subject, ())
    course = Course(is_there=bool(changes) or before is not None or own.exists())
    if before is not None:
        course.points.append((since_ms, before[0] or 0))
    for at_ms, what, new, *_ in changes:
        if what in SETTLING:
            course.began_ms = at_ms if course.began_ms is None else course.began_ms
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


def judge(
    both: Sequence[Fraction | int | None],
    tell: Callable[[Fraction | int], str],
    is_more_better: bool = False,
    is_judged: bool = True,
) -> tuple[str, str]:
    """A figure of both in words; of the right one whether it is better or worse, where they are not alike."""
    left, right = both
    here, there = (NOTHING if one is None else tell(one) for one in both)
    if is_judged and left is not None and right is not None and here != there:
        there += ", better" if (right > left) is is_more_better else ", worse"
    return here, there


def _tell_span(span_ms: Fraction | int) -> str:
    return duration(int(span_ms))


def _count(number: Fraction | int) -> str:
    return str(number)


def _tell_worth(lost_ms: Fraction | int) -> str:
    return tell_worth(Fraction(lost_ms))
