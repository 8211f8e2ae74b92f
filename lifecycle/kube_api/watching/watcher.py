"""One watch: which changes it is told of, in which form, and how far it has come."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lifecycle.kube_api.watching.changes import ADDED, DELETED, MODIFIED, Change
from lifecycle.kube_api.watching.records import Held

log = logging.getLogger(__name__)

Json = dict[str, Any]
MOST_WAITING, MOST_WAITING_BYTES = 10_000, 32 * 2**20
"""A watcher so many events behind, or so much text, is cut: it comes again from the last version told."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects are watched: of a namespace or all (None), and of those what `matches`, or all (None)."""

    namespace: str | None = None
    matches: Callable[[Json], bool] | None = None


@dataclass(frozen=True, slots=True)
class Encoding:
    """How an object goes out. `make(object, is_first)`; equal keys mean equal texts.

    `is_first`: nothing went out before on this watch; only Tables tell their columns then.
    """

    key: tuple[Any, ...]
    make: Callable[[Json, bool], bytes]
    is_stored: bool = False
    """Whether an object goes out exactly as it is recorded."""


@dataclass(eq=False, slots=True)
class Watcher:
    """What waits to be sent. Filled by the feed, emptied by the response; neither waits for the other."""

    selection: Selection
    encoding: Encoding
    waiting: deque[bytes] = field(default_factory=deque)
    waiting_bytes: int = 0
    something: asyncio.Event = field(default_factory=asyncio.Event)
    rv: int = 0
    """Everything up to this version has been told."""
    after: int = 0
    """Changes up to this version are not told: the watcher knows them already."""
    on_cut: Callable[[], None] | None = None
    is_over: bool = False
    reason: Exception | None = None
    has_sent: bool = False

    def take(self, change: Change) -> None:
        """Queue the change's event, if it is one for this watcher."""
        self.rv = change.rv
        event = None if self.is_over or change.rv <= self.after else self._try(change)
        if event is None:
            return
        if len(self.waiting) >= MOST_WAITING or self.waiting_bytes >= MOST_WAITING_BYTES:
            return self._cut()
        self.waiting.append(event)
        self.waiting_bytes += len(event)
        self.something.set()

    def take_part(self, most_bytes: int) -> bytes:
        """Some of what waits, as one piece."""
        parts, size = [], 0
        while self.waiting and size < most_bytes:
            parts.append(self.waiting.popleft())
            size += len(parts[-1])
        self.waiting_bytes -= size
        return b"".join(parts)

    def _try(self, change: Change) -> bytes | None:
        try:
            return self.render(change)
        except Exception as problem:
            # What cannot be shown to this watcher is no reason to keep it from the others.
            log.exception("change not shown", extra={"version": change.rv})
            self.end(problem)
            return None

    def _cut(self) -> None:
        self.waiting.clear()
        self.waiting_bytes = 0
        self.end(None)
        if self.on_cut is not None:
            self.on_cut()

    def advance(self, rv: int) -> None:
        """Everything up to a version has been told."""
        self.rv = max(self.rv, rv)

    def end(self, reason: Exception | None) -> None:
        """Nothing more comes; `reason` is told as an ERROR event."""
        self.is_over = True
        self.reason = self.reason or reason
        self.something.set()

    def render(self, change: Change) -> bytes | None:
        """The event of a change as a line of text; None when it is none of this watcher's.

        An object that enters the selection is ADDED, one that leaves it is DELETED, as it was before.
        """
        namespace = self.selection.namespace
        if namespace is not None and change.namespace != namespace:
            return None
        type = change.type
        is_old = False
        if self.selection.matches is not None:
            old = change.old_object
            had = old is not None and self.selection.matches(old)
            has = change.type != DELETED and self.selection.matches(change.object)
            if not (had or has):
                return None
            type = MODIFIED if had and has else ADDED if has else DELETED
            is_old = type == DELETED and change.type != DELETED
        is_first, self.has_sent = not self.has_sent, True
        key = (type, is_old, is_first and not self.encoding.is_stored, *self.encoding.key)
        return change.encode(key, lambda: self._encode(change, type, is_old, is_first))

    def _encode(self, change: Change, type: str, is_old: bool, is_first: bool) -> bytes:
        if self.encoding.is_stored and not is_old:
            return make_event(type, change.new)
        found = change.old_object if is_old else change.object
        assert found is not None, change.name
        return make_event(type, self.encoding.make(found, is_first))

    def render_held(self, held: Held, parsed: Json | None) -> bytes:
        """The event that tells of an object that is there already."""
        is_first, self.has_sent = not self.has_sent, True
        if parsed is None:
            return make_event(ADDED, held.text)
        return make_event(ADDED, self.encoding.make(parsed, is_first))


def make_event(type: str, text: bytes) -> bytes:
    """A line of a watch's stream."""
    return b'{"type":"' + type.encode() + b'","object":' + text.rstrip(b"\n") + b"}\n"
