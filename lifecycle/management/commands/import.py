"""`manage.py import FILE…`: a cluster from manifests and the Scenario among them, as `export` writes them."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from lifecycle.input.problems import ManifestError
from lifecycle.limits import Exceeded
from lifecycle.management.finding import find_first_user, find_user
from lifecycle.runs.inbox import Refused
from lifecycle.runs.plans import begin
from lifecycle.simulation import Plan, make_plan, take_inputs
from lifecycle.simulation.run import BAD_INPUT


class Command(BaseCommand):
    """The cluster begins at once, and plays the Scenario's steps at their instants."""

    help = "Makes a cluster from manifests and a Scenario, such as `export --what scenario` writes"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("inputs", nargs="+", metavar="FILE|FOLDER|-", help="- is standard input")
        parser.add_argument("--name", help="of the new cluster (default: the first file's)")
        parser.add_argument("--user", help="whose it will be (default: who came first of the superusers)")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"] or make_name(options["inputs"][0])
        owner = find_user(options["user"]) or find_first_user()
        plan = self._read(options["inputs"])
        try:
            cluster = begin(plan, name, owner)
        except ValidationError as error:
            raise CommandError("; ".join(error.messages), returncode=BAD_INPUT) from None
        except (Refused, Exceeded) as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
        self.stdout.write(f"The cluster {cluster.name} is made: /clusters/{cluster.name}/")

    def _read(self, inputs: list[str]) -> Plan:
        try:
            plan = make_plan(take_inputs(inputs, sys.stdin.buffer).require_sound())
        except ManifestError as error:
            lines = "\n".join(str(problem) for problem in error.problems)
            raise CommandError(lines, returncode=BAD_INPUT) from None
        for note in plan.notes:
            self.stderr.write(note)
        if plan.expects or plan.sequences:
            self.stderr.write("claims of `expect` are not looked at in a cluster; `simulate` does so")
        return plan


def make_name(path: str) -> str:
    """A name for the cluster by the name of a file: a DNS label."""
    stem = Path(path).stem.lower().replace("_", "-").replace(".", "-").replace(" ", "-").strip("-")
    return stem or "imported"
