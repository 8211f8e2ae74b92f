"""Pages at a past instant: `?at=90s` on any page of a cluster shows that page as it was then."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.plots.theme import clock
from lifecycle.access import get_cluster_or_404
from lifecycle.input.instants import parse_instant
from lifecycle.models import Cluster
from lifecycle.runs import looks
from lifecycle.runs.checkpoints import Unreadable

View = Callable[..., HttpResponse]
UNPROCESSABLE = 422


def at_instant(view: View) -> View:
    """With `?at=` go to the same page of a look at that instant; one that is not recorded is told why."""

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
            return render(request, "clusters/no_past.html", context, status=UNPROCESSABLE)
        match = request.resolver_match
        assert match is not None, "a view that was asked for by its address"
        # What else the address asks for is asked of the look as well.
        rest = request.GET.copy()
        rest.pop("at")
        path = reverse(match.view_name, kwargs={**kwargs, "cluster": made.name})
        return redirect(f"{path}?{rest.urlencode()}" if rest else path)

    return seen


def tell_past(cluster: Cluster) -> dict[str, Any] | None:
    """What the head of a page at a past instant says; None for a page of now."""
    if not cluster.is_look:
        return None
    before_ms, after_ms = looks.find_neighbours(cluster)
    return {
        "base": looks.base_of(cluster),
        "at_ms": cluster.instant_ms,
        "at": clock(cluster.instant_ms),
        "before_ms": before_ms,
        "after_ms": after_ms,
        "fork_name": f"{looks.base_of(cluster).name[:50]}-at-{cluster.instant_ms // 1000}s",
    }
