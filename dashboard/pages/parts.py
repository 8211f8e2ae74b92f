"""What pages have in common: who may see them, the clock, events, and answers to what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from dashboard.addresses import find_page, list_folders
from dashboard.asking.answers import Answer
from dashboard.live.live_figures import tell_time
from dashboard.pages.finding import narrow_events
from dashboard.pages.past import tell_past
from dashboard.plots.queries import read_query
from dashboard.plots.theme import clock, duration, without_uids
from lifecycle import reads
from lifecycle.access import Anyone, clusters_for, give_address
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.models import Cluster, Event, StoredObject
from lifecycle.recorded.objects import find_object
from lifecycle.recorded.once import asked_once
from lifecycle.runs.driving.auto import AUTO

SPEEDS = (0.1, 0.5, 1, 2, 5, 10, 60, 100, 600, 1000, 10_000)
WINDOWS = (("5m", 300_000), ("15m", 900_000), ("1h", 3_600_000), ("All", ""))
DEFAULT_WINDOW_MS = 900_000
RECENT_EVENTS = 100
"""So many are told at once; the starts of pods are folded, so that they are fewer lines."""
MOST_ROWS = 2_000
"""So many rows are looked at for them: an event that comes again and again has many."""
UNPROCESSABLE = 422
READS = ("GET", "HEAD")
View = Callable[..., HttpResponse]


def signed_in(view: View) -> View:
    """Only for people who signed in; a part asked for by a page that was signed out sends the page away.

    What several parts of a page ask is asked once.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            with asked_once() if request.method in READS else nullcontext():
                return view(request, *args, **kwargs)
        htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
        if htmx:
            return HttpResponseClientRedirect(redirect_to_login(htmx.current_url_abs_path or "/").url)
        return redirect_to_login(request.get_full_path())

    return checked


def show_live(
    user: Anyone, cluster: Cluster, *figures: str, stored: StoredObject | None = None, query: str = ""
) -> dict[str, Any]:
    """What every live page needs: the socket's address, the clock, the windows of time, its origin.

    `stored`: the object that the page is about, if it is about one; `query`: what its filter box asks for.
    """
    return tell_clock(cluster) | {
        "figures": list(figures),
        "windows": WINDOWS,
        "window_ms": DEFAULT_WINDOW_MS,
        "base": reverse("cluster", args=[cluster.address]),
        "past": tell_past(cluster, stored, query),
        "folders": json.dumps(list_folders()),
        "parent": find_parent(user, cluster),
        "forked_at": duration(cluster.forked_at_ms or 0),
    }


def find_parent(user: Anyone, cluster: Cluster) -> Cluster | None:
    """What a cluster was forked from, where that may be seen; None of what only shows a past."""
    if cluster.is_look or cluster.parent_id is None:
        return None
    parent = clusters_for(user).filter(pk=cluster.parent_id).select_related("owner").first()
    return parent and give_address(user, parent)


def show_object(user: Anyone, cluster: Cluster, stored: StoredObject, *figures: str) -> dict[str, Any]:
    """What the page of one object needs beside: the object, and the events about it."""
    beside = {"object": stored, "event_uid": stored.uid} | list_recent_events(cluster, stored.uid)
    return show_live(user, cluster, *figures, stored=stored) | beside


def tell_clock(cluster: Cluster) -> dict[str, Any]:
    """The clock and what it can be set to."""
    speeds = [(f"{speed:g}", f"{speed:,g}×") for speed in sorted({*SPEEDS, cluster.speed})]
    speeds.append((AUTO, "auto: after each write until idle"))
    told = tell_time(cluster)
    return {
        "cluster": cluster,
        "clock": told,
        "clock_digits": clock(told["at_ms"]),
        "speeds": speeds,
        "speed": AUTO if cluster.is_auto else f"{cluster.speed:g}",
    }


def list_recent_events(
    cluster: Cluster, uid: str = "", query: str = "", before: int | None = None
) -> dict[str, Any]:
    """The latest events first and where older ones begin: all, about one object, or what is asked for.

    Each once, however often it came: the last row about it says how often, and since when.
    """
    rows = Event.objects.filter(cluster=cluster, seq__lte=cluster.seq)
    rows = rows.filter(uid=uid) if uid else rows
    asked = narrow_events(read_query(query), cluster, rows)
    latest, older = _list_latest(asked, before)
    shown = list(asked.filter(seq__in=latest).order_by("-seq"))
    going_on = reads.list_going_on(cluster, shown)
    series = {row.seq: _tell_series(row) for row in going_on}
    reads.tell_up_to(going_on, reads.virtual_now_ms(cluster))
    told = [_tell_event(row) | {"series": series.get(row.seq, "")} for row in shown]
    return {"events": told, "older": older}


def _list_latest(rows: QuerySet[Event], before: int | None) -> tuple[list[int], int | None]:
    """The last row about each of the latest events, and the row before which older ones begin."""
    earlier = rows if before is None else rows.filter(seq__lt=before)
    found = list(earlier.order_by("-seq").values_list("seq", "event_id")[: MOST_ROWS + 1])
    told = set[str | None]()
    if before is not None:
        later = rows.filter(seq__gte=before, event_id__in={one for _, one in found[:MOST_ROWS] if one})
        told.update(filter(None, later.values_list("event_id", flat=True)))
    latest: list[int] = []
    for seq, event in found[:MOST_ROWS]:
        if event and event in told:
            continue
        if len(latest) == RECENT_EVENTS:
            return latest, latest[-1]
        latest.append(seq)
        told.add(event or "")
    return latest, found[MOST_ROWS - 1][0] if len(found) > MOST_ROWS else None


def _tell_event(row: Event) -> dict[str, Any]:
    return {
        "row": row,
        "at": clock(row.at_ms),
        "times": row.count if row.count > 1 else 0,
        "over": _tell_over(row) if row.count > 1 else "",
        "span": f"from {clock(row.first_ms)} to {clock(row.last_ms)}" if row.count > 1 else "",
        "message": without_uids(row.message),
        "page": find_page(kind_id(row.group, row.kind), row.namespace or "", row.name),
    }


def _tell_series(row: Event) -> str:
    """What the page goes on counting from, with its own clock: the row as it was written."""
    told = {"count": row.count, "first_ms": row.first_ms, "last_ms": row.last_ms, "detail": row.detail}
    return json.dumps(told)


def _tell_over(row: Event) -> str:
    """In how much time it came so often, in whole seconds."""
    seconds = (row.last_ms - row.first_ms) // 1000
    return duration(seconds * 1000) if seconds else ""


def find_or_404(cluster: Cluster, kind: str, namespace: str, name: str) -> StoredObject:
    """The latest object of that name, deleted or not."""
    stored = find_object(cluster, kind, namespace, name)
    if stored is None:
        when = f" at {clock(cluster.instant_ms)}" if cluster.is_look else ""
        raise Http404(f"There is no {kind} {namespace}/{name} in the cluster {cluster.shown_name}{when}.")
    return stored


def messages_of(form: Any) -> str:
    """A form's errors in one line, each with its field."""
    lines = []
    for name, errors in form.errors.items():
        lines += [error if name == "__all__" else f"{name}: {error}" for error in errors]
    return " ".join(lines)


def show_answers(request: HttpRequest, given: list[Answer]) -> HttpResponse:
    """What became of what was asked, below the form that asked it."""
    is_good = all(answer.is_good for answer in given)
    return render(request, "_answers.html", {"answers": given}, status=200 if is_good else UNPROCESSABLE)
