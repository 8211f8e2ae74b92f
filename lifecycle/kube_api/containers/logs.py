"""A container's log as `kubectl logs` gets it: of one run, in virtual time, at once or as it is written."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from lifecycle.engine.rules.reasons import find_meaning
from lifecycle.kube_api.containers import choice
from lifecycle.kube_api.containers.log_options import LogOptions
from lifecycle.kube_api.status import bad_request
from lifecycle.kube_api.watching.feed import feed_of
from lifecycle.kube_api.watching.stream import release_thread
from lifecycle.models import Cluster, StoredObject
from lifecycle.runs import container_logs
from lifecycle.runs.container_logs import Position
from lifecycle.threads import reading as in_thread

LOOK_SECONDS = 2.0
TEXT = "text/plain"
Json = dict[str, Any]
Line = tuple[int, str]
"""The instant it was written at, and its text without the line's end."""


@dataclass(slots=True)
class Log:
    """One run of one container, and what is wanted of its log. Made off the event loop, by `find`."""

    cluster: Cluster
    uid: str
    container: str
    attempt: int
    options: LogOptions
    right: Callable[[], bool]

    async def respond(self) -> HttpResponseBase:
        """The log as it is, or, when it is followed, as it grows."""
        if not self.options.follow:
            return HttpResponse(await in_thread(self._read_whole)(), content_type=TEXT)
        return StreamingHttpResponse(self.follow(), content_type=TEXT)

    def _read_whole(self) -> bytes:
        lines, _ = self.read(Position())
        return self._cut(b"".join(self._show(self._choose(lines))))

    def read(self, position: Position) -> tuple[list[Line], Position]:
        """The lines written since a position, and where the next ones begin."""
        return container_logs.read_since(self.cluster, (self.uid, self.container, self.attempt), position)

    def _choose(self, lines: list[Line]) -> list[Line]:
        since_ms, tail = self.options.since_ms, self.options.tail_lines
        if tail is not None:
            lines = lines[-tail:] if tail else []
        return lines if since_ms is None else [line for line in lines if line[0] >= since_ms]

    def _show(self, lines: Iterable[Line]) -> Iterator[bytes]:
        epoch_ms = self.cluster.epoch_ms
        for at_ms, text in lines:
            start = f"{_moment(epoch_ms + at_ms)} " if self.options.timestamps else ""
            yield f"{start}{text}\n".encode("utf-8", "replace")

    def _cut(self, text: bytes) -> bytes:
        return text if self.options.limit_bytes is None else text[: self.options.limit_bytes]

    async def follow(self, begin: Position | None = None) -> AsyncIterator[bytes]:
        """Line after line, until the run is over, the pod is gone, or enough was said.

        `begin`: all from there on, whatever the options say of what was there before.
        """
        await release_thread()
        feed = feed_of(self.cluster)
        left, position, is_first = self.options.limit_bytes, begin or Position(), begin is None
        with feed.pulse() as pulse:
            while True:
                is_over, lines, position = await in_thread(self._look)(position)
                text = b"".join(self._show(self._choose(lines) if is_first else lines))
                is_first = False
                if left is not None:
                    text, left = text[:left], left - len(text)
                if text:
                    yield text
                if is_over or (left is not None and left <= 0):
                    return
                await _wait(pulse)

    async def wait_until_over(self) -> None:
        """Until the run is over, or the pod is gone. Whether somebody may still look is not asked."""
        with feed_of(self.cluster).pulse() as pulse:
            while await in_thread(self._is_running)():
                await _wait(pulse)

    def _look(self, position: Position) -> tuple[bool, list[Line], Position]:
        # First the state: what a run has written is there when its end is.
        is_over = not (self.right() and self._is_running())
        return is_over, *self.read(position)

    def _is_running(self) -> bool:
        pod = StoredObject.objects.filter(cluster=self.cluster, uid=self.uid, deleted_ms=None).first()
        status = choice.find_status(pod, self.container) if pod is not None else None
        return status is not None and _current(status) == (self.attempt, True)


async def _wait(pulse: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(pulse.wait(), LOOK_SECONDS)
    pulse.clear()


def find(cluster: Cluster, pod: StoredObject, options: LogOptions, right: Callable[[], bool]) -> Log | None:
    """The log that is asked for; None of a pod that has no node yet. Raises Refusal."""
    container = choice.choose_container(pod, options.container)
    if not pod.data["spec"].get("nodeName"):
        return None
    choice.require_node(cluster, pod, f"containerLogs/{pod.namespace}/{pod.name}/{container}")
    attempt = _choose_run(pod, container, options.previous)
    return Log(cluster, pod.uid, container, attempt, options, right)


def _choose_run(pod: StoredObject, container: str, is_previous: bool) -> int:
    """Which run's log it is. Raises Refusal (400), in the kubelet's words, when there is none."""
    status = choice.find_status(pod, container)
    named = f'container "{container}" in pod "{pod.name}"'
    if status is None:
        raise bad_request(f"{named} is not available")
    attempt, _ = _current(status)
    has_last = bool((status.get("lastState") or {}).get("terminated"))
    waiting = (status.get("state") or {}).get("waiting")
    if is_previous:
        if not has_last:
            raise bad_request(f"previous terminated {named} not found")
        # While it waits to be started again, the run that ended last is both the last and the previous one.
        return attempt if waiting is not None else attempt - 1
    if waiting is not None and not has_last:
        reason = str(waiting.get("reason") or "")
        raise bad_request(f"{named} is waiting to start: {find_meaning(reason).log or reason}")
    return attempt


def _current(status: Json) -> tuple[int, bool]:
    """(the number of the run that runs or ran last, whether it runs)."""
    return int(status.get("restartCount") or 0), "running" in (status.get("state") or {})


def _moment(ms: int) -> str:
    """RFC 3339 with nine digits, as kubelets write it."""
    seconds, rest = divmod(ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03}000000Z"
