"""What all workers have in common: how they wait for the broker."""

import time
from typing import Any

from celery.worker import consumer, state

from lifecycle.runs.celery import broker

AWAY_SECONDS = 0.2


class Consumer(consumer.Consumer):  # type: ignore[misc]
    """Celery's would look for a broker that is away after 2 s, then 4, then 6: this one looks often."""

    def ensure_connected(self, conn: Any) -> Any:
        while broker.find_problem():
            state.maybe_shutdown()
            time.sleep(AWAY_SECONDS)
        return super().ensure_connected(conn)
