"""All of Podline in one process, for browsers: `python -m tests.browser.one_process --data DIR --port N`.

The ASGI application, its settings, the database, the recorder and the engine's turns are those of
`manage.py up`. Left out is what makes them several processes: Redis, Celery, the ticker. What processes tell
each other goes from thread to thread here, and one thread takes all turns.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import queue
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from channels.layers import InMemoryChannelLayer

IDLE_SECONDS = 0.1
ONLY_SHARD = 0


class Threads:
    """A `messages.Carrier` between the threads of this process."""

    def __init__(self) -> None:
        self.nudged = threading.Event()
        self.announced: set[str] = set()
        self.something = threading.Condition()
        self.checks: queue.SimpleQueue[tuple[str, int | None]] = queue.SimpleQueue()
        self.comparisons: queue.SimpleQueue[str] = queue.SimpleQueue()

    def nudge(self, shard: int) -> bool:
        self.nudged.set()
        return True

    def ask_for_check(self, check: str, firsts: Sequence[int | None]) -> bool:
        for first in firsts:
            self.checks.put((check, first))
        return True

    def ask_for_comparison(self, comparison: str) -> bool:
        self.comparisons.put(comparison)
        return True

    def announce_results(self, ids: list[str]) -> None:
        with self.something:
            self.announced.update(ids)
            self.something.notify_all()

    def wait_for_announcement(self, one: str, seconds: float) -> bool:
        with self.something:
            return self.something.wait_for(lambda: one in self.announced, seconds)

    def frame_pace(self) -> float:
        return 0.0

    def find_problem(self) -> str:
        return ""


class LayerOfThreads(InMemoryChannelLayer):
    """Frames come from the publisher's event loop; who receives them lives in the web server's."""

    loop: asyncio.AbstractEventLoop | None = None

    async def receive(self, channel: str) -> Any:
        self.loop = asyncio.get_running_loop()
        return await super().receive(channel)

    async def group_send(self, group: str, message: Any) -> None:
        sending = super().group_send(group, message)
        if self.loop in (None, asyncio.get_running_loop()):
            await sending
        else:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(sending, self.loop))


def turn_for_ever(carrier: Threads) -> None:
    """The one worker: a turn of all clusters that are due, then a look when nudged, or soon."""
    from lifecycle.runs import runner
    from lifecycle.runs.sharing import shards, turns

    owner = runner.this_process()
    shards.Steward(owner.name, lambda: len(owner.hot)).start()
    while True:
        carrier.nudged.clear()
        if not turns.turn_of_shard(owner, ONLY_SHARD):
            carrier.nudged.wait(IDLE_SECONDS)


def check_for_ever(carrier: Threads) -> None:
    """The one worker of checks."""
    from lifecycle.runs.checks import work

    while True:
        work.work_on(*carrier.checks.get())


def compare_for_ever(carrier: Threads) -> None:
    """The one worker of comparisons."""
    from lifecycle.runs.comparisons import work

    while True:
        work.work_on(carrier.comparisons.get())


def prepare(data: Path) -> str:
    """Settings, a database, and one who may come in: her one-time token."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
        "PODLINE_DATA": str(data),
        "PODLINE_SHARDS": "1",
        # There is none, and what asks for it nevertheless is told so at once.
        "REDIS_URL": f"unix://{data}/no-redis",
        "OPEN_TO_ALL": "metrics,schema",
    }
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from lifecycle.management.commands.up import make_way_in
    from lifecycle.runs.sharing import shards

    settings.CHANNEL_LAYERS = {"default": {"BACKEND": f"{__name__}.LayerOfThreads"}}
    call_command("migrate", verbosity=0, interactive=False)
    shards.make_shards()
    return make_way_in()[1]


def serve(port: int, token: str) -> None:
    """Until SIGTERM."""
    import uvicorn
    from django.db import connections

    from lifecycle.management.commands.web import SWITCH_SECONDS, make_config
    from lifecycle.runs import messages

    carrier = Threads()
    messages.carry_by(carrier)
    connections.close_all()
    threading.Thread(target=turn_for_ever, args=[carrier], name="engine", daemon=True).start()
    threading.Thread(target=check_for_ever, args=[carrier], name="checks", daemon=True).start()
    threading.Thread(target=compare_for_ever, args=[carrier], name="comparisons", daemon=True).start()

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            print(f"Podline is ready: http://127.0.0.1:{port}/enter/{token}/", flush=True)

    sys.setswitchinterval(SWITCH_SECONDS)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    Server(make_config("127.0.0.1", port)).run()


def main() -> None:
    """Begin, say where, and serve."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    token = prepare(options.data)
    serve(options.port, token)


if __name__ == "__main__":
    # Channels imports its layer by name: there is to be one of this module.
    from tests.browser import one_process

    one_process.main()
