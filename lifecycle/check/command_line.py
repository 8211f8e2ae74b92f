"""`podline check PATH…`: every future that matters of manifests, charts and kustomizations."""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from lifecycle.check.checking import check
from lifecycle.check.findings import Finding
from lifecycle.check.ordeals import Ordeal, is_ordeal, list_ordeals, read_ordeal
from lifecycle.check.outputs import OUTPUTS, write_report
from lifecycle.check.processes import count_cores
from lifecycle.check.report import Report, Where
from lifecycle.check.scene import SEVERITIES
from lifecycle.check.settled import name_object, settle
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.scenario import API_VERSION, KIND, is_scenario
from lifecycle.simulation.command_line import add_circumstances, add_rendering, read_inputs, read_overrides
from lifecycle.simulation.plan import make_plan
from lifecycle.simulation.reports.report import list_places
from lifecycle.simulation.run import BAD_INPUT
from lifecycle.version import TOLD

FINE, FOUND = 0, 1


def main(arguments: Sequence[str], program: str = "podline check") -> int:
    """Run one command line; 0: nothing at or above `--fail-on`, 1: findings, 2: bad input."""
    parser = ArgumentParser(program, description=__doc__, allow_abbrev=True)
    parser.add_argument("--version", action="version", version=TOLD)
    add_options(parser)
    options = {**vars(parser.parse_args(arguments)), "hooks": "install", "until": None}
    try:
        return _check(options)
    except ManifestError as error:
        for problem in error.problems:
            sys.stderr.write(f"{problem}\n")
        return BAD_INPUT


def add_options(parser: ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("inputs", nargs="*", metavar="FILE|FOLDER|CHART|-", help="manifests, or a chart")
    add_rendering(parser)
    parser.add_argument("-n", "--namespace", default="", metavar="NAME", help="where objects without one go")
    parser.add_argument("--ordeals", metavar="LIST", help="names, separated by commas; all without")
    parser.add_argument("--seeds", type=_count, default=1, metavar="N", help="futures of each ordeal (1)")
    parser.add_argument("--jobs", type=_count, metavar="N", help="processes (default: one for each core)")
    parser.add_argument(
        "--fail-on", choices=SEVERITIES, default="serious", help="exit status 1 from (serious)"
    )
    parser.add_argument("-o", "--output", choices=OUTPUTS, default="table")
    parser.add_argument(
        "--scenario", metavar="ID", help="print the counter-example of a finding as a Scenario"
    )
    add_circumstances(parser)


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise ArgumentTypeError(f"{text} is no number of futures: give 1 to 10000")
    return int(text)


def _check(options: Mapping[str, Any]) -> int:
    reading = read_inputs(options)
    own = [read_ordeal(one) for one in reading.documents if is_ordeal(one)]
    documents = [one for one in reading.documents if not is_ordeal(one)]
    ordeals = choose_ordeals([*list_ordeals(), *own], options["ordeals"])
    plan = make_plan(documents, read_overrides(options), reading.report.refused, reading.lenient)
    settled = settle(plan)
    seeds = tuple(range(plan.seed, plan.seed + options["seeds"]))
    progress = _show_progress if sys.stderr.isatty() else _say_nothing
    checked = check(settled, ordeals, seeds, progress, options["jobs"] or count_cores())
    report = Report(checked, _Places(documents).find, lambda one: _tell_command(one, options))
    for line in checked.refusals:
        sys.stderr.write(f"{line}\n")
    if options["scenario"]:
        return _write_scenario(report, options["scenario"])
    sys.stdout.write(write_report(options["output"], report))
    limit = SEVERITIES.index(options["fail_on"])
    return FOUND if any(SEVERITIES.index(one.severity) <= limit for one in checked.findings) else FINE


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


def _say_nothing(done: int, of: int) -> None:
    """Nobody looks on."""


def _show_progress(done: int, of: int) -> None:
    width = 30
    bar = "#" * (width * done // of)
    sys.stderr.write(f"\r[{bar:<{width}}] {done} of {of} futures" + ("\r\x1b[K" if done == of else ""))
    sys.stderr.flush()


class _Places:
    """Where objects stand in the input."""

    def __init__(self, documents: Sequence[Document]) -> None:
        places = list_places(documents)
        self._known = {
            _name(one): Where(place.file, place.line) for one, place in zip(documents, places, strict=True)
        }

    def find(self, name: str) -> Where:
        """The place of `Deployment/shop/web`."""
        return self._known.get(name, Where())


def _name(document: Document) -> str:
    data = dict(document.data)
    if is_scenario(document) or not (data.get("metadata") or {}).get("name"):
        return ""
    return name_object(data)


def _tell_command(one: Finding, options: Mapping[str, Any]) -> str:
    """What opens the counter-example: the same check writes it as a Scenario, which `simulate` runs."""
    paths = " ".join(map(shlex.quote, options["inputs"]))
    return (
        f"podline check {paths} --ordeals {one.ordeal} --seeds {options['seeds']} --scenario {one.id}"
        f" | podline simulate {paths} - -o summary"
    )


def _write_scenario(report: Report, wanted: str) -> int:
    found = next((one for one in report.checked.findings if one.id == wanted), None)
    if found is None:
        known = ", ".join(one.id for one in report.checked.findings) or "none"
        raise ManifestError([Problem(f"no finding is {wanted}", f"there are: {known}", source="--scenario")])
    settled, trial = report.checked.settled, found.worst.trial
    begin_ms = settled.now_ms
    steps = [{"at": f"{begin_ms}ms", "chance": found.worst.seed}]
    for step, written in zip(trial.steps, trial.written, strict=True):
        steps.append({**written, "at": f"{begin_ms + step.at_ms}ms"})
    spec = {"description": f"{trial.title}: {found.worst.violation.text}", "steps": steps}
    head = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": found.ordeal}}
    sys.stdout.write(yaml.safe_dump({**head, "spec": spec}, sort_keys=False))
    return FINE
