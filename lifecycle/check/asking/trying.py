"""From what a command line says to all futures lived through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lifecycle.check.asking.configuration import (
    Configuration,
    find_file,
    read_annotations,
    read_configuration,
)
from lifecycle.check.checking import Checked, Progress, check
from lifecycle.check.limits import Limits
from lifecycle.check.ordeal_files import is_ordeal, list_ordeals, read_ordeal
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.processes import count_cores
from lifecycle.check.settled import settle
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.lean_dataclasses import replace
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.command_line import read_inputs, read_overrides
from lifecycle.simulation.plan import make_plan

Options = Mapping[str, Any]
Say = Callable[[str], None]


class Given(NamedTuple):
    """An input, read and tried. `options`: those of the command line, with what the configuration adds."""

    options: Options
    configuration: Configuration
    documents: tuple[Document, ...]
    ordeals: tuple[Ordeal, ...]
    checked: Checked


def try_all(
    options: Options, say: Say, progress: Progress, configuration: Configuration | None = None
) -> Given:
    """Read, settle, and live through all futures. Without a configuration the one beside the input is read.

    Raises ManifestError.
    """
    reading = read_inputs(options)
    known = [*list_ordeals(), *(read_ordeal(one) for one in reading.documents if is_ordeal(one))]
    documents = [one for one in reading.documents if not is_ordeal(one)]
    path = find_file([*options["inputs"], *options["kustomize"]], options["config"])
    if configuration is None:
        configuration = read_configuration(path, known) if path else Configuration()
    options = {**options, "seeds": options["seeds"] or configuration.seeds or 1}
    ordeals = choose_ordeals(known, options["ordeals"], configuration)
    limits = _find_limits(documents, configuration)
    lenient = frozenset[str]() if options["strict"] else reading.lenient
    plan = make_plan(documents, read_overrides(options), reading.report.refused, lenient)
    # It is no manifest, and it is read all the same.
    skipped = tuple(one for one in reading.report.skipped if Path(one.name) != path)
    notes = replace(reading.report, skipped=skipped).list_notes()
    for line in (*notes, *map(str, plan.refused), *plan.list_notes()):
        say(line)
    seeds = tuple(range(plan.seed, plan.seed + options["seeds"]))
    jobs = options["jobs"] or count_cores()
    checked = check(settle(plan), ordeals, seeds, progress, jobs, limits)
    return Given(options, configuration, tuple(documents), tuple(ordeals), checked)


def choose_ordeals(known: Sequence[Ordeal], wanted: str | None, configuration: Configuration) -> list[Ordeal]:
    """Those that are named; what the configuration says where none is. Raises ManifestError."""
    if not wanted:
        return configuration.choose(known)
    names = [one.strip() for one in wanted.split(",") if one.strip()]
    by_name = {one.name: one for one in known}
    missing = [one for one in names if one not in by_name]
    if missing:
        remedy = f"there are {', '.join(by_name)}"
        raise ManifestError([Problem(f"no ordeal is called {missing[0]}", remedy, source="--ordeals")])
    return [by_name[one] for one in names]


def _find_limits(documents: Iterable[Document], configuration: Configuration) -> Limits:
    """Those of the file, and what workloads say themselves, which counts more."""
    limits, annotated = configuration.limits, read_annotations(documents)
    titles = {*limits.of_one, *annotated}
    of_one = {one: {**limits.of_one.get(one, {}), **annotated.get(one, {})} for one in sorted(titles)}
    return Limits(limits.of_all, of_one)
