"""Runs for tests: a file in, its rows and its outcome out."""

import hashlib
import io
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import orjson

from lifecycle.engine.heart.trace import row_to_json
from lifecycle.input.scenario import read_until
from lifecycle.lean_dataclasses import replace
from lifecycle.simulation import Overrides, make_plan, take_inputs
from lifecycle.simulation.run import Driver, run
from lifecycle.simulation.summaries import SummarySink
from tests.texts import read_manifests

MANIFESTS = Path(__file__).parents[1] / "input" / "manifests"


class Rows:
    """A sink that keeps everything."""

    def __init__(self):
        self.rows = []
        self.logs = []

    def take(self, changes):
        self.rows += [row_to_json(row) for row in changes.rows]
        self.logs += changes.logs


@dataclass
class Run:
    rows: list
    logs: list
    outcome: object
    cluster: object

    @property
    def hash(self):
        return hashlib.sha256(b"".join(orjson.dumps(row) for row in self.rows)).hexdigest()

    def lanes(self, kind="Pod"):
        """Field -> list of (seconds, text), by object name; events are one lane more."""
        found = defaultdict(lambda: defaultdict(list))
        for row in self.rows:
            if row["kind"] != kind:
                continue
            lane = found[row["name"]]
            if row["type"] == "event":
                lane["events"].append((row["at_ms"] / 1000, row["reason"]))
                continue
            lane[row["field"]].append((row["at_ms"] / 1000, show(row)))
            prefix, _, rest = row["field"].partition(".")
            name, _, part = rest.rpartition(".")
            if prefix == "container" and part == "state" and row["new"] == "Running":
                lane[f"starts {name}"].append((row["at_ms"] / 1000, ""))
        return found


def summarize(text, until=""):
    """What `simulate --output summary` writes of manifests, looked at when `until` says so."""
    out = io.BytesIO()
    plan = make_plan(read_manifests(text), Overrides(untils=(read_until(until),) if until else ()))
    sink = SummarySink(out.write, plan)
    sink.finish(*run(plan, sink))
    return out.getvalue().decode()


def show(row):
    """A row's value with what belongs to it: `Terminated/Error/1`, `False/ContainersNotReady`, `SIGTERM`."""
    parts = [str(row["new"])]
    if row["field"].endswith(".state") or row["field"].startswith("condition."):
        parts += [row["reason"]] if row["reason"] and row["new"] != "True" else []
    if row["new"] == "Terminated":
        parts.append(str((row["detail"] or {}).get("exitCode")))
    return "/".join(parts)


def run_file(path, **overrides):
    return run_plan(make_plan(take_inputs([str(path)]).require_sound(), Overrides(**overrides)))


def run_plan(plan):
    rows = Rows()
    driver = Driver(plan, rows)
    outcome = driver.run()
    return Run(rows.rows, rows.logs, outcome, driver.cluster)


def plan_of(path, **overrides):
    return make_plan(take_inputs([str(path)]).require_sound(), Overrides(**overrides))


__all__ = ["MANIFESTS", "Rows", "Run", "plan_of", "replace", "run_file", "run_plan", "show"]
