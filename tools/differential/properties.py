"""What must hold of every run, whatever a real cluster does: looked for without one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.input.problems import ManifestError
from lifecycle.simulation import Overrides, Plan, make_plan
from lifecycle.simulation.run import Driver
from tests.engine.invariants import Watcher, check_pod
from tests.recordings.run_podline import make_input
from tests.texts import read_manifests
from tools.differential.case import Case
from tools.differential.rest import find_untrue_counts

SLICE_MS = 1_777
REST_MS, STILL_MS = 15 * 60 * 1000, 5_000
NODE_COUNT = 3
Row = dict[str, Any]


class _Rows:
    """Keeps the rows as they stand in NDJSON."""

    def __init__(self) -> None:
        self.all: list[Row] = []

    def take(self, changes: Changes) -> None:
        self.all += (orjson.loads(orjson.dumps(row_to_json(row))) for row in changes.rows)


class _Sliced(Driver):
    """Stops at every SLICE_MS, and looks at all pods there."""

    def _borders(self) -> list[int]:
        last_ms = max(until.at_ms or 0 for until in self.plan.untils)
        return sorted({*super()._borders(), *range(SLICE_MS, last_ms, SLICE_MS)})

    def _settle(self) -> None:
        super()._settle()
        for pod in self.cluster.list("Pod"):
            check_pod(pod)


class _Forked(_Sliced):
    """Goes on with what was saved and loaded at every SLICE_MS: a fork that does what its origin did."""

    def _settle(self) -> None:
        super()._settle()
        self.cluster = Cluster.load(json.loads(json.dumps(self.cluster.save())))


def find_broken_properties(case: Case) -> list[str]:
    """What does not hold, as sentences; nothing when all holds."""
    try:
        documents = read_manifests(make_input(case.to_file()).encode(), "standard input")
        plan = make_plan(documents, Overrides(nodes=NODE_COUNT))
    except ManifestError:
        # Nothing is run: the refusal is for the comparison.
        return []
    return [text for look in (_find_broken_rows, _find_uneven_runs, _find_untrue_rest) for text in look(plan)]


def _find_broken_rows(plan: Plan) -> Iterator[str]:
    """Whether each row can follow those before it, and each pod says what does not contradict itself."""
    try:
        rows, _ = _run(plan, _Sliced)
        Watcher().take(rows)
    except AssertionError as broken:
        yield f"an invariant does not hold: {broken!s:.600}"


def _find_uneven_runs(plan: Plan) -> Iterator[str]:
    """Whether the history is the same in any slicing, and after saving and loading."""
    whole, _ = _run(plan, Driver)
    for words, other in (("in slices", _Sliced), ("in forks", _Forked)):
        try:
            rows, _ = _run(plan, other)
        except AssertionError:
            # Told as an invariant.
            continue
        if rows != whole:
            yield f"run {words} it has another history: {_find_first_difference(whole, rows)}"


def _find_untrue_rest(plan: Plan) -> Iterator[str]:
    """Whether each status is true after nothing has been done for long."""
    _, cluster = _run(plan, Driver)
    cluster.run_until(cluster.now_ms + REST_MS)
    cluster.take_changes()
    cluster.run_until(cluster.now_ms + STILL_MS)
    # Some never rest: pods that tolerate a taint for a while are made and evicted for ever.
    if any(row.subject.kind == "Pod" for row in cluster.take_changes().rows):
        return
    for text in find_untrue_counts({kind: cluster.list(kind) for kind in cluster.kinds()}):
        yield f"at rest a status is not true: {text}"


def _run(plan: Plan, make_driver: Callable[[Plan, Any], Driver]) -> tuple[list[Row], Cluster]:
    rows = _Rows()
    driver = make_driver(plan, rows)
    driver.run()
    return rows.all, driver.cluster


def _find_first_difference(whole: list[Row], other: list[Row]) -> str:
    for one, another in zip(whole, other, strict=False):
        if one != another:
            return f"{one} against {another}"
    return f"{len(whole)} rows against {len(other)}"
