"""Reads a run of Podline: the rows of its trace, and what it said of refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.recordings.names import Names
from tests.recordings.normalize import (
    FAULT_STEP,
    KINDS,
    NODE_STEP,
    History,
    Place,
    describe_condition,
    describe_state,
    put_node_changes,
)
from tests.recordings.run_podline import WARM_NAMESPACE, PodlineRun, find_start_ms
from tests.recordings.scenario_files import Json
from tests.recordings.texts import Masker

NOT_SEEN = re.compile(r"(probe|hook|signal)\.|eviction$|drain$|^state$")
"""Podline's fields that no watch of a real cluster shows."""
OWN_EVENT = "UninterpretedBehavior"
"""Podline's own word that a script is beyond it."""


def read_podline(run: PodlineRun) -> Json:
    """The history of a run, in the common form; `beyond` lists what Podline did not understand."""
    return _Reader(run).read()


class _Reader:
    """One run on its way to a history."""

    def __init__(self, run: PodlineRun) -> None:
        self.run = run
        self.rows = [row for row in run.rows if row.get("namespace") != WARM_NAMESPACE]
        self.names = _name_all(self.rows)
        self.mask = Masker(self.names, "default")
        self.history = History()
        self.nodes: dict[str, Json] = {}
        self.has_faults = any(FAULT_STEP.search(title) for title in run.file.step_titles)
        self.owns_nodes = any(NODE_STEP.search(title) for title in run.file.step_titles)

    def read(self) -> Json:
        start_ms = find_start_ms(self.run.file)
        for row in self.rows:
            self.take(row, (row["at_ms"] - start_ms) / 1000)
        for title, text in _list_refusals(self.run):
            before = self.history.refusals.get(title)
            self.history.refusals[title] = "; ".join(filter(None, (before, self.mask(text))))
        found = self.history.finish(self.run.file.until_seconds, self.run.file.nodes, self.has_faults)
        own = [row for row in self.rows if row["type"] == "event" and row["reason"] == OWN_EVENT]
        found["beyond"] = sorted({row["message"] for row in own})
        return found

    def take(self, row: Json, now: float) -> None:
        if row["type"] == "event":
            if now >= 0:
                self.take_event(row, now)
        elif row["kind"] == "Node":
            self.take_node(row, now)
        elif row["kind"] in KINDS and now >= 0:
            place = self.names[row["uid"]]
            if place:
                self.take_transition(row, place, now)

    def take_transition(self, row: Json, place: Place, now: float) -> None:
        field, new, detail = row["field"], row["new"], row["detail"] or {}
        if NOT_SEEN.search(field) or (field == "deletion" and new != "requested"):
            return
        message = self.mask(row["message"])
        if field.endswith(".state"):
            said = describe_state(new, row["reason"], detail.get("exitCode"))
            self.history.put(place, field, now, said, message)
            signal = field.removesuffix("state") + "signal"
            self.history.put(place, signal, now, detail.get("signal") or None)
        elif field.startswith("condition."):
            self.history.put(place, field, now, describe_condition(new, row["reason"]), message)
        elif field == "node":
            self.history.put(place, field, now, "yes")
        elif field in ("completedIndexes", "failedIndexes"):
            self.history.put(place, field, now, new or None)
        else:
            self.history.put(place, field, now, new)

    def take_event(self, row: Json, now: float) -> None:
        is_ours = row["kind"] in KINDS or (self.owns_nodes and row["kind"] == "Node")
        if not is_ours or row["reason"] == OWN_EVENT:
            return
        found = self.names[row["uid"]]
        place = f"{found[0]}/{found[2]}" if found else f"{row['kind']}/{self.mask(row['name'])}"
        message = self.mask(row["message"])
        self.history.put_event(
            place, row["reason"], row["eventType"], row["source"], row["eventId"], now, row["count"], message
        )

    def take_node(self, row: Json, now: float) -> None:
        name, field, new = row["name"], row["field"], row["new"]
        if field == "exists" and new == "deleted" and now >= 0:
            self.history.put(("Node", name, name), "exists", now, "deleted")
            return
        if field.startswith("condition.") and self.has_faults:
            said = (describe_condition(new, row["reason"]), self.mask(row["message"]))
        elif field == "taints":
            said = (",".join(sorted(new.split(","))) if new else new, "")
        elif field == "unschedulable":
            said = (new, "")
        else:
            return
        before = self.nodes.setdefault(name, {"unschedulable": (False, ""), "taints": (None, "")})
        if now >= 0:
            put_node_changes(self.history, name, {field: said}, self.nodes, now)
        before[field] = said


def _name_all(rows: list[Json]) -> Names:
    names = Names()
    uids: dict[str, str] = {}
    for row in rows:
        if row["type"] == "transition" and row["field"] == "exists" and row["new"] == "created":
            uids[f"{row['kind']}/{row['name']}"] = row["uid"]
            names.add(row["uid"], row["kind"], row["name"], uids.get(row["owner"] or ""))
    names.give()
    return names


def _list_refusals(run: PodlineRun) -> Iterator[tuple[str, str]]:
    """(title, text) by the titles of the recordings: the first steps are the manifests."""
    manifests = [f"{one.get('kind')} {(one.get('metadata') or {}).get('name')}" for one in run.file.given]
    for line in re.split(r"\n(?=step \d+, |Namespace |standard input)", run.said):
        step = re.match(r'step (\d+), (\w+) at (\w+) was refused(?:, but not with ".*?")?: (.*)', line, re.S)
        if step:
            number = int(step[1])
            is_manifest = number <= len(manifests)
            title = f"manifest {number}" if is_manifest else f"step {number - len(manifests)}"
            yield title, step[4].strip()
            continue
        bad = re.match(r"standard input.*?: (\w+ \S+): (.*)", line, re.S)
        if bad:
            # Bad input: nothing was run. The object is named, not its step.
            name = bad[1]
            title = f"manifest {manifests.index(name) + 1}" if name in manifests else f"input {name}"
            yield title, line.strip()
