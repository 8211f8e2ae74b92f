"""`podline simulate` and `manage.py simulate`: a run without server or database, and without Django."""

from __future__ import annotations

import argparse
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lifecycle.engine import Cluster
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.objects.names import MEASURED
from lifecycle.engine.releases.known import DEFAULT_RELEASE, find_release, list_releases
from lifecycle.engine.rules.validation.words.names import check_label
from lifecycle.input.chart_hooks import PHASES
from lifecycle.input.problems import ManifestError
from lifecycle.input.reading import Reading
from lifecycle.input.renderers import Values
from lifecycle.input.scenario import is_scenario, read_epoch_ms, read_until
from lifecycle.lean_dataclasses import replace
from lifecycle.simulation import Outcome, Overrides, Plan, make_plan, run, take_inputs
from lifecycle.simulation.assumed import describe_assumed
from lifecycle.simulation.reports import REPORTS
from lifecycle.simulation.run import BAD_INPUT, DONE_AS_ASKED, EXIT_STATUSES, Sink, Tee
from lifecycle.simulation.traces import NdjsonSink, TableSink
from lifecycle.simulation.unknown_images import FLAG, START, WAYS
from lifecycle.version import TOLD

if TYPE_CHECKING:
    from lifecycle.simulation.logs import LogFolder
    from lifecycle.simulation.reports.sink import ReportSink
    from lifecycle.simulation.summaries import SummarySink

USAGE_WIDTH = 78
NOT_SET: Mapping[str, bool] = MappingProxyType({})
OUTPUTS = ("ndjson", "table", "summary", *REPORTS)


HELP = (
    "Run Kubernetes manifests in virtual time and write the trace to standard output. Exit status: "
    + "; ".join(f"{status} {what}" for status, what in EXIT_STATUSES.items())
)


def main(arguments: Sequence[str], program: str = "podline simulate") -> int:
    """Run one command line; the exit status is one of `EXIT_STATUSES`."""
    # Its words stay English: to look for others it loads the tables of all locales, at each word anew.
    vars(argparse)["_"] = str
    # Each option makes a formatter, which looks for the terminal's width where it is told none.
    asks_for_help = not {"-h", "--help"}.isdisjoint(arguments)
    formatter = HelpFormatter if asks_for_help else partial(HelpFormatter, width=USAGE_WIDTH)
    parser = ArgumentParser(program, description=HELP, allow_abbrev=True, formatter_class=formatter)
    parser.add_argument("--version", action="version", version=TOLD)
    add_options(parser)
    return simulate(vars(parser.parse_args(arguments)))


def add_options(parser: ArgumentParser) -> None:
    """What the command takes."""
    _add_inputs(parser)
    add_circumstances(parser)
    parser.add_argument(
        "--until",
        type=_until,
        action="append",
        metavar="WHEN",
        help="10m, idle, ready (all that was given is well, within an hour) or"
        ' "deployment/web Available"; several must hold together (default idle)',
    )
    parser.add_argument("-o", "--output", choices=OUTPUTS, help="default: table on a terminal, else ndjson")
    parser.add_argument(
        "--strict", action="store_true", help="run nothing of a folder that has something wrong in it"
    )
    parser.add_argument("--logs", type=Path, metavar="DIR", help="write the containers' logs here")


def _add_inputs(parser: ArgumentParser) -> None:
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="FILE|FOLDER|CHART|-",
        help="manifests, or a chart, which your own helm renders; - is standard input",
    )
    add_rendering(parser)
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
        metavar="FILE|FOLDER|CHART",
        help="a later rendering: what is there is upgraded to it as helm upgrade does, once all is well",
    )


def add_rendering(parser: ArgumentParser) -> None:
    """What charts and kustomizations are rendered with."""
    parser.add_argument(
        "-f", "--values", action="append", default=[], metavar="FILE", help="values for the chart"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="one value for the chart"
    )
    parser.add_argument(
        "-k",
        "--kustomize",
        action="append",
        default=[],
        metavar="FOLDER",
        help="a kustomization, which your own kustomize or kubectl renders",
    )


def add_circumstances(parser: ArgumentParser) -> None:
    """What the world is like."""
    parser.add_argument("--nodes", type=_count, metavar="N", help="nodes of 4 CPU and 8 GiB (default 3)")
    parser.add_argument("--seed", type=int, metavar="S", help="what chance is drawn from (default 1)")
    parser.add_argument("--epoch", type=_epoch, metavar="TIME", help="UTC time of instant 0, RFC 3339")
    parser.add_argument(
        "--kubernetes",
        type=_release,
        metavar="RELEASE[,RELEASE]",
        help=f"the release to model: {list_releases()} (default {DEFAULT_RELEASE.name}); of several only what"
        " comes out otherwise is told, with the change behind it",
    )
    parser.add_argument("--timing", choices=("realistic", "instant"), help="latencies (default realistic)")
    parser.add_argument(
        FLAG,
        choices=WAYS,
        default=START,
        help="images that nobody knows start and answer (default), cannot be pulled (fail), or are the"
        " well-known ones that have nearly their names (meant)",
    )


def simulate(options: Mapping[str, Any]) -> int:
    """Read, run and write, by the options of `add_options`; the exit status."""
    try:
        if is_of_several(options):
            from lifecycle.simulation.releases.command import simulate_all

            return simulate_all(options, read_inputs, make_plan_of)
        reading = read_inputs(options)
        for line in reading.report.list_notes():
            _say(line)
        plan = make_plan_of(reading, options)
    except ManifestError as error:
        for problem in error.problems:
            _say(str(problem))
        if options["output"] in REPORTS:
            from lifecycle.simulation.reports.sink import write_refusal

            sys.stdout.write(write_refusal(options["output"], BAD_INPUT, error.problems))
        return BAD_INPUT
    for line in (*map(str, plan.refused), *_tell_left_out(plan), *plan.list_notes()):
        _say(line)
    try:
        outcome = _run(plan, reading, options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough (`| head`); nothing more can be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE_AS_ASKED
    for line in (*outcome.refusals, *outcome.failures):
        _say(line)
    for line in () if options["output"] == "summary" else outcome.upgrade:
        _say(line)
    if outcome.endless:
        _say(outcome.endless)
    for text in outcome.not_reached:
        _say(f"not reached: {text}")
    return outcome.exit_status


def is_of_several(options: Mapping[str, Any]) -> bool:
    """Whether several releases are asked for: what comes out otherwise is wanted, and no run."""
    return "," in (options["kubernetes"] or "")


def make_plan_of(
    reading: Reading,
    options: Mapping[str, Any],
    gates: Mapping[str, bool] = NOT_SET,
    switches: Mapping[str, bool] = NOT_SET,
) -> Plan:
    """What was read as a plan, with what it is upgraded to. Raises ManifestError."""
    lenient = frozenset[str]() if options["strict"] else reading.lenient
    overrides = replace(read_overrides(options), gates=gates, switches=switches)
    plan = make_plan(reading.documents, overrides, reading.report.refused, lenient)
    return replace(plan, then=_read_upgrade(options)) if options["then"] else plan


def read_inputs(options: Mapping[str, Any], standard_input: bytes | None = None) -> Reading:
    """The inputs that the options name, rendered where they are charts or kustomizations.

    `standard_input`: what stands there, where it has been read already.
    """
    namespace = options["namespace"] or ""
    asked = options["kubernetes"] and find_release(options["kubernetes"])
    version = (asked or DEFAULT_RELEASE).version
    values = Values(tuple(options["values"]), tuple(options["set"]), namespace, version)
    return take_inputs(
        options["inputs"],
        sys.stdin.buffer if standard_input is None else [standard_input],
        namespace,
        options["hooks"],
        values,
        options["kustomize"],
        asked or None,
    )


def _run(plan: Plan, reading: Reading, options: Mapping[str, Any]) -> Outcome:
    write = sys.stdout.buffer.write
    output = options["output"] or ("table" if sys.stdout.isatty() else "ndjson")
    logs = _make_logs(options["logs"], plan)
    whole = _make_whole(output, plan, reading)
    # A summary names them itself, before all else.
    for line in () if output == "summary" else plan.missing:
        _say(f"missing: {line}")
    rows = None if whole else (TableSink if output == "table" else NdjsonSink)(write)
    sinks: list[Sink] = [sink for sink in (whole, rows, logs) if sink is not None]
    try:
        outcome, cluster = run(plan, Tee(sinks))
    finally:
        if logs:
            logs.close()
    if whole:
        whole.finish(outcome, cluster)
    if rows:
        rows.finish(outcome)
        for line in (*describe_assumed(cluster), *_tell_measured(cluster)):
            _say(line)
    return outcome


def _tell_measured(cluster: Cluster) -> list[str]:
    """Which times of containers were measured, and which not; nothing where no profile was."""
    profiles = cluster.list(CONTAINER_PROFILE.id)
    if not any(MEASURED in (one["metadata"].get("annotations") or {}) for one in profiles):
        return []
    from lifecycle.simulation.durations import describe_bases, list_bases

    return [*describe_bases(list_bases(cluster))]


def _make_whole(output: str, plan: Plan, reading: Reading) -> SummarySink | ReportSink | None:
    """What is written of a run as a whole, at its end; None where its rows are.

    What judges runs is loaded for those who ask for it: rows come sooner without.
    """
    write = sys.stdout.buffer.write
    if output == "summary":
        from lifecycle.simulation.summaries import SummarySink

        return SummarySink(write, plan)
    if output not in REPORTS:
        return None
    from lifecycle.simulation.reports.sink import ReportSink

    notes = (*reading.report.list_notes(), *plan.list_notes())
    return ReportSink(write, plan, output, notes, reading.documents)


def _make_logs(folder: Path | None, plan: Plan) -> LogFolder | None:
    if folder is None:
        return None
    from lifecycle.simulation.logs import LogFolder

    return LogFolder(folder, plan.epoch_ms)


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _read_upgrade(options: Mapping[str, Any]) -> Plan:
    """The rendering that all is upgraded to: all of it or nothing."""
    later = {**options, "inputs": [options["then"]], "kustomize": [], "hooks": "upgrade"}
    reading = read_inputs(later)
    if found := next(filter(is_scenario, reading.documents), None):
        remedy = "put it beside the first rendering: its instants are those of the whole run"
        raise ManifestError([found.problem(("kind",), "a Scenario in what is upgraded to", remedy)])
    return make_plan(reading.documents, read_overrides(later), reading.report.refused)


def _tell_left_out(plan: Plan) -> list[str]:
    """What was done with what is wrong in a folder."""
    places = {(problem.source, problem.document, problem.subject) for problem in plan.refused}
    left = f"{len(places)} object{' or file is' if len(places) == 1 else 's or files are'} refused"
    return [f"{left}; the run goes on without, or not at all with --strict"] if places else []


def read_overrides(options: Mapping[str, Any]) -> Overrides:
    """What the command line says in place of a Scenario."""
    return Overrides(
        nodes=options["nodes"],
        seed=options["seed"],
        epoch_ms=options["epoch"],
        timing=options["timing"],
        kubernetes=options["kubernetes"],
        hooks=options["hooks"],
        unknown_images=options["unknown_images"],
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
    """Several with commas between, each as it is called."""
    return ",".join(find_release(one.strip()).name for one in text.split(","))


_count, _epoch, _namespace, _release, _until = map(
    _argument, (_read_count, _read_time, _read_namespace, _read_release, read_until)
)
