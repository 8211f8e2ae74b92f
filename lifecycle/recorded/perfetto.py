"""A run as Chrome's trace events, for Perfetto: a process for each workload, threads for its pods.

A pod's first thread has its states and events, each of its containers another; numbers of replicas count.
(The Trace Event Format of the Chromium project; instants are microseconds since the cluster's beginning.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import merge
from itertools import chain
from operator import itemgetter
from typing import Any

import orjson
from django.db.models import Q

from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, Event, Transition
from lifecycle.simulation.reports.tones import TONES
from lifecycle.sources import EVENTS, TRANSITIONS

STATE, EXISTS = "state", "exists"
COUNTERS = ("replicas", "readyReplicas", "availableReplicas", "active", "succeeded", "failed")
_CHUNK = 500
Json = dict[str, Any]


class _Tracks:
    """Which process and thread each thing is, from 1 on in the order in which they come."""

    def __init__(self) -> None:
        self._processes: dict[str, int] = {}
        self._threads: dict[tuple[int, str], int] = {}

    def find(self, process: str, thread: str = "") -> Iterator[Json]:
        """What names them, the first time; the last is where they are."""
        if process not in self._processes:
            self._processes[process] = len(self._processes) + 1
            yield self._name("process_name", process, self._processes[process], 0)
        pid = self._processes[process]
        if thread and (pid, thread) not in self._threads:
            self._threads[pid, thread] = len(self._threads) + 1
            yield self._name("thread_name", thread, pid, self._threads[pid, thread])
        yield {"pid": pid, "tid": self._threads.get((pid, thread), 0)}

    @staticmethod
    def _name(what: str, name: str, pid: int, tid: int) -> Json:
        return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}


class Trace:
    """Takes the rows of a history in order, and gives the events of its trace as soon as they are whole."""

    def __init__(self) -> None:
        self._tracks = _Tracks()
        self._owners: dict[tuple[str | None, str], str] = {}
        self._open: dict[tuple[str, str], Json] = {}

    def take(self, row: Mapping[str, Any]) -> Iterator[Json]:
        """The events that a row ends, or is."""
        is_pod = kind_id(row["group"], row["kind"]) == POD_KIND.id
        if row["type"] == "event":
            yield from self._tell_event(row, is_pod)
        elif not is_pod:
            yield from self._take_owner(row)
        elif row["field"] == STATE:
            tone = TONES.get(row["new"])
            yield from self._turn(row, row["name"], tone.label if tone else row["new"])
        elif row["field"] == EXISTS and row["new"] == "deleted":
            yield from self._end(row["uid"], row["at_ms"])
        elif row["field"].startswith("container."):
            container = row["field"].removeprefix("container.").removesuffix(".state")
            yield from self._turn(row, f"{row['name']} · {container}", row["new"])

    def finish(self, at_ms: int) -> Iterator[Json]:
        """What is so still, up to now."""
        for key in list(self._open):
            yield self._close(key, at_ms)

    def _take_owner(self, row: Mapping[str, Any]) -> Iterator[Json]:
        kind = kind_id(row["group"], row["kind"])
        if row["field"] == EXISTS and row["owner"]:
            self._owners[row["namespace"], f"{kind}/{row['name']}"] = row["owner"]
        if row["field"] in COUNTERS and not row["owner"]:
            where = yield from self._place(f"{row['namespace'] or ''}/{kind}/{row['name']}")
            number = {row["field"]: row["new"] or 0}
            yield {"ph": "C", "name": row["field"], "ts": row["at_ms"] * 1000, **where, "args": number}

    def _tell_event(self, row: Mapping[str, Any], is_pod: bool) -> Iterator[Json]:
        process, thread = self._process_of(row), row["name"] if is_pod else "events"
        where = yield from self._place(process, thread)
        yield {
            "ph": "i",
            "s": "t",
            "name": row["reason"],
            "cat": f"event,{row['eventType']}",
            "ts": row["at_ms"] * 1000,
            **where,
            "args": {"message": row["message"], "source": row["source"], "count": row["count"]},
        }

    def _turn(self, row: Mapping[str, Any], thread: str, name: str) -> Iterator[Json]:
        """Something is otherwise from now on."""
        key = row["uid"], thread
        if key in self._open:
            yield self._close(key, row["at_ms"])
        where = yield from self._place(self._process_of(row), thread)
        said = {name: row[name] for name in ("reason", "message", "cause") if row[name]}
        self._open[key] = {"ph": "X", "name": name, "ts": row["at_ms"] * 1000, **where, "args": said}

    def _end(self, uid: str, at_ms: int) -> Iterator[Json]:
        for key in [one for one in self._open if one[0] == uid]:
            yield self._close(key, at_ms)

    def _close(self, key: tuple[str, str], at_ms: int) -> Json:
        held = self._open.pop(key)
        return {**held, "dur": max(at_ms * 1000 - held["ts"], 0)}

    def _process_of(self, row: Mapping[str, Any]) -> str:
        """The workload that a pod is of in the end; what nobody owns is a process by itself."""
        kind = kind_id(row["group"], row["kind"])
        # Events do not say whose they are: their pods do.
        owner = row.get("owner") or self._owners.get((row["namespace"], f"{kind}/{row['name']}"))
        if kind == POD_KIND.id and row.get("owner"):
            self._owners[row["namespace"], f"{kind}/{row['name']}"] = row["owner"]
        name, seen = owner or f"{kind}/{row['name']}", set[str]()
        # Owners are what manifests say: they may go round.
        while (above := self._owners.get((row["namespace"], name))) and above not in seen:
            seen.add(above)
            name = above
        return f"{row['namespace'] or ''}/{name}"

    def _place(self, process: str, thread: str = "") -> Any:
        *names, where = self._tracks.find(process.removeprefix("/"), thread)
        yield from names
        return where


def write_trace(cluster: Cluster, now_ms: int) -> Iterator[bytes]:
    """The whole file up to now, in parts."""
    trace = Trace()
    yield b'{"displayTimeUnit":"ms","traceEvents":[\n'
    is_first, waiting = True, list[Json]()
    for event in _list_events(trace, cluster, now_ms):
        waiting.append(event)
        if len(waiting) == _CHUNK:
            yield _write(waiting, is_first)
            is_first, waiting = False, []
    yield (_write(waiting, is_first) if waiting else b"") + b"\n]}\n"


def _write(events: list[Json], is_first: bool) -> bytes:
    return (b"" if is_first else b",\n") + b",\n".join(map(orjson.dumps, events))


def _list_events(trace: Trace, cluster: Cluster, now_ms: int) -> Iterator[Json]:
    for row in _list_rows(cluster):
        yield from trace.take(row)
    yield from trace.finish(now_ms)


def _list_rows(cluster: Cluster) -> Iterable[dict[str, Any]]:
    """Rows that a trace is made of, in order."""
    told = Q(field__in=(STATE, EXISTS, *COUNTERS))
    told |= Q(field__startswith="container.", field__endswith=".state")
    transitions = Transition.objects.filter(told, cluster=cluster, seq__lte=cluster.seq)
    events = Event.objects.filter(cluster=cluster, seq__lte=cluster.seq)
    pages = TRANSITIONS.walk(transitions), EVENTS.walk(events)
    return merge(*map(chain.from_iterable, pages), key=itemgetter("seq"))
