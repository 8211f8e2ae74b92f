"""`manage.py simulate`: a run without server or database."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from lifecycle.simulation.command_line import HELP, add_options, simulate
from lifecycle.version import TOLD


class Command(BaseCommand):
    """What `podline simulate` is where Django finds its commands."""

    help = HELP
    requires_system_checks: list[str] = []

    def get_version(self) -> str:
        """What `--version` prints."""
        return TOLD

    def add_arguments(self, parser: CommandParser) -> None:
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(simulate(options))
