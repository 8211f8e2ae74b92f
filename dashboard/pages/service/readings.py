"""What the page of a Service says: what became of the requests to it, in words and instant by instant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from dashboard.addresses import find_page
from dashboard.pages.ages import count_on
from dashboard.pages.states import list_selected
from dashboard.plots.theme import clock
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.objects.selector import Selector
from lifecycle.lost_requests import (
    WHOLE,
    Courses,
    find_per_second,
    tell_amount,
    tell_exactly,
    tell_lost,
    tell_now,
    tell_outcome,
    tell_sender,
    tell_share,
    tell_worth,
)
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.requests import SERVICE, Served, list_services, list_services_of, read_served

Json = dict[str, Any]
KIND = SERVICE
MOST_LOSSES = 100


def read_service(cluster: Cluster, stored: StoredObject, at_ms: int) -> Json:
    """All that its page shows."""
    spec = stored.data.get("spec") or {}
    columns = decide_columns(stored.data, at_ms, epoch_ms=cluster.epoch_ms)
    facts = {title: value for title, value in columns.items() if title not in ("NAME", "SELECTOR")}
    served = read_served(cluster, [stored])
    courses = served[0].courses if served else Courses()
    per_second = find_per_second(stored.data)
    is_gone = stored.deleted_ms is not None
    selector = Selector.of_labels(spec.get("selector"))
    return {
        "service": stored,
        "verdict": f"Deleted at {clock(stored.deleted_ms)}."
        if stored.deleted_ms is not None
        else tell(courses),
        "told": [
            *(f"So far it {one}" for one in tell_lost(courses, None, at_ms, per_second)),
            *tell_unready(courses, at_ms),
        ],
        "facts": count_on(facts, cluster, stored, at_ms),
        "selector": ",".join(f"{key}={value}" for key, value in selector.match_labels.items()) or "nothing",
        "senders": _tell_senders(courses, per_second),
        "losses": list_losses(courses, at_ms, per_second),
        "pods": [] if is_gone else list_selected(cluster, stored.namespace, selector),
    }


def tell(courses: Courses) -> str:
    """What becomes of the requests now."""
    if not courses.by_sender:
        return "Nobody has sent it requests yet."
    losing = tell_now(courses)
    return f"Requests are lost now: {', '.join(losing)}." if losing else "All requests are served now."


def tell_unready(courses: Courses, at_ms: int) -> list[str]:
    """How much was served by pods that are not ready, of each kind of senders."""
    told = []
    for sender in courses.list_senders():
        if unready_ms := courses.by_sender[sender].sum_unready(None, at_ms):
            through = f" {tell_sender(sender)}" if len(courses.by_sender) > 1 else ""
            told.append(f"Served by pods that are not ready{through}: {tell_amount(unready_ms)}")
    return told


def _tell_senders(courses: Courses, per_second: int | None) -> list[str]:
    senders = [tell_sender(one) for one in courses.list_senders()]
    return [*([f"{per_second:,} a second"] if per_second else []), *senders]


def list_losses(courses: Courses, at_ms: int, per_second: int | None) -> list[Json]:
    """When what share was lost and how, the latest first."""
    found = [one for sender in courses.list_senders() for one in _list_of(courses, sender, at_ms, per_second)]
    return sorted(found, key=lambda one: -int(one["at_ms"]))[:MOST_LOSSES]


def _tell_cell(lost_ms: Fraction | int, per_second: int | None) -> str:
    """How much of all requests, as the column's title says."""
    return tell_amount(lost_ms, per_second) if per_second else tell_worth(lost_ms)


def _list_of(courses: Courses, sender: str, at_ms: int, per_second: int | None) -> Iterable[Json]:
    course = courses.by_sender[sender]
    through = f" {tell_sender(sender)}" if len(courses.by_sender) > 1 else ""
    for one in course.stretches:
        if one.lost:
            end_ms = at_ms if one.end_ms is None else one.end_ms
            lost_ms = Fraction(one.lost * (end_ms - one.start_ms), WHOLE)
            yield {
                "at_ms": one.start_ms,
                "from": tell_exactly(one.start_ms),
                "to": "now" if one.end_ms is None else tell_exactly(one.end_ms),
                "share": tell_share(one.lost),
                "how": f"{tell_outcome(one.reason)}{through}",
                "amount": _tell_cell(lost_ms, per_second),
            }
    for lump in course.lumps:
        at = tell_exactly(lump.at_ms)
        how = f"{tell_outcome(lump.reason)}{through}"
        amount = _tell_cell(lump.lost_ms, per_second)
        yield {"at_ms": lump.at_ms, "from": at, "to": at, "share": "under way", "how": how, "amount": amount}


def list_served(cluster: Cluster, at_ms: int) -> list[Json]:
    """Every Service that is sent requests, by namespace and name, in words."""
    return [
        {
            "name": one.stored.name,
            "namespace": one.stored.namespace or "",
            "page": find_page(KIND, one.stored.namespace or "", one.stored.name),
            "told": _tell_briefly(one, at_ms),
        }
        for one in read_served(cluster, list_services(cluster))
    ]


def _tell_briefly(served: Served, at_ms: int) -> str:
    if losing := tell_now(served.courses):
        return f"requests are lost: {', '.join(losing)}"
    lost_ms = served.courses.sum_lost(None, at_ms)
    per_second = find_per_second(served.stored.data)
    return f"lost {tell_amount(lost_ms, per_second)} so far" if lost_ms else "all requests served"


def tell_requests(cluster: Cluster, workload: StoredObject, at_ms: int) -> Sequence[str]:
    """What the page of a workload says of the Services that select its pods and lost any requests."""
    served = read_served(cluster, list_services_of(cluster, workload))
    return [line for one in served for line in one.tell(at_ms)]
