"""A check of a cluster in this process alone, as `podline check --cluster` asks for it.

It is kept as if workers had done it: the dashboard shows it, and opens its counter-examples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.db import connections
from django.utils import timezone

from lifecycle.check.asking.configuration import Configuration, read_configuration
from lifecycle.check.asking.trying import Given, find_limits
from lifecycle.check.checking import Checked, Progress, check
from lifecycle.check.ordeal_files import choose_ordeals, list_ordeals
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.processes import count_cores
from lifecycle.check.scorecard import begin_card, note_faults
from lifecycle.check.settled import AS_IT_STANDS, look
from lifecycle.check.trials import list_trials
from lifecycle.engine import ENGINE_VERSION
from lifecycle.engine import Cluster as Engine
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.lean_dataclasses import replace
from lifecycle.models import Check, Cluster
from lifecycle.runs import checkpoints, forks
from lifecycle.runs.checks import news, summing
from lifecycle.runs.checks.asking import forget_old
from lifecycle.runs.checks.grounds import make_plan
from lifecycle.runs.checks.summing import MOST_FINDINGS
from lifecycle.simulation.run import Outcome
from lifecycle.simulation.unknown_images import FLAG, START

Options = Mapping[str, Any]
_OF_MANIFESTS = {
    "inputs": "FILE",
    "values": "--values",
    "set": "--set",
    "kustomize": "--kustomize",
    "namespace": "--namespace",
    "strict": "--strict",
    "nodes": "--nodes",
    "seed": "--seed",
    "epoch": "--epoch",
    "kubernetes": "--kubernetes",
    "timing": "--timing",
}
"""What says how manifests become a cluster, which is there already."""


def try_cluster(
    cluster: Cluster,
    user: Any,
    page: str,
    options: Options,
    say: Callable[[str], None],
    progress: Progress,
) -> Given:
    """Try everything on a cluster as it stands, and keep what came of it. Raises ManifestError.

    `page`: where the dashboard shows its checks.
    """
    _check_options(options, page)
    known = list_ordeals()
    configuration = Configuration()
    if options["config"]:
        configuration = read_configuration(Path(options["config"]), known)
    ordeals = choose_ordeals(known, options["ordeals"]) if options["ordeals"] else configuration.choose(known)
    options = {**options, "seeds": options["seeds"] or configuration.seeds or 1}
    engine = _take_up(cluster)
    order = checkpoints.last_order_at(cluster, engine.now_ms)
    settled = look(engine, make_plan(cluster, engine), Outcome(AS_IT_STANDS, engine.now_ms))
    limits = find_limits([Document(dict(one)) for one in settled.plan.objects], configuration)
    seeds = tuple(range(cluster.seed, cluster.seed + options["seeds"]))
    jobs = options["jobs"] or count_cores()
    if jobs > 1:
        # Other processes inherit no connection.
        connections.close_all()
    checked = check(settled, ordeals, seeds, progress, jobs, limits)
    if checked.summaries:
        _keep(Check(cluster=cluster, user=user, command_order=order), checked, ordeals)
    return Given(options, configuration, (), tuple(ordeals), checked, page)


def _check_options(options: Options, page: str) -> None:
    """Refuse what means nothing of a cluster that is there. Raises ManifestError."""
    given = [flag for name, flag in _OF_MANIFESTS.items() if options[name]]
    given += [FLAG] if options["unknown_images"] != START else []
    if given:
        raise _refuse(f"is given with {given[0]}", "a cluster is checked as it stands: leave that out")
    if options["scenario"]:
        raise _refuse("is given with --scenario", f"open a counter-example at {page}")
    if options["against"] and not Path(options["against"]).is_file():
        raise _refuse("is given with --against REVISION or FOLDER", "give an earlier JSON report of it")


def _refuse(message: str, remedy: str = "") -> ManifestError:
    return ManifestError([Problem(message, remedy, source="--cluster")])


def _take_up(cluster: Cluster) -> Engine:
    if cluster.failure:
        raise _refuse(f"{cluster.name} has failed and cannot be checked: {cluster.failure}")
    try:
        return forks.restore_at(cluster, None).engine
    except (ValueError, checkpoints.Unreadable) as problem:
        raise _refuse(f"{cluster.name} cannot be taken up: {problem}") from None


def _keep(one: Check, checked: Checked, ordeals: Sequence[Ordeal]) -> None:
    """Write it down as one that is done."""
    library = {ordeal.name for ordeal in list_ordeals()}
    one.ordeals = [ordeal.name for ordeal in ordeals if ordeal.name in library]
    one.seeds, one.at_ms, one.engine_version = len(checked.seeds), checked.settled.now_ms, ENGINE_VERSION
    trials = list_trials(checked.settled, ordeals)
    one.total = one.done = len(trials) * one.seeds
    one.card = begin_card(trials, one.seeds, checked.settled)
    for cells in one.card.values():
        for cell in cells.values():
            cell["done"] = cell["of"]
    note_faults(one.card, checked.findings, checked.settled)
    summed = summing.tell(one, replace(checked, findings=checked.findings[:MOST_FINDINGS]))
    one.report, one.counterexamples, one.remarks = summed
    one.state, one.ended_at = Check.State.DONE, timezone.now()
    forget_old(one.cluster)
    one.save(force_insert=True)
    news.tell(one)
