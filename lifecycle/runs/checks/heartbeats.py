"""Who is at something for long says now and then that it lives: else the work is given to another."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.db import Error, connection

log = logging.getLogger(__name__)

BEAT_SECONDS = 15.0


class Heartbeat:
    """Calls `beat` in a thread of its own while a block lasts. It ends with its process."""

    def __init__(self, beat: Callable[[], object]) -> None:
        self._beat = beat
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            try:
                self._beat()
            except Error as problem:
                log.warning("no heartbeat: %s", problem)
            finally:
                connection.close()
