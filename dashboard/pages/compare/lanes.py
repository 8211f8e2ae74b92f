"""Lanes of one cluster over lanes of the other, on one axis: workloads and pods that went otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.urls import reverse

from dashboard.addresses import find_page
from dashboard.pages.compare.histories import MOST_ROWS, Change, History, Subject, name_subject
from dashboard.pages.compare.workloads import Compared, Course
from dashboard.plots.beside import Picture, Side, Stretch, make_lane, make_stretch, zoom
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.simulation.reports.tones import TONES
from lifecycle.stored_kinds import of_kind

MOST_WORKLOADS, MOST_PODS = 8, 20
STATE, EXISTS, DELETED = "state", "exists", "deleted"
Sides = tuple[tuple[Cluster, History], tuple[Cluster, History]]
Rows = dict[Subject, list[Stretch]]


def draw(sides: Sides, workloads: Sequence[Compared], since_ms: int, until_ms: int) -> Picture | None:
    """None where every pod and every workload went alike."""
    shown = [one for one in workloads if one.left.points != one.right.points][:MOST_WORKLOADS]
    pods = [_read_pods(cluster, history, since_ms, until_ms) for cluster, history in sides]
    parted = _list_parted(*pods)
    if not shown and not parted:
        return None
    kept = parted[:MOST_PODS]
    begin_ms, end_ms = zoom(_list_instants(pods, kept, shown), since_ms, until_ms)
    frame = Picture(begin_ms, end_ms, ())
    drawn = []
    for turn, (cluster, _) in enumerate(sides):
        base = reverse("cluster", args=[cluster.address])
        counts = [
            make_lane(frame, one.name, _list_counts(one, turn, until_ms), f"{base}{one.page}")
            for one in shown
        ]
        lanes = [
            make_lane(
                frame, name_subject(one).removeprefix("Pod "), pods[turn][one], f"{base}{find_page(*one)}"
            )
            for one in kept
            if pods[turn].get(one)
        ]
        left_out = sum(1 for one in parted[MOST_PODS:] if pods[turn].get(one))
        drawn.append(Side(cluster.address, [*counts, *lanes], left_out))
    return Picture(begin_ms, end_ms, drawn)


def _list_instants(pods: Sequence[Rows], kept: Sequence[Subject], shown: Sequence[Compared]) -> Iterator[int]:
    """When anything that is drawn changed."""
    for rows in pods:
        for one in kept:
            yield from (at for span in rows.get(one, ()) for at in (span.start_ms, span.end_ms))
    for compared in shown:
        yield from (at_ms for course in (compared.left, compared.right) for at_ms, _ in course.points)


def _list_counts(compared: Compared, turn: int, until_ms: int) -> Iterator[Stretch]:
    """How many of its pods were available, as bars of that height."""
    course: Course = (compared.left, compared.right)[turn]
    ends = [at_ms for at_ms, _ in course.points[1:]] + [until_ms]
    for (start_ms, count), end_ms in zip(course.points, ends, strict=False):
        height = round(100 * count / compared.top)
        yield Stretch(start_ms, end_ms, TONES["ready"], f"{count} of {compared.top} available", height)


def _list_parted(left: Rows, right: Rows) -> list[Subject]:
    """The pods that did not go alike, those first that parted first."""
    found = [one for one in {**left, **right} if left.get(one) != right.get(one)]
    return sorted(found, key=lambda one: (_find_parting(left.get(one, []), right.get(one, [])), one))


def _find_parting(one: list[Stretch], other: list[Stretch]) -> int:
    differing = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    if differing:
        mine, theirs = differing[0]
        return min(mine.start_ms, theirs.start_ms)
    longer = max(one, other, key=len)
    return longer[min(len(one), len(other))].start_ms


def _read_pods(cluster: Cluster, history: History, since_ms: int, until_ms: int) -> Rows:
    """How each pod was from one instant until the other."""
    rows: Rows = {}
    for subject, changes in history.changes.items():
        if subject[0] == POD_KIND.id and (spans := list(_list_spans(changes, since_ms, until_ms))):
            rows[subject] = spans
    return rows | _read_unmoved(cluster, rows, since_ms, until_ms)


def _list_spans(changes: Sequence[Change], since_ms: int, until_ms: int) -> Iterator[Stretch]:
    """A pod's states; what it was before its first change is known from that."""
    state, start_ms, is_first = "", since_ms, True
    for at_ms, what, new, _, old in changes:
        if what not in (STATE, EXISTS) or (what == EXISTS and new != DELETED):
            continue
        if is_first and what == STATE and old:
            state = old
        is_first = False
        if state and at_ms > start_ms:
            yield make_stretch(start_ms, at_ms, state)
        state, start_ms = ("" if what == EXISTS else new or ""), at_ms
    if state and until_ms > start_ms:
        yield make_stretch(start_ms, until_ms, state)


def _read_unmoved(cluster: Cluster, moved: Rows, since_ms: int, until_ms: int) -> Rows:
    """The pods that were there all the time and stayed as they were."""
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, created_ms__lt=since_ms)
    pods = pods.exclude(deleted_ms__lte=until_ms)
    found: dict[str, tuple[Subject, Any]] = {}
    for uid, namespace, name, state in pods.values_list("uid", "namespace", "name", "state"):
        subject = (POD_KIND.id, namespace or "", name)
        if subject not in moved:
            found[uid] = subject, state
    # What is stored is what they are now, which may be later.
    later = Transition.objects.filter(of_kind(POD_KIND.id), cluster=cluster, seq__lte=cluster.seq)
    later = later.filter(at_ms__gt=until_ms, field=STATE).order_by("seq")
    before: dict[str, Any] = {}
    for uid, old in later.values_list("uid", "old")[:MOST_ROWS]:
        before.setdefault(uid, old)
    return {
        subject: [make_stretch(since_ms, until_ms, before.get(uid) or state or "unknown")]
        for uid, (subject, state) in found.items()
    }
