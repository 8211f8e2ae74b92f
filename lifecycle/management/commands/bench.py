"""`manage.py bench NAME [--json]`: measure a part of Podline against a limit taken in the same run."""

from argparse import ArgumentParser
from importlib import import_module
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError

from lifecycle import benches
from lifecycle.benches.report import Report

# Options that are no sizes, and what they may be.
WORDS = {"kind": ("Deployment", "StatefulSet")}
# Name -> (options it takes, with their defaults).
BENCHES: dict[str, dict[str, Any]] = {
    "api": {"watchers": 1000, "changes": 50, "seconds": 5},
    "export": {"rows": 1_000_000},
    "batch": {"pods": 10_000, "parallelism": 500, "nodes": 1000, "slots": 8760},
    "check": {"workloads": 10, "pods": 60, "seeds": 1},
    "engine": {"pods": 10_000, "nodes": 1000},
    "crash": {"pods": 10_000, "nodes": 1000},
    "idle": {"pods": 10_000, "nodes": 1000},
    "live": {"clients": 50, "clusters": 1, "changes": 200, "seconds": 30},
    "pages": {"pods": 10_000, "changes": 200, "seconds": 8, "minutes": 1},
    "record": {"pods": 2000, "nodes": 200},
    "safety": {"seconds": 20},
    "schedule": {"pods": 5000, "nodes": 5000},
    "rollout": {"pods": 2000, "nodes": 200, "kind": "Deployment"},
    "start": {"turns": 8},
    "sleep": {"pods": 10_000, "nodes": 1000},
    "recover": {"kills": 50, "pods": 10},
    "workers": {"pods": 100, "restarts": 40},
}


class Command(BaseCommand):
    """Benches are modules of `lifecycle/benches`; each has a `run` that returns a Report."""

    help = "Measures a part of Podline; prints one JSON object with --json, else a few lines."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=sorted(BENCHES))
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        for option in sorted({option for options in BENCHES.values() for option in options}):
            if option in WORDS:
                parser.add_argument(f"--{option}", choices=WORDS[option])
            else:
                parser.add_argument(f"--{option}", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        work = {
            option: options[option] if options[option] is not None else default
            for option, default in BENCHES[name].items()
        }
        if min((size for option, size in work.items() if option not in WORDS), default=1) < 1:
            raise CommandError("sizes start at 1")
        try:
            bench = import_module(f"{benches.__name__}.{name}")
        except ModuleNotFoundError as missing:
            raise CommandError(f"bench {name} needs {missing.name}: it is in requirements-dev.txt") from None
        report = bench.run(**work)
        self.stdout.write(orjson.dumps(report.to_json()).decode() if options["json"] else _as_text(report))


def _as_text(report: Report) -> str:
    answer = report.to_json()
    parts = [("work", answer["work"]), ("figures", answer["figures"])]
    lines = [f"{report.bench}: ratio {report.ratio} of {report.limit_what} ({report.limit_value:,})"]
    if report.row_ratio:
        lines.append(f"  row_ratio: {report.row_ratio}, {1 / report.row_ratio:.1f} steps of the loop a row")
    for name, part in parts:
        lines.append(f"  {name}: " + ", ".join(f"{key} {_number(value)}" for key, value in part.items()))
    lines += [f"  peak memory: {answer['peak_rss_mb']:,} MiB", *report.notes]
    return "\n".join(lines)


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)
