#!/usr/bin/env python
"""Podline's command line: `manage.py up`, `simulate`, `bench` and Django's own commands."""

import os
import sys


def data_option(arguments: list[str]) -> str | None:
    """The folder of `up --data DIR` or `--data=DIR`: settings read it before any option is parsed."""
    if not {*arguments[1:2]} & {"up", "api"}:
        return None
    for index, argument in enumerate(arguments):
        if argument == "--data" and index + 1 < len(arguments):
            return arguments[index + 1]
        if argument.startswith("--data="):
            return argument.removeprefix("--data=")
    return None


def main() -> int:
    """Run one command; a setting that is wrong is one clear line, not a traceback."""
    if sys.argv[1:2] == ["simulate"]:
        # A run needs no server and no database, so nothing is loaded for them: that is half of a short run.
        from lifecycle.simulation.command_line import main as simulate

        return simulate(sys.argv[2:], "manage.py simulate")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    folder = data_option(sys.argv)
    if folder:
        os.environ["PODLINE_DATA"] = folder
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
