"""`manage.py export CLUSTER --what transitions|events|objects|scenario`: a cluster's history, on stdout."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lifecycle.management.finding import find_cluster, find_user
from lifecycle.models import Cluster, StoredObject
from lifecycle.reads import virtual_now_ms
from lifecycle.recorded.perfetto import write_trace
from lifecycle.runs.retelling import retell
from lifecycle.sources import EVENTS, OBJECTS, TRANSITIONS, Cursor
from lifecycle.writers import WRITERS, Pages

ROWS = {"transitions": TRANSITIONS, "events": EVENTS}
SCENARIO, OBJECTS_NOW, YAML, PERFETTO = "scenario", "objects", "yaml", "perfetto"


class Command(BaseCommand):
    """Rows are written page by page, so that a long history needs no more memory than a short one."""

    help = "Writes the history of a cluster, its objects as they are now, or its story as a Scenario"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", help="the cluster's name, or in full with its owner's: demo@alice")
        parser.add_argument(
            "--what",
            choices=(*ROWS, OBJECTS_NOW, SCENARIO),
            default="transitions",
            help="default transitions",
        )
        parser.add_argument(
            "--format",
            choices=(*WRITERS, YAML, PERFETTO),
            help="default: yaml for a scenario, else ndjson; perfetto: the run as Chrome's trace events",
        )
        parser.add_argument("--user", help="who names the cluster, where several have one of that name")

    def handle(self, *args: Any, **options: Any) -> None:
        cluster = find_cluster(options["cluster"], find_user(options["user"]))
        what = options["what"]
        wanted = options["format"] or (YAML if what == SCENARIO else "ndjson")
        if wanted == PERFETTO:
            if what != "transitions":
                raise CommandError("--format perfetto: it is of the whole run; leave --what out")
            for chunk in write_trace(cluster, virtual_now_ms(cluster)):
                self.stdout.write(chunk.decode(), ending="")
            return
        if (what == SCENARIO) != (wanted == YAML):
            raise CommandError(f"--format {wanted}: a scenario is yaml, all else is {', '.join(WRITERS)}")
        if what == SCENARIO:
            self.stdout.write(retell(cluster), ending="")
            return
        for chunk in _write(cluster, what, wanted):
            self.stdout.write(chunk.decode(), ending="")


def _write(cluster: Cluster, what: str, wanted: str) -> Any:
    """Rows up to what is recorded; a slice that is not committed has rows above it."""
    pages: Pages
    if what == OBJECTS_NOW:
        source, cursor = OBJECTS, Cursor(cluster.rv)
        if wanted == "csv":
            raise CommandError("--format csv: objects do not fit into columns; use ndjson or json")
        pages = source.walk(StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True))
    else:
        source, cursor = ROWS[what], Cursor(cluster.seq)
        rows = source.model._default_manager.filter(cluster=cluster, seq__lte=cluster.seq)
        pages = source.walk(rows, cursor, as_written=wanted != "csv")
    return WRITERS[wanted](pages, source.keys, cursor)
