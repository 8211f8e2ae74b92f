"""The log of a container on its pod's page: its newest lines with their times, searched, and as a file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.pages.parts import find_or_404, signed_in
from dashboard.pages.pod.container_runs import ContainerRun, read_runs
from dashboard.plots.theme import clock
from lifecycle.access import get_cluster_or_404
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.times import format_micro_time
from lifecycle.engine.programs.told import tell_silence
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.objects import list_profiles
from lifecycle.runs import container_logs
from lifecycle.runs.container_logs import Position

SHOWN_LINES = 300
"""So many are shown at first, and so many more each time older ones are asked for."""
MOST_LINES = 5_000
LONGEST_QUERY = 200
_KEYS = ("containers", "initContainers", "ephemeralContainers")
ALL, PREVIOUS = "all", "previous"
Line = tuple[int, str]
Section = tuple[str, list[Line]]
"""What stands over lines, and they."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose log, which runs of it, and what of that. `run`: None for the one that runs or ran last."""

    container: str
    run: int | None
    is_previous: bool
    is_all: bool
    query: str
    most: int

    @classmethod
    def of(cls, request: HttpRequest, names: list[str]) -> Asked:
        """From an address; what makes no sense is as if it were not there. No name: the first of `names`."""
        given = request.GET
        container = given.get("container") or next(iter(names), "")
        run = given.get("run", "")
        is_previous = "previous" in given or run == PREVIOUS
        most = _read_number(given.get("lines", "")) or SHOWN_LINES
        query = given.get("find", "").strip()[:LONGEST_QUERY]
        lines = max(SHOWN_LINES, min(most, MOST_LINES))
        return cls(container, _read_number(run), is_previous, run == ALL, query, lines)

    @property
    def file(self) -> str:
        """What the name of a file says of it."""
        if self.is_all:
            return f"-{ALL}-runs"
        if self.run is not None:
            return f"-run-{self.run + 1}"
        return f"-{PREVIOUS}" if self.is_previous else ""


def _read_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


@signed_in
@require_GET
def pod_log(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """What a container wrote, in one of its runs or in all; 204 when the page has `seen` it all."""
    found = get_cluster_or_404(request.user, cluster)
    stored = find_or_404(found, POD_KIND.id, namespace, name)
    asked = Asked.of(request, _list_names(stored.data, "containers"))
    if asked.container and asked.container not in _list_names(stored.data, *_KEYS):
        raise Http404(f"Pod {namespace}/{name} has no container of that name.")
    known = read_runs(found, stored.uid, asked.container)
    if "download" in request.GET:
        sections = _read(found, stored, asked, known)
        return _download(found, name, asked, sections, is_timed="times" in request.GET)
    kept = container_logs.measure(found, stored.uid, asked.container)
    wanted = (
        kept if asked.is_all else {attempt: kept.get(attempt, []) for attempt in (_find_run(stored, asked),)}
    )
    is_silent = not any(size for chunks in wanted.values() for _, size in chunks)
    silence = _tell_silence(found, stored, asked) if is_silent else ""
    told = [(one.attempt, one.told) for one in known]
    mark = _mark(asked, stored.uid, wanted, silence, told)
    if request.GET.get("seen") == mark:
        return HttpResponse(status=204)
    sections = _read(found, stored, asked, known)
    shown, hidden = _choose(sections, asked)
    if any(lines for _, lines in sections) and not shown:
        silence = f"No line contains “{asked.query}”."
    context = {
        "mark": mark,
        "sections": shown,
        "hidden": hidden,
        "more": min(asked.most + SHOWN_LINES, MOST_LINES) if asked.most < MOST_LINES else 0,
        "silence": silence,
        "runs": [(one.attempt, one.attempt + 1, one.told) for one in reversed(known)],
        "count": known[-1].attempt + 1 if known else 0,
        "lost": sum(1 for one in known if one.attempt not in kept) if asked.is_all and kept else 0,
    }
    return render(request, "pod/_log.html", context)


def _read(cluster: Cluster, stored: StoredObject, asked: Asked, known: list[ContainerRun]) -> list[Section]:
    """The lines that are kept, by run; over those of each of several stands which it was."""
    if not asked.is_all:
        run = (stored.uid, asked.container, _find_run(stored, asked))
        return [("", container_logs.read_since(cluster, run, Position())[0])]
    told = {one.attempt: one.told for one in known}
    count = max(told, default=0) + 1
    return [
        (f"Run {attempt + 1} of {count}{f': {told[attempt]}' if attempt in told else ''}", lines)
        for attempt, lines in container_logs.read_all(cluster, stored.uid, asked.container).items()
    ]


def _choose(sections: list[Section], asked: Asked) -> tuple[list[dict[str, Any]], int]:
    """Of all lines that match the last ones, by run, and how many are before them."""
    query, left, hidden = asked.query.lower(), asked.most, 0
    shown: list[dict[str, Any]] = []
    for head, lines in reversed(sections):
        matching = [line for line in lines if query in line[1].lower()]
        chosen = matching[-left:] if left else []
        hidden += len(matching) - len(chosen)
        left -= len(chosen)
        if chosen:
            told = [(clock(at_ms), _split(text, asked.query)) for at_ms, text in chosen]
            shown.insert(0, {"head": head, "lines": told})
    return shown, hidden


def _list_names(pod: dict[str, Any], *keys: str) -> list[str]:
    spec = pod.get("spec") or {}
    return [one["name"] for key in keys for one in spec.get(key) or ()]


def _find_run(stored: StoredObject, asked: Asked) -> int:
    """The number of the run: that which runs or ran last has as many before it as there were restarts."""
    if asked.run is not None:
        return asked.run
    return int(_status(stored.data, asked.container).get("restartCount") or 0) - asked.is_previous


def _mark(*told: object) -> str:
    """Tells what is shown from what would be: a log only grows at its end, and is cut at its beginning."""
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
    if asked.is_previous and _find_run(stored, asked) < 0:
        return f"{asked.container} has had no run before this one."
    if asked.run is not None and asked.run < int(
        _status(stored.data, asked.container).get("restartCount") or 0
    ):
        return (
            f"Of this run of {asked.container} nothing is kept: it wrote nothing, or too much came after it."
        )
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


def _download(
    cluster: Cluster, pod: str, asked: Asked, sections: list[Section], is_timed: bool
) -> HttpResponse:
    """All that is kept, as `kubectl logs` prints it, with `--timestamps` or without; runs apart."""
    told: list[str] = []
    for head, lines in sections:
        told += [f"--- {head} ---\n"] * bool(head)
        told += (
            f"{format_micro_time(at_ms, cluster.epoch_ms)} {text}\n" if is_timed else f"{text}\n"
            for at_ms, text in lines
        )
    name = f'attachment; filename="{pod}-{asked.container}{asked.file}.log"'
    return HttpResponse(
        "".join(told).encode("utf-8", "replace"),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": name},
    )
