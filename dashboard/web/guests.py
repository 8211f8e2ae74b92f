"""Links that were shared: below `/s/<token>/` stand the pages of one cluster, to be looked at by anybody.

Whoever comes there is a guest, whatever they are elsewhere. Of the addresses those below are there by GET,
all others are not; every address that a page makes begins with the link, so that nothing leads out of it.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse, set_script_prefix
from django.utils.deprecation import MiddlewareMixin

from lifecycle.access import address_for, admit
from lifecycle.models import shares
from lifecycle.models.shares import Guest, Share

PREFIX = "/s/"
NOT_FOUND, GONE = 404, 410
COMPARE = "compare"
EVERYWHERE = ("palette",)
SHOWN = frozenset(
    (
        *("cluster", "workloads", "pod-table", "stretch", "names", "objects"),
        *("ahead", "events", "verdict", "why", "why-version", "why-command"),
        *("pod", "pod-status", "pod-placement", "pod-log", "pod-yaml"),
        *("workload", "workload-yaml", "workload-status", "compare-revision"),
        *("autoscaler", "autoscaler-yaml", "autoscaler-status", "budget", "budget-yaml", "budget-status"),
        *("service", "service-yaml", "service-status", "node", "node-yaml", "node-status"),
    )
)
"""Views of one cluster that only read."""
HEADERS = {
    # The address is the key: it is told to nobody.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow",
}


class LetGuestsIn(MiddlewareMixin):
    """Makes a guest of whoever comes by a link, and keeps them inside."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """An answer where the link, or the address below it, is none."""
        if not request.path_info.startswith(PREFIX):
            return None
        token, _, rest = request.path_info.removeprefix(PREFIX).partition("/")
        share = shares.find(token)
        if share is not None and share.is_over:
            return _refuse(request, GONE)
        guest = admit(share)
        is_there = not rest or (guest is not None and is_shown(guest.share, f"/{rest}"))
        if guest is None or not is_there or request.method not in ("GET", "HEAD"):
            return _refuse(request, NOT_FOUND)
        request.user = guest  # type: ignore[assignment]
        set_script_prefix(f"{PREFIX}{token}/")
        if not rest:
            return redirect(find_landing(guest))
        request.path_info = f"/{rest}"
        return None

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Addresses are made as ever again; what was shown is kept by nobody."""
        if request.path.startswith(PREFIX):
            set_script_prefix("/")
            for name, value in HEADERS.items():
                response[name] = value
        return response


def is_shown(share: Share, path: str) -> bool:
    """Whether guests of a link see what is at an address below it."""
    try:
        match = resolve(path)
    except Resolver404:
        return False
    own = (COMPARE,) if share.beside is not None else SHOWN
    return match.view_name in (*own, *EVERYWHERE)


def find_landing(guest: Guest) -> str:
    """The page that a link was made of; cluster names are those of now."""
    share, address = guest.share, address_for(guest, guest.share.cluster)
    if share.beside is not None:
        return reverse(COMPARE, args=[address, address_for(guest, share.beside)])
    return f"{reverse('cluster', args=[address])}{share.page}"


def _refuse(request: HttpRequest, status: int) -> HttpResponse:
    """A plain page, the same whatever the link once showed."""
    return render(request, "access/no_link.html", {"is_over": status == GONE}, status=status)


def find_watcher(token: str) -> Guest | None:
    """Whoever comes to a socket by a link that is good; a comparison has none."""
    guest = admit(shares.find(token))
    return guest if guest is not None and guest.share.beside is None else None
