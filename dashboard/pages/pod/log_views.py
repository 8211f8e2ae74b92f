"""The log of a container on its pod's page: its newest lines with their times, searched, and as a file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.pages.parts import find_or_404, signed_in
from dashboard.plots.theme import clock
from lifecycle.access import get_cluster_or_404
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.times import format_micro_time
from lifecycle.engine.programs.told import tell_silence
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.objects import list_profiles
from lifecycle.runs import container_logs
from lifecycle.runs.container_logs import Position, Run

SHOWN_LINES = 300
"""So many are shown at first, and so many more each time older ones are asked for."""
MOST_LINES = 5_000
LONGEST_QUERY = 200
_KEYS = ("containers", "initContainers", "ephemeralContainers")
Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose log, which run of it, and what of that."""

    container: str
    is_previous: bool
    query: str
    most: int

    @classmethod
    def of(cls, request: HttpRequest, names: list[str]) -> Asked:
        """From an address; what makes no sense is as if it were not there. No name: the first of `names`."""
        given = request.GET
        container = given.get("container") or next(iter(names), "")
        digits = given.get("lines", "")
        most = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else SHOWN_LINES
        query = given.get("find", "").strip()[:LONGEST_QUERY]
        return cls(container, "previous" in given, query, max(SHOWN_LINES, min(most, MOST_LINES)))


@signed_in
@require_GET
def pod_log(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """What a container wrote, in its current run or the one before; 204 when the page has `seen` it all."""
    found = get_cluster_or_404(request.user, cluster)
    stored = find_or_404(found, POD_KIND.id, namespace, name)
    asked = Asked.of(request, _list_names(stored.data, "containers"))
    if asked.container and asked.container not in _list_names(stored.data, *_KEYS):
        raise Http404(f"Pod {namespace}/{name} has no container of that name.")
    run = (stored.uid, asked.container, _find_run(stored.data, asked))
    if "download" in request.GET:
        return _download(found, name, asked, _read(found, run), is_timed="times" in request.GET)
    chunks = container_logs.measure(found, run)
    silence = "" if any(size for _, size in chunks) else _tell_silence(found, stored, asked)
    mark = _mark(asked, run, chunks, silence)
    if request.GET.get("seen") == mark:
        return HttpResponse(status=204)
    lines = _read(found, run)
    matching = [line for line in lines if asked.query.lower() in line[1].lower()]
    if lines and not matching:
        silence = f"No line contains “{asked.query}”."
    context = {
        "mark": mark,
        "lines": [(clock(at_ms), _split(text, asked.query)) for at_ms, text in matching[-asked.most :]],
        "hidden": max(0, len(matching) - asked.most),
        "more": min(asked.most + SHOWN_LINES, MOST_LINES) if asked.most < MOST_LINES else 0,
        "silence": silence,
    }
    return render(request, "pod/_log.html", context)


def _read(cluster: Cluster, run: Run) -> list[Line]:
    lines, _ = container_logs.read_since(cluster, run, Position())
    return lines


def _list_names(pod: dict[str, Any], *keys: str) -> list[str]:
    spec = pod.get("spec") or {}
    return [one["name"] for key in keys for one in spec.get(key) or ()]


def _find_run(pod: dict[str, Any], asked: Asked) -> int:
    """The number of the run: that which runs or ran last has as many before it as there were restarts."""
    return int(_status(pod, asked.container).get("restartCount") or 0) - asked.is_previous


def _mark(asked: Asked, run: Run, chunks: list[tuple[int, int]], silence: str) -> str:
    """Tells what is shown from what would be: a log only grows at its end, and is cut at its beginning."""
    told = (asked, run, chunks, silence)
    return hashlib.sha256(repr(told).encode("utf-8", "replace")).hexdigest()[:16]


def _split(text: str, query: str) -> list[tuple[bool, str]]:
    """A line in parts, with whether each is what was searched for."""
    if not query:
        return [(False, text)]
    parts, lower, wanted, start = [], text.lower(), query.lower(), 0
    # Some letters have another length in lower case: then nothing of the line is marked.
    while len(lower) == len(text) and (at := lower.find(wanted, start)) >= 0:
        parts += [(False, text[start:at]), (True, text[at : at + len(wanted)])]
        start = at + len(wanted)
    return [part for part in [*parts, (False, text[start:])] if part[1]]


def _tell_silence(cluster: Cluster, stored: StoredObject, asked: Asked) -> str:
    """Why nothing is kept of what it wrote."""
    if asked.is_previous and _find_run(stored.data, asked) < 0:
        return f"{asked.container} has had no run before this one."
    if not _has_started(stored.data, asked.container):
        return f"{asked.container} has not started yet."
    return tell_silence(stored.data, list_profiles(cluster), asked.container)


def _status(pod: dict[str, Any], container: str) -> dict[str, Any]:
    status = pod.get("status") or {}
    keys = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    known = (one for key in keys for one in status.get(key) or () if one.get("name") == container)
    return next(known, {})


def _has_started(pod: dict[str, Any], container: str) -> bool:
    status = _status(pod, container)
    return bool(status.get("lastState")) or "waiting" not in (status.get("state") or {"waiting": {}})


def _download(cluster: Cluster, pod: str, asked: Asked, lines: list[Line], is_timed: bool) -> HttpResponse:
    """All that is kept, as `kubectl logs` prints it, with `--timestamps` or without."""
    told = (
        f"{format_micro_time(at_ms, cluster.epoch_ms)} {text}\n" if is_timed else f"{text}\n"
        for at_ms, text in lines
    )
    run = "-previous" if asked.is_previous else ""
    name = f'attachment; filename="{pod}-{asked.container}{run}.log"'
    return HttpResponse(
        "".join(told).encode("utf-8", "replace"),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": name},
    )
