"""What happens in a whole cluster, as it is heard: one watch a kind, told on to whoever listens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tools.differential.client import Client, Json


@dataclass(frozen=True)
class Heard:
    """One change. `at_seconds` is of this machine's steady clock."""

    at_seconds: float
    event: str
    kind: str
    thing: Json


Listener = Callable[[Heard], None]


class Watches:
    """Listeners hear of all kinds, in the order in which each kind's changes came."""

    def __init__(self, client: Client, kinds: Iterable[str]) -> None:
        self._client = client
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()
        self.breaks: list[str] = []
        for kind in kinds:
            threading.Thread(target=self._follow, args=(kind,), daemon=True).start()

    def add(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.append(listener)

    def remove(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.remove(listener)

    def _follow(self, kind: str) -> None:
        things, version = self._client.list(kind)
        for thing in things:
            self._tell(kind, "ADDED", thing)
        try:
            for row in self._client.watch(kind, version):
                if row["type"] == "ERROR":
                    break
                self._tell(kind, row["type"], row["object"])
        except OSError as problem:
            self.breaks.append(f"{kind}: {problem}")
            return
        self.breaks.append(f"{kind}: the server ended the watch")

    def _tell(self, kind: str, event: str, thing: Json) -> None:
        heard = Heard(time.monotonic(), event, kind, {"kind": kind, **thing})
        with self._lock:
            listeners = [*self._listeners]
        for listener in listeners:
            listener(heard)
