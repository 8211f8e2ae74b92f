"""`podline api`: Kubernetes APIs for tests, as the pytest fixture `podline_api` starts it."""

import sys
import threading
from typing import Any

from lifecycle.management.commands import up
from lifecycle.management.desk import Desk
from lifecycle.management.processes import Child


class Command(up.Command):
    """All that `up` starts, without its demo. It stops when there is nobody left to ask."""

    help = "Serves clusters to a test: a request a line on standard input, answers on standard output."
    has_demo = False

    def _start(
        self, children: list[Child], host: str, port: int, workers: int, stopped: threading.Event
    ) -> str | None:
        url = super()._start(children, host, port, workers, stopped)
        if url:
            desk = Desk(up.USER_NAME, url.partition("/enter/")[0])
            threading.Thread(target=self._serve, args=(desk, stopped), daemon=True).start()
        return url

    def _serve(self, desk: Desk, stopped: threading.Event) -> Any:
        try:
            desk.serve(sys.stdin, sys.stdout)
        finally:
            stopped.set()
