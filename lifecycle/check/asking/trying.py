"""From what a command line says to all futures lived through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
from lifecycle.check.ordeal_files import choose_ordeals, is_ordeal, list_ordeals, read_ordeal
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.processes import count_cores
from lifecycle.check.settled import settle
from lifecycle.input.manifests import Document
from lifecycle.input.reading import Head
from lifecycle.lean_dataclasses import replace
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.command_line import NOT_SET, read_inputs, read_overrides
from lifecycle.simulation.plan import Plan, make_plan

Options = Mapping[str, Any]
Say = Callable[[str], None]


class Given(NamedTuple):
    """An input, read and tried. `options`: those of the command line, with what the configuration adds.

    `page`: where the counter-examples of a server's cluster are opened.
    """

    options: Options
    configuration: Configuration
    documents: tuple[Document, ...]
    ordeals: tuple[Ordeal, ...]
    checked: Checked
    page: str = ""


def try_all(
    options: Options,
    say: Say,
    progress: Progress,
    configuration: Configuration | None = None,
    has_reasons: bool = True,
) -> Given:
    """Read, settle, and live through all futures. Without a configuration the one beside the input is read.

    `has_reasons`: as of `check`. Raises ManifestError.
    """
    ready = make_ready(options, configuration)
    for line in ready.notes:
        say(line)
    jobs = ready.options["jobs"] or count_cores()
    checked = check(settle(ready.plan), ready.ordeals, ready.seeds, progress, jobs, ready.limits, has_reasons)
    return Given(ready.options, ready.configuration, ready.documents, ready.ordeals, checked)


class Ready(NamedTuple):
    """An input that was read, and what is to be tried of it. `notes`: what is to be said of it."""

    options: Options
    configuration: Configuration
    documents: tuple[Document, ...]
    ordeals: tuple[Ordeal, ...]
    limits: Limits
    plan: Plan
    notes: tuple[str, ...]
    heads: tuple[Head, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """One for each future."""
        return tuple(range(self.plan.seed, self.plan.seed + self.options["seeds"]))


def make_ready(
    options: Options,
    configuration: Configuration | None = None,
    standard_input: bytes | None = None,
    gates: Mapping[str, bool] = NOT_SET,
    switches: Mapping[str, bool] = NOT_SET,
) -> Ready:
    """Read an input. `gates`, `switches`: what is set whatever the release says. Raises ManifestError."""
    reading = read_inputs(options, standard_input)
    own = [read_ordeal(one) for one in reading.documents if is_ordeal(one)]
    known = choose_ordeals([*list_ordeals(), *own], None)
    documents = [one for one in reading.documents if not is_ordeal(one)]
    path = find_file([*options["inputs"], *options["kustomize"]], options["config"])
    if configuration is None:
        configuration = read_configuration(path, known) if path else Configuration()
    options = {**options, "seeds": options["seeds"] or configuration.seeds or 1}
    wanted = options["ordeals"]
    ordeals = choose_ordeals(known, wanted) if wanted else configuration.choose(known)
    limits = find_limits(documents, configuration)
    lenient = frozenset[str]() if options["strict"] else reading.lenient
    overrides = replace(read_overrides(options), gates=gates, switches=switches)
    plan = make_plan(documents, overrides, reading.report.refused, lenient)
    # It is no manifest, and it is read all the same.
    skipped = tuple(one for one in reading.report.skipped if Path(one.name) != path)
    notes = (
        *replace(reading.report, skipped=skipped).list_notes(),
        *map(str, plan.refused),
        *plan.list_notes(),
    )
    return Ready(options, configuration, tuple(documents), tuple(ordeals), limits, plan, notes, reading.heads)


def find_limits(documents: Iterable[Document], configuration: Configuration) -> Limits:
    """Those of the file, and what workloads say themselves, which counts more."""
    limits, annotated = configuration.limits, read_annotations(documents)
    titles = {*limits.of_one, *annotated}
    of_one = {one: {**limits.of_one.get(one, {}), **annotated.get(one, {})} for one in sorted(titles)}
    return Limits(limits.of_all, of_one)
