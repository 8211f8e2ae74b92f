"""`?as=html`, `?as=md` and `?as=svg` on a page of a cluster: what it shows, as a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from itertools import chain
from typing import Any

import orjson
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header

from dashboard.addresses import kind_of_folder
from dashboard.live.feeds import make_feed
from dashboard.live.live_figures import tell_time
from dashboard.live.timeline_feed import Asked
from dashboard.pages.files.shown import Draw, read_shown
from dashboard.pages.parts import UNPROCESSABLE, find_or_404
from dashboard.pages.past import list_changes
from dashboard.plots.kept import make_picture
from dashboard.plots.theme import clock
from lifecycle import limits
from lifecycle.access import get_cluster_or_404
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, Event, Transition
from lifecycle.reads import read_release
from lifecycle.simulation.pages.pictures import Picture
from lifecycle.simulation.pages.posters import draw_poster
from lifecycle.simulation.pages.sheets import Folded, Sheet, write_html, write_markdown
from lifecycle.sources import EVENTS, TRANSITIONS

View = Callable[..., HttpResponse]
MOST_RECORDED = 5_000
"""So many transitions are in a file, the latest, with the events since the first of them."""
SAFE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


def as_file(view: View) -> View:
    """With `?as=` the page as a file, and no page."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        wanted = request.GET.get("as")
        if wanted is None:
            return view(request, *args, **kwargs)
        if wanted not in WRITERS:
            text = f"as: {wanted[:40]!r} is no kind of file: use {', '.join(WRITERS)}\n"
            return HttpResponse(text, "text/plain; charset=utf-8", status=UNPROCESSABLE)
        response = view(request, *args, **kwargs)
        if response.status_code != 200:
            return response
        found = get_cluster_or_404(request.user, kwargs["cluster"])
        with limits.preview(request.user):
            sheet = _make_sheet(request, found, response.content.decode())
            return _hand_over(sheet, wanted, found)

    return shown


def _make_sheet(request: HttpRequest, cluster: Cluster, page: str) -> Sheet:
    now_ms = tell_time(cluster)["at_ms"]
    title, blocks = read_shown(page, _make_draw(request, cluster, now_ms))
    standing = (
        f"Cluster {cluster.shown_name}, Kubernetes {read_release(cluster).version}, at {clock(now_ms)}."
        " Made by Podline: nothing here is of a real cluster."
    )
    if request.GET.get("as") == HTML and (recorded := _list_recorded(request, cluster)):
        blocks.append(Folded(f"Recorded: {len(recorded):,} rows, as NDJSON", tuple(recorded)))
    return Sheet(title, standing, tuple(blocks))


def _make_draw(request: HttpRequest, cluster: Cluster, now_ms: int) -> Draw:
    """Pictures of the stretch that the address asks for (`from`, `to`), else of what the page shows."""
    stretch = _read_stretch(request)

    def draw(figure: str, asked: dict[str, str]) -> Picture | None:
        window = asked.get("window_ms", "")
        window_ms = int(window) if window.isascii() and window.isdigit() and stretch is None else None
        feed = make_feed(cluster, figure, window_ms, Asked(asked.get("q", "")))
        return make_picture(feed.figure(now_ms), stretch) if feed is not None else None

    return draw


def _read_stretch(request: HttpRequest) -> tuple[int, int] | None:
    texts = [request.GET.get(name, "") for name in ("from", "to")]
    if not all(text.isascii() and text.isdigit() and len(text) < 16 for text in texts):
        return None
    begin_ms, end_ms = map(int, texts)
    return (begin_ms, end_ms) if begin_ms < end_ms else None


# --- what is recorded -------------------------------------------------------------------------------------


def _list_recorded(request: HttpRequest, cluster: Cluster) -> list[str]:
    """The rows of what the page is about, a line each."""
    asked = _find_asked(request, cluster)
    if asked is None:
        return []
    transitions = Transition.objects.filter(asked, cluster=cluster, seq__lte=cluster.seq)
    beyond = transitions.order_by("-seq").values_list("seq", flat=True)[MOST_RECORDED : MOST_RECORDED + 1]
    kept = transitions.filter(seq__gt=next(iter(beyond), 0))
    events = Event.objects.filter(cluster=cluster, seq__lte=cluster.seq, seq__gt=next(iter(beyond), 0))
    if asked:
        events = events.filter(uid__in=kept.order_by().values("uid"))
    pages = chain(TRANSITIONS.walk(kept), EVENTS.walk(events))
    rows: list[dict[str, Any]] = list(chain.from_iterable(pages))
    rows.sort(key=lambda row: row["seq"])
    return [orjson.dumps(row).decode() for row in rows[-2 * MOST_RECORDED :]]


def _find_asked(request: HttpRequest, cluster: Cluster) -> Q | None:
    """Which transitions a page is about: all, or those of one object; None for pages about no one history."""
    match = request.resolver_match
    assert match is not None, "a view that was asked for by its address"
    if match.view_name == "cluster":
        return Q()
    folder = match.kwargs.get("folder") or _FOLDERS.get(match.view_name or "")
    if folder is None:
        return None
    kind = POD_KIND.id if folder == POD_KIND.plural else kind_of_folder(folder).kind.id
    return list_changes(
        cluster, find_or_404(cluster, kind, match.kwargs.get("namespace", ""), match.kwargs["name"])
    )


_FOLDERS = {
    "pod": POD_KIND.plural,
    "autoscaler": "horizontalpodautoscalers",
    "budget": "poddisruptionbudgets",
    "service": "services",
    "node": "nodes",
}


# --- files ------------------------------------------------------------------------------------------------


def _hand_over(sheet: Sheet, wanted: str, cluster: Cluster) -> HttpResponse:
    write, media_type = WRITERS[wanted]
    text = write(sheet)
    if not text:
        return HttpResponse("Nothing is drawn on this page.\n", "text/plain", status=404)
    at = clock(tell_time(cluster)["at_ms"]).replace(":", ".").replace(" ", "-")
    name = _NOT_IN_NAMES.sub("-", f"{cluster.shown_name}-{sheet.title}-{at}")[:150]
    headers = {
        "Content-Disposition": content_disposition_header(True, f"{name}.{wanted}") or "attachment",
        "Content-Security-Policy": SAFE,
        "Cache-Control": "no-store",
    }
    # A file with letters that UTF-8 has no bytes for would be none.
    return HttpResponse(text.encode("utf-8", "replace"), f"{media_type}; charset=utf-8", headers=headers)


HTML = "html"
WRITERS: dict[str, tuple[Callable[[Sheet], str], str]] = {
    HTML: (write_html, "text/html"),
    "md": (write_markdown, "text/markdown"),
    "svg": (draw_poster, "image/svg+xml"),
}
