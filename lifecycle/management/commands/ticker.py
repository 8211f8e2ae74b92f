"""`manage.py ticker`: nudge shards whose clusters are due. `up` runs one; other deployments run it too."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from lifecycle.runs.celery import ticker


class Command(BaseCommand):
    """Tick until SIGTERM or Ctrl-C."""

    help = "Wakes clusters at their time; one a deployment is enough, more do no harm."

    def handle(self, *args: Any, **options: Any) -> None:
        stopped = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stopped.set())
        ticker.run(stopped)
