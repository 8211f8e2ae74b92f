"""`podline calibrate DUMP`: ContainerProfiles with measured times, from what a cluster tells of its pods.

kubectl get pods,events -A -o json | podline calibrate - > profiles.yaml
podline simulate ./manifests profiles.yaml
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from lifecycle.calibration.dumps import Dump, read_dump
from lifecycle.calibration.measure import measure
from lifecycle.calibration.profiles import list_parts
from lifecycle.calibration.writing import describe_remarks, write_profiles, write_table
from lifecycle.input.folders import sort_out
from lifecycle.input.manifests import Document, read_documents
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.simulation.plan import open_input

DONE, NOTHING_MEASURED, BAD_INPUT = 0, 1, 2
OUTPUTS = YAML, TABLE = ("yaml", "table")
GIVE = "give what `kubectl get pods,events -A -o json` writes"
HELP = (
    "Make ContainerProfiles with measured pull, start and ready times of what"
    " kubectl get pods,events -A -o json (or -o yaml) writes. Events are kept for an hour: take the dump soon"
    " after a rollout. Exit status: 0 done; 1 nothing could be measured; 2 bad input"
)
MOST_TOLD = 50


def add_options(parser: ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "inputs", nargs="+", metavar="FILE|FOLDER|-", help="dumps of pods and events; - is standard input"
    )
    parser.add_argument(
        "-o",
        "--output",
        choices=OUTPUTS,
        default=YAML,
        help="profiles to run with (yaml, the default), or a table to look at",
    )


def main(arguments: Sequence[str], program: str) -> int:
    """Measure, and write what was measured; what was left out is said on stderr."""
    parser = ArgumentParser(program, description=HELP)
    add_options(parser)
    options = parser.parse_args(arguments)
    try:
        dump = read_dump(_read(options.inputs))
    except ManifestError as error:
        _tell(list(map(str, error.problems)))
        return BAD_INPUT
    if not (dump.pods or dump.events):
        _tell([f"no pods and no events of containers in what was given; {GIVE}", *map(str, dump.problems)])
        return BAD_INPUT
    measured = measure(dump)
    _tell(list(map(str, dump.problems)))
    has_measured = any(map(list_parts, measured))
    if not has_measured:
        _tell([_explain(dump)])
    if options.output == TABLE:
        _tell(describe_remarks(measured))
        sys.stdout.write(write_table(measured))
    elif has_measured:
        sys.stdout.write(write_profiles(dump, measured))
    return DONE if has_measured else NOTHING_MEASURED


def _read(names: Sequence[str]) -> list[Document]:
    """Every object of all inputs. Raises ManifestError with all that cannot be read."""
    documents: list[Document] = []
    problems: list[Problem] = []
    for name in names:
        batch = open_input(name, sys.stdin.buffer)
        problems += batch.unreadable
        files = sort_out(batch.files, batch.name).files if batch.is_folder else batch.files
        for source, content in files.items():
            try:
                documents += read_documents(content, source)
            except ManifestError as error:
                problems += error.problems
    if problems:
        raise ManifestError(problems)
    return documents


def _explain(dump: Dump) -> str:
    what = "nothing could be measured"
    if dump.events:
        return f"{what} of {len(dump.pods)} pods and {dump.events} events; -o table says why"
    return f"{what}: no events of containers in what was given; {GIVE}, soon after pods have started"


def _tell(lines: Sequence[str]) -> None:
    """On stderr, of very much the beginning."""
    more = [f"and {len(lines) - MOST_TOLD} more"] if len(lines) > MOST_TOLD else []
    sys.stderr.write("".join(f"{line}\n" for line in [*lines[:MOST_TOLD], *more]))
