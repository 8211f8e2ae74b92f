"""The address of a page of this site as something that can be shared."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.urls import Resolver404, ResolverMatch, resolve, reverse

from lifecycle.access import Verb, find_cluster, may
from lifecycle.models import Cluster
from lifecycle.runs.looks import base_of

PAGES = ("cluster", "workload", "pod", "service", "node", "autoscaler", "budget", "compare")
KEPT = ("at", "from", "to", "sel", "q", "page", "order")
"""What of an address says what is shown; all else is left out."""


class Shown(NamedTuple):
    """The address below the cluster's, and what that is compared with."""

    page: str
    beside: Cluster | None = None


def find_page_to_share(user: Any, cluster: Cluster, address: str) -> Shown | str:
    """What to share; a text that says why that cannot be."""
    try:
        parts = urlsplit(address)
        match = resolve(parts.path)
    except (Resolver404, ValueError):
        return "there is no such page: give the address of a page of this cluster"
    seen = find_cluster(user, match.kwargs.get("cluster", ""))
    if match.view_name not in PAGES or seen is None or base_of(seen).pk != cluster.pk:
        return f"only pages of this cluster are shared: {', '.join(PAGES)}"
    asked = [(name, value) for name, value in parse_qsl(parts.query) if name in KEPT]
    if match.view_name == "compare":
        return _find_pair(user, cluster, match)
    if seen.is_look:
        asked = [("at", f"{seen.instant_ms}ms"), *(one for one in asked if one[0] != "at")]
    below = parts.path.removeprefix(reverse("cluster", args=[match.kwargs["cluster"]]))
    return Shown(below + (f"?{urlencode(asked)}" if asked else ""))


def _find_pair(user: Any, cluster: Cluster, match: ResolverMatch) -> Shown | str:
    beside = find_cluster(user, match.kwargs["other"], is_exact=True)
    if beside is None or not may(user, beside, Verb.OWN):
        return "of two clusters both have to be yours to share"
    if beside.owner_id != cluster.owner_id:
        return "two clusters that are shared side by side need the same owner"
    return Shown("", beside)
