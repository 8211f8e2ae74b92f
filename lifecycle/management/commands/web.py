"""`manage.py web`: the web server that `up` starts, HTTP and TLS on one port."""

import sys
from argparse import ArgumentParser
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand

from lifecycle.management.both_ways import BothWays
from lifecycle.management.prompt_requests import PromptRequests

SWITCH_SECONDS = 0.001


class Command(BaseCommand):
    """Serve until SIGTERM or Ctrl-C."""

    help = "Serves the pages and the APIs, over HTTP and TLS on one port."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default 8000)")
        parser.add_argument("--certificate", required=True, help="PEM file with a certificate and its key")

    def handle(self, *args: Any, **options: Any) -> None:
        # Who waits for a socket goes on soon, whatever other threads work out.
        sys.setswitchinterval(SWITCH_SECONDS)
        BothWays(make_config(options["host"], options["port"]), options["certificate"]).run()


def make_config(host: str, port: int) -> uvicorn.Config:
    """How uvicorn is to serve."""
    return uvicorn.Config(
        "dashboard.asgi:application",
        host=host,
        port=port,
        http=PromptRequests,
        log_level="warning",
        server_header=False,
        # What a proxy on this machine says of its clients is believed where one is said to be.
        proxy_headers=settings.SESSION_COOKIE_SECURE,
        timeout_graceful_shutdown=3,
        ws="websockets-sansio",
        # Frames are small and many: compressing each costs more than it saves on one machine.
        ws_per_message_deflate=False,
        ws_max_size=65536,
    )
