"""`podline check PATH…`: every future that matters of manifests, charts and kustomizations."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from lifecycle.check.asking.against import find_earlier
from lifecycle.check.asking.configuration import (
    FILE,
    MOST_SEEDS,
    Accept,
    read_configuration,
    write_baseline,
)
from lifecycle.check.asking.left_out import tell_not_run, tell_rests_on, tell_unused
from lifecycle.check.asking.places import Places
from lifecycle.check.asking.progress import choose_progress, say_nothing
from lifecycle.check.asking.reproducing import tell_check, tell_command, write_scenario
from lifecycle.check.asking.trying import Given, try_all
from lifecycle.check.checking import Progress
from lifecycle.check.comparing import Comparison, Earlier, compare
from lifecycle.check.film import Films
from lifecycle.check.findings import Finding
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.outputs import OUTPUTS, write_refusal, write_report
from lifecycle.check.outputs.telling import tell_comparison
from lifecycle.check.report import FINE, Report
from lifecycle.check.scene import SERIOUS, SEVERITIES
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.simulation.command_line import add_circumstances, add_rendering, is_of_several
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
CLUSTER = "--cluster"
"""With it the command is the server's."""
Options = Mapping[str, Any]
Try = Callable[[Options, Callable[[str], None], Progress], Given]


def main(arguments: Sequence[str], program: str = "podline check") -> int:
    """Run one command line; the exit status is one of `EXIT_STATUSES`."""
    parser = ArgumentParser(program, description=HELP, allow_abbrev=True)
    parser.add_argument("--version", action="version", version=TOLD)
    add_options(parser)
    options = vars(parser.parse_args(arguments))
    if options["cluster"]:
        # Written in full it is the server's command.
        parser.error("write --cluster in full, as --cluster NAME")
    return run(options)


def run(options: Options, try_it: Try = try_all) -> int:
    """Check what options name, by `try_it`; the exit status."""
    # It stands beside manifests, and `*.yaml` names it too.
    inputs = [one for one in options["inputs"] if Path(one).name != FILE]
    options = {**options, "inputs": inputs, "hooks": "install", "until": None}
    if options["ordeals"] == LIST:
        sys.stdout.write("".join(f"{one.name:<22}{one.text} ({one.source})\n" for one in list_ordeals()))
        return FINE
    try:
        return _check(options, try_it)
    except ManifestError as error:
        for problem in error.problems:
            _say(str(problem))
        sys.stdout.write(write_refusal(options["output"], BAD_INPUT, error.problems))
        for output, path in options["write"]:
            # It may be what is wrong that this cannot be written.
            with suppress(ManifestError):
                _write_file(path, write_refusal(output, BAD_INPUT, error.problems))
        return BAD_INPUT


def add_options(parser: ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="FILE|FOLDER|CHART|-",
        help="manifests, or a chart, which your own helm renders; - is standard input",
    )
    parser.add_argument(
        CLUSTER,
        metavar="NAME",
        help="a cluster of the dashboard on this machine, as it stands, in place of manifests",
    )
    parser.add_argument("--user", metavar="NAME", help="who names the cluster (default its owner)")
    add_rendering(parser)
    parser.add_argument("-n", "--namespace", default="", metavar="NAME", help="where objects without one go")
    parser.add_argument(
        "--ordeals",
        metavar="LIST",
        help=f"names, or files of own ones, with commas between (all); {LIST} says which",
    )
    parser.add_argument("--seeds", type=_count, metavar="N", help="futures of each ordeal (default 1)")
    parser.add_argument("--jobs", type=_count, metavar="N", help="processes (default one for each core)")
    _add_standards(parser)
    parser.add_argument("-o", "--output", choices=OUTPUTS, default="table", help="default table")
    parser.add_argument(
        "--write",
        action="append",
        default=[],
        type=_read_file,
        metavar="OUTPUT=FILE",
        help="write the same check into a file too, such as html=check.html; may be given again",
    )
    parser.add_argument(
        "--scenario", metavar="ID", help="print the counter-example of a finding, for podline simulate -"
    )
    parser.add_argument(
        "--strict", action="store_true", help="try nothing of a folder that has something wrong in it"
    )
    add_circumstances(parser)


def _add_standards(parser: ArgumentParser) -> None:
    """What fails, and what does not."""
    parser.add_argument(
        "--fail-on", choices=SEVERITIES, help=f"exit status 1 from this severity on (default {SERIOUS})"
    )
    parser.add_argument(
        "--against",
        metavar="REVISION|PATH|REPORT",
        help="fail only by what is new or worse than in a revision of git, in another file or folder, or in"
        " an earlier JSON report",
    )
    parser.add_argument("--config", metavar="FILE", help=f"default {FILE} beside what is checked")
    parser.add_argument("--baseline", metavar="FILE", help="findings that are accepted, with a reason each")
    parser.add_argument("--write-baseline", metavar="FILE", help="accept all that is found from now on")


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MOST_SEEDS:
        raise ArgumentTypeError(f"{text} is no such number: give 1 to {MOST_SEEDS}")
    return int(text)


def _read_file(text: str) -> tuple[str, Path]:
    output, sign, path = text.partition("=")
    if output not in OUTPUTS or not sign or not path:
        raise ArgumentTypeError(f"{text}: write OUTPUT=FILE, with an output of {', '.join(OUTPUTS)}")
    return output, Path(path)


def _check(options: Options, try_it: Try) -> int:
    if is_of_several(options):
        from lifecycle.check.asking.releases import check_all

        return check_all(options, choose_progress())
    given = try_it(options, _say, choose_progress())
    checked, options = given.checked, given.options
    if options["scenario"]:
        findings = checked.findings
        sys.stdout.write(write_scenario(checked.settled, findings, given.documents, options["scenario"]))
        return FINE
    accepted = _find_accepted(given)
    if options["write_baseline"]:
        _write_file(Path(options["write_baseline"]), write_baseline(checked.findings, accepted))
        accepted = _find_accepted(given, options["write_baseline"])
    report = _make_report(given, accepted)
    _write(options["output"], report)
    for output, path in options["write"]:
        _write_file(path, write_report(output, report))
    return report.exit_status


def _make_report(given: Given, accepted: Mapping[str, str]) -> Report:
    checked, options = given.checked, given.options
    return Report(
        checked=checked,
        find_place=Places(given.documents).find,
        tell_command=partial(tell_command, options=options, page=given.page),
        find_film=Films(checked.settled).find,
        command=tell_check(options),
        fail_on=options["fail_on"] or given.configuration.fail_on or SERIOUS,
        comparison=_compare(given),
        accepted=accepted,
        not_run=(*tell_not_run(given.ordeals, checked), *tell_unused(given.configuration, checked)),
        rests_on=tuple(tell_rests_on(checked.settled, checked)),
    )


def _find_accepted(given: Given, baseline: str | None = None) -> dict[str, str]:
    """By the id of each finding that is accepted why it is: by the configuration, or by a baseline."""
    accepts: list[Accept] = [*given.configuration.accepts]
    if path := baseline or given.options["baseline"]:
        accepts += read_configuration(Path(path), given.ordeals).accepts
    found = {}
    for finding in given.checked.findings:
        reasons = [one.reason for one in accepts if one.is_of(finding)]
        if reasons:
            found[finding.id] = reasons[0]
    return found


def _compare(given: Given) -> Comparison | None:
    """The findings beside those of what was asked to compare with."""
    text = given.options["against"]
    if not text:
        return None

    def try_silently(options: Options) -> Sequence[Finding]:
        earlier = try_all(options, lambda line: None, say_nothing, given.configuration, has_reasons=False)
        return earlier.checked.findings

    tried = {one.name for one in given.ordeals}
    found = find_earlier(text, given.options, try_silently, _say)
    earlier = [one for one in found if one.ordeal in tried]
    return compare(map(Earlier.from_finding, given.checked.findings), earlier, text)


def _write(output: str, report: Report) -> None:
    if output == "table":
        sys.stdout.write(_make_table(report))
        return
    sys.stdout.write(write_report(output, report))
    # The shape of JSON has no place for it.
    for line in (*report.not_run, *(tell_comparison(report) if output == "json" else ())):
        _say(line)


def _make_table(report: Report) -> str:
    """As wide, as coloured and in as many letters as what it is written on has."""
    from lifecycle.check.outputs.as_table import WIDTH, Look, make_table

    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((WIDTH, 24)).columns if is_terminal else WIDTH
    is_plain = "utf" not in (sys.stdout.encoding or "").lower()
    return make_table(report, Look(width, is_plain, is_terminal and not os.environ.get("NO_COLOR")))


def _write_file(path: Path, text: str) -> None:
    """Write it. Raises ManifestError where that is not possible."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ManifestError([Problem(f"cannot be written: {error.strerror}", source=str(path))]) from None


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
