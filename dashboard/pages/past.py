"""Pages at a past instant: `?at=90s` on any page of a cluster shows that page as it was then."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard.pages.finding import find_pods
from dashboard.plots.queries import read_query
from dashboard.plots.theme import clock
from lifecycle.access import get_cluster_or_404
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.input.instants import parse_instant
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.objects import list_between
from lifecycle.runs import looks
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.stored_kinds import kind_of_stored, of_kind

View = Callable[..., HttpResponse]
UNPROCESSABLE = 422


def at_instant(view: View) -> View:
    """With `?at=` show the same page of a look at that instant; one that is not recorded is told why.

    The address stays the cluster's own, so it lives as long as the history, for everybody who may see that.
    """

    @wraps(view)
    def seen(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        text = request.GET.get("at", "").strip().removeprefix("+").replace(" ", "")
        if not text:
            return view(request, *args, **kwargs)
        found = get_cluster_or_404(request.user, kwargs["cluster"])
        try:
            made = looks.look(found, parse_instant(text[:40], found.epoch_ms), request.user)
        except (ValueError, Unreadable) as problem:
            context = {"cluster": looks.base_of(found), "problem": problem}
            return render(request, "no_past.html", context, status=UNPROCESSABLE)
        match = request.resolver_match
        assert match is not None, "a view that was asked for by its address"
        kwargs["cluster"] = made.name
        # Parts of the page are the look's, whose address is another one.
        request.shown_at = reverse(match.view_name, kwargs=kwargs)  # type: ignore[attr-defined]
        return view(request, *args, **kwargs)

    return seen


def tell_past(cluster: Cluster, stored: StoredObject | None = None, query: str = "") -> dict[str, Any] | None:
    """What the head of a page at a past instant says; None for a page of now.

    `stored`: what the page is about; `query`: which pods it shows, of all. Changes before and after are
    of these.
    """
    if not cluster.is_look:
        return None
    asked, base = None, looks.base_of(cluster)
    if stored is not None:
        asked = list_changes(base, stored)
    elif wanted := read_query(query):
        # As they were then, or are now.
        asked = Q(uid__in={*find_pods(cluster, wanted), *find_pods(base, wanted)})
    before_ms, after_ms = looks.find_neighbours(cluster, asked)
    return {
        "base": base,
        "at_ms": cluster.instant_ms,
        "at": clock(cluster.instant_ms),
        "before_ms": before_ms,
        "after_ms": after_ms,
        "fork_name": f"{base.name[:50]}-at-{cluster.instant_ms // 1000}s",
    }


def list_changes(base: Cluster, stored: StoredObject) -> Q:
    """The transitions that a page about an object shows: its own, and those of what it owns or carries."""
    objects, kind = StoredObject.objects.filter(cluster=base), kind_of_stored(stored)
    if kind == NODE_KIND.id:
        pods = objects.filter(of_kind(POD_KIND.id), node=stored.name)
        return Q(uid=stored.uid) | Q(uid__in=pods.values("uid"))
    owner = f"{kind}/{stored.name}"
    between = objects.filter(of_kind(*list_between()), namespace=stored.namespace, owner=owner)
    owners = [owner, *(f"{kind_of_stored(one)}/{one.name}" for one in between.defer("data"))]
    return Q(uid=stored.uid) | Q(namespace=stored.namespace, owner__in=owners)
