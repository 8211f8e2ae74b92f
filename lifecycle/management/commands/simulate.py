"""`manage.py simulate`: a run without server or database."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from lifecycle.engine import Changes
from lifecycle.engine.releases.known import DEFAULT_RELEASE, find_release, list_releases
from lifecycle.engine.rules.validation.words.names import check_label
from lifecycle.input.chart_hooks import PHASES
from lifecycle.input.problems import ManifestError
from lifecycle.input.scenario import is_scenario, read_epoch_ms, read_until
from lifecycle.management.version import TOLD
from lifecycle.simulation import Outcome, Overrides, Plan, make_plan, run, take_inputs
from lifecycle.simulation.logs import LogFolder
from lifecycle.simulation.run import BAD_INPUT, EXIT_STATUSES, FAILED, Sink
from lifecycle.simulation.summaries import SummarySink, describe_assumed
from lifecycle.simulation.traces import NdjsonSink, TableSink

OUTPUTS = ("ndjson", "table", "summary")


class Command(BaseCommand):
    """The exit status is one of `EXIT_STATUSES`."""

    help = (
        "Run Kubernetes manifests in virtual time and write the trace to standard output. Exit status: "
        + "; ".join(f"{status} {what}" for status, what in EXIT_STATUSES.items())
    )
    requires_system_checks: list[str] = []

    def get_version(self) -> str:
        """What `--version` prints."""
        return TOLD

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "inputs", nargs="+", metavar="FILE|FOLDER|-", help="manifests; - is standard input"
        )
        parser.add_argument("--nodes", type=_count, metavar="N", help="nodes of 4 CPU and 8 GiB (default 3)")
        parser.add_argument(
            "-n",
            "--namespace",
            type=_namespace,
            metavar="NAME",
            help="where objects without a namespace go, as with helm install; others go where they say",
        )
        parser.add_argument(
            "--hooks",
            choices=PHASES,
            default="install",
            help="which hooks of a rendered chart run (default install); others are left out and named",
        )
        parser.add_argument(
            "--then",
            metavar="FILE|FOLDER",
            help="a later rendering: what is there is upgraded to it as helm upgrade does, once all is well",
        )
        parser.add_argument("--seed", type=int, metavar="S", help="what chance is drawn from (default 1)")
        parser.add_argument("--epoch", type=_epoch, metavar="TIME", help="UTC time of instant 0, RFC 3339")
        parser.add_argument(
            "--kubernetes",
            type=_release,
            metavar="RELEASE",
            help=f"the release to model: {list_releases()} (default {DEFAULT_RELEASE.name})",
        )
        parser.add_argument(
            "--timing", choices=("realistic", "instant"), help="latencies (default realistic)"
        )
        parser.add_argument(
            "--until",
            type=_until,
            action="append",
            metavar="WHEN",
            help="10m, idle, ready (all that was given is well, within an hour) or"
            ' "deployment/web Available"; several must hold together (default idle)',
        )
        parser.add_argument("--output", choices=OUTPUTS, help="default: table on a terminal, else ndjson")
        parser.add_argument(
            "--strict", action="store_true", help="run nothing of a folder that has something wrong in it"
        )
        parser.add_argument("--logs", type=Path, metavar="DIR", help="write the containers' logs here")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            reading = take_inputs(
                options["inputs"], sys.stdin.buffer, options["namespace"] or "", options["hooks"]
            )
            for line in reading.report.list_notes():
                self._say(line)
            lenient = frozenset[str]() if options["strict"] else reading.lenient
            plan = make_plan(reading.documents, _read_overrides(options), reading.report.refused, lenient)
            if options["then"]:
                plan = replace(plan, then=_read_upgrade(options))
        except ManifestError as error:
            for problem in error.problems:
                self._say(str(problem))
            sys.exit(BAD_INPUT)
        for line in (*map(str, plan.refused), *_tell_left_out(plan), *plan.list_notes()):
            self._say(line)
        try:
            outcome = self._run(plan, options)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader has seen enough (`| head`); nothing more can be written, not even at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        for line in (*outcome.refusals, *outcome.failures):
            self._say(line)
        for line in () if options["output"] == "summary" else outcome.upgrade:
            self._say(line)
        if outcome.endless:
            self._say(outcome.endless)
        for text in outcome.not_reached:
            self._say(f"not reached: {text}")
        sys.exit(FAILED if plan.refused else outcome.exit_status)

    def _run(self, plan: Plan, options: dict[str, Any]) -> Outcome:
        write = sys.stdout.buffer.write
        output = options["output"] or ("table" if sys.stdout.isatty() else "ndjson")
        logs = LogFolder(options["logs"], plan.epoch_ms) if options["logs"] else None
        summary = SummarySink(write, plan) if output == "summary" else None
        # A summary names them itself, before all else.
        for line in () if summary else plan.missing:
            self._say(f"missing: {line}")
        rows = None if summary else (TableSink if output == "table" else NdjsonSink)(write)
        sinks: list[Sink] = [sink for sink in (summary, rows, logs) if sink is not None]
        try:
            outcome, cluster = run(plan, _Tee(sinks))
        finally:
            if logs:
                logs.close()
        if summary:
            summary.finish(outcome, cluster)
        if rows:
            rows.finish(outcome)
            for line in describe_assumed(cluster):
                self._say(line)
        return outcome

    def _say(self, line: str) -> None:
        self.stderr.write(line)


class _Tee:
    """Hands the same changes to several sinks."""

    def __init__(self, sinks: list[Sink]) -> None:
        self._sinks = sinks

    def take(self, changes: Changes) -> None:
        for sink in self._sinks:
            sink.take(changes)


def _read_upgrade(options: dict[str, Any]) -> Plan:
    """The rendering that all is upgraded to: all of it or nothing."""
    reading = take_inputs([options["then"]], sys.stdin.buffer, options["namespace"] or "", "upgrade")
    if found := next(filter(is_scenario, reading.documents), None):
        remedy = "put it beside the first rendering: its instants are those of the whole run"
        raise ManifestError([found.problem(("kind",), "a Scenario in what is upgraded to", remedy)])
    overrides = replace(_read_overrides(options), hooks="upgrade")
    return make_plan(reading.documents, overrides, reading.report.refused)


def _tell_left_out(plan: Plan) -> list[str]:
    """What was done with what is wrong in a folder."""
    places = {(problem.source, problem.document, problem.subject) for problem in plan.refused}
    left = f"{len(places)} object{' or file is' if len(places) == 1 else 's or files are'} refused"
    return [f"{left}; the run goes on without, or not at all with --strict"] if places else []


def _read_overrides(options: dict[str, Any]) -> Overrides:
    return Overrides(
        nodes=options["nodes"],
        seed=options["seed"],
        epoch_ms=options["epoch"],
        timing=options["timing"],
        kubernetes=options["kubernetes"],
        hooks=options["hooks"],
        untils=tuple(until.within(options["namespace"] or "") for until in options["until"] or ()),
    )


def _argument(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Errors in the words of `read` instead of argparse's."""

    def convert(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return convert


def _read_count(text: str) -> int:
    count = int(text) if text.isdigit() else 0
    if count < 1:
        raise ValueError(f"{text} is no number of nodes: give 1 or more")
    return count


def _read_time(text: str) -> int:
    try:
        return read_epoch_ms(text)
    except ValueError:
        raise ValueError(f"{text} is no time: write 2026-01-01T00:00:00Z") from None


def _read_namespace(text: str) -> str:
    problems = check_label(text)
    if problems:
        raise ValueError(f"{text or 'nothing'} is no name of a namespace: {problems[0]}")
    return text


def _read_release(text: str) -> str:
    return find_release(text).name


_count, _epoch, _namespace, _release, _until = map(
    _argument, (_read_count, _read_time, _read_namespace, _read_release, read_until)
)
