"""`podline check PATH…`: every future that matters of manifests, charts and kustomizations."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from lifecycle.check.checking import Checked, check
from lifecycle.check.film import Films
from lifecycle.check.left_out import tell_not_run, tell_rests_on
from lifecycle.check.ordeal_files import is_ordeal, list_ordeals, read_ordeal
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.outputs import OUTPUTS, write_refusal, write_report
from lifecycle.check.places import Places
from lifecycle.check.processes import count_cores
from lifecycle.check.progress import choose_progress
from lifecycle.check.report import FINE, Report
from lifecycle.check.reproducing import tell_check, tell_command, write_scenario
from lifecycle.check.scene import SERIOUS, SEVERITIES
from lifecycle.check.settled import settle
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.command_line import add_circumstances, add_rendering, read_inputs, read_overrides
from lifecycle.simulation.plan import make_plan
from lifecycle.simulation.run import BAD_INPUT
from lifecycle.version import TOLD

EXIT_STATUSES = {
    0: "nothing at or above --fail-on",
    1: "findings at or above it",
    BAD_INPUT: "bad input, and nothing was tried",
}
HELP = (
    "Try every future that matters of Kubernetes manifests: rollouts, drains, lost nodes. Exit status: "
    + "; ".join(f"{status} {what}" for status, what in EXIT_STATUSES.items())
)
LIST = "list"
Options = Mapping[str, Any]


class Given(NamedTuple):
    """An input, read: the objects, and the ordeals to try, own ones among them."""

    documents: tuple[Document, ...]
    ordeals: tuple[Ordeal, ...]
    checked: Checked


def main(arguments: Sequence[str], program: str = "podline check") -> int:
    """Run one command line; the exit status is one of `EXIT_STATUSES`."""
    parser = ArgumentParser(program, description=HELP, allow_abbrev=True)
    parser.add_argument("--version", action="version", version=TOLD)
    add_options(parser)
    options = {**vars(parser.parse_args(arguments)), "hooks": "install", "until": None}
    if options["ordeals"] == LIST:
        sys.stdout.write("".join(f"{one.name:<22}{one.text} ({one.source})\n" for one in list_ordeals()))
        return FINE
    try:
        return _check(options)
    except ManifestError as error:
        for problem in error.problems:
            _say(str(problem))
        sys.stdout.write(write_refusal(options["output"], BAD_INPUT, error.problems))
        return BAD_INPUT


def add_options(parser: ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="FILE|FOLDER|CHART|-",
        help="manifests, or a chart, which your own helm renders; - is standard input",
    )
    add_rendering(parser)
    parser.add_argument("-n", "--namespace", default="", metavar="NAME", help="where objects without one go")
    parser.add_argument(
        "--ordeals", metavar="LIST", help=f"names, separated by commas (default all); {LIST} says which"
    )
    parser.add_argument("--seeds", type=_count, default=1, metavar="N", help="futures of each ordeal (1)")
    parser.add_argument("--jobs", type=_count, metavar="N", help="processes (default: one for each core)")
    parser.add_argument(
        "--fail-on", choices=SEVERITIES, default=SERIOUS, help=f"exit status 1 from this on ({SERIOUS})"
    )
    parser.add_argument("-o", "--output", choices=OUTPUTS, default="table", help="default table")
    parser.add_argument(
        "--scenario", metavar="ID", help="print the counter-example of a finding, for podline simulate -"
    )
    parser.add_argument(
        "--strict", action="store_true", help="try nothing of a folder that has something wrong in it"
    )
    add_circumstances(parser)


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise ArgumentTypeError(f"{text} is no such number: give 1 to 10000")
    return int(text)


def _check(options: Options) -> int:
    given = _try_all(options)
    checked = given.checked
    if options["scenario"]:
        findings = checked.findings
        sys.stdout.write(write_scenario(checked.settled, findings, given.documents, options["scenario"]))
        return FINE
    report = Report(
        checked=checked,
        find_place=Places(given.documents).find,
        tell_command=partial(tell_command, options=options),
        find_film=Films(checked.settled).find,
        command=tell_check(options),
        fail_on=options["fail_on"],
        not_run=tuple(tell_not_run(given.ordeals, checked)),
        rests_on=tuple(tell_rests_on(checked.settled, checked)),
    )
    _write(options["output"], report)
    return report.exit_status


def _try_all(options: Options) -> Given:
    """Read, settle, and live through all futures. Raises ManifestError."""
    reading = read_inputs(options)
    own = [read_ordeal(one) for one in reading.documents if is_ordeal(one)]
    documents = [one for one in reading.documents if not is_ordeal(one)]
    ordeals = choose_ordeals([*list_ordeals(), *own], options["ordeals"])
    lenient = frozenset[str]() if options["strict"] else reading.lenient
    plan = make_plan(documents, read_overrides(options), reading.report.refused, lenient)
    for line in (*reading.report.list_notes(), *map(str, plan.refused), *plan.list_notes()):
        _say(line)
    seeds = tuple(range(plan.seed, plan.seed + options["seeds"]))
    checked = check(settle(plan), ordeals, seeds, choose_progress(), options["jobs"] or count_cores())
    return Given(tuple(documents), tuple(ordeals), checked)


def choose_ordeals(known: Sequence[Ordeal], wanted: str | None) -> list[Ordeal]:
    """Those that are named; all where none is. Raises ManifestError."""
    if not wanted:
        return list(known)
    names = [one.strip() for one in wanted.split(",") if one.strip()]
    by_name = {one.name: one for one in known}
    missing = [one for one in names if one not in by_name]
    if missing:
        remedy = f"there are {', '.join(by_name)}"
        raise ManifestError([Problem(f"no ordeal is called {missing[0]}", remedy, source="--ordeals")])
    return [by_name[one] for one in names]


def _write(output: str, report: Report) -> None:
    if output == "table":
        sys.stdout.write(_make_table(report))
        return
    sys.stdout.write(write_report(output, report))
    for line in report.not_run:
        _say(line)


def _make_table(report: Report) -> str:
    """As wide, as coloured and in as many letters as what it is written on has."""
    from lifecycle.check.outputs.as_table import WIDTH, Look, make_table

    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((WIDTH, 24)).columns if is_terminal else WIDTH
    is_plain = "utf" not in (sys.stdout.encoding or "").lower()
    return make_table(report, Look(width, is_plain, is_terminal and not os.environ.get("NO_COLOR")))


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
