#!/usr/bin/env python
"""Podline's command line: `manage.py up`, `simulate`, `bench` and Django's own commands."""

import os
import sys


def main() -> int:
    """Run one command; a setting that is wrong is one clear line, not a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
