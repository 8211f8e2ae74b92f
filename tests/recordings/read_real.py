"""Reads a recording of a real cluster: one row for each write that a watcher saw."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.recordings.names import Names
from tests.recordings.normalize import (
    CLAIM_KINDS,
    FAULT_STEP,
    KINDS,
    NODE_STEP,
    History,
    describe_condition,
    describe_state,
    put_node_changes,
)
from tests.recordings.scenario_files import Json
from tests.recordings.texts import NOT_SELECTED, TAINTED, UNSCHEDULABLE, Masker

OF_THIS_MACHINE = ("CgroupV1", "InvalidDiskCapacity", "RegisteredNode")
"""Events of nodes that say something about the recorded machine."""
CORDONED, UNCORDONED = "NodeNotSchedulable", "NodeSchedulable"
# Scenarios ran beside each other: what kept them apart is no part of them.
OWN_NODES_TAINT = "lab/own"
SHARED_SLOTS = ("real", "hollow-a")
VOLUME_OF = "lab/namespace"

Fields = Iterator[tuple[str, Any, str]]
"""(field, value, message)."""


def read_real(path: Path) -> Json:
    """The history of a recording, in the common form."""
    with gzip.open(path, "rt") as file:
        start, *rows, _ = (json.loads(line) for line in file)
    return _Reader(start, rows).read()


class _Reader:
    """One recording on its way to a history."""

    def __init__(self, start: Json, rows: list[Json]) -> None:
        self.start, self.rows = start, rows
        self.names = _name_all(start, rows)
        self.mask = Masker(self.names, start["namespace"], len(start["slot_nodes"]))
        self.history = History()
        # Nodes of a shared slot may be changed by anyone; they are of interest to scenarios that change them.
        calls = [row["what"] for row in rows if row["type"] == "call"]
        self.owns_nodes = any(NODE_STEP.search(what) for what in calls)
        self.has_faults = any(FAULT_STEP.search(what) for what in calls)
        self.slices: dict[str, dict[str, str | None]] = {}
        self.nodes: dict[str, Json] = {}
        self.cordoned: set[str] = set()

    def read(self) -> Json:
        for row in self.rows:
            if row["t"] <= self.start["until"] + 0.5:
                self.take(row)
        return self.history.finish(self.start["until"], self.start["nodes"], self.has_faults)

    def take(self, row: Json) -> None:
        match row["type"]:
            case "call":
                self.take_call(row)
            case "output":
                line = [row["t"], row["what"], row["stream"], self.mask(row["line"])]
                self.history.outputs.append(line)
            case "table":
                place = self.names[row["uid"]]
                if row["event"] != "DELETED" and place:
                    self.history.put(place, "ready", row["t"], row["cells"][0])
                    self.history.put(place, "status", row["t"], row["cells"][1])
            case "watch":
                self.take_object(row)

    def take_call(self, row: Json) -> None:
        if 0 < row["code"] < 300:
            return
        text = row["message"] or ""
        if ", drain at " in row["what"]:
            # A drain ends with what was wrong; what it tried again comes before.
            text = text[max(0, text.find("error: unable to drain")) :]
        elif ", rollout at " in row["what"]:
            text = text.removeprefix("error: ")
        text = text.rstrip("\n")
        self.history.refusals[row["what"]] = self.mask(text)

    def take_object(self, row: Json) -> None:
        meta = row["object"]["metadata"]
        if row["kind"] == "Event":
            self.take_event(row)
        elif row["kind"] == "Node":
            if meta["name"] not in self.start["slot_nodes"]:
                self.note_other_node(row)
            elif self.owns_nodes:
                self.take_node(row)
        elif row["kind"] in KINDS and self.names[meta["uid"]]:
            self.take_version(row)
            if row["kind"] == "EndpointSlice":
                self.take_slice(row)

    def take_version(self, row: Json) -> None:
        thing, now = row["object"], row["t"]
        place = self.names[thing["metadata"]["uid"]]
        assert place is not None
        if row["event"] == "DELETED":
            # What the last version says besides was never there to be read.
            self.history.put(place, "exists", now, "deleted")
            return
        self.history.put(place, "exists", now, "created")
        if thing["metadata"].get("deletionTimestamp"):
            self.history.put(place, "deletion", now, "requested")
        seen = set()
        for field, value, message in _list_pod_fields(thing) if row["kind"] == "Pod" else _list_fields(thing):
            seen.add(field)
            self.history.put(place, field, now, value, self.mask(message))
        for field, lane in self.history.objects[f"{place[0]}/{place[1]}"]["fields"].items():
            # What is no longer said: a condition is gone, a number is 0 again.
            is_condition = field.startswith("condition.")
            if field not in seen and lane and (is_condition or type(lane[-1][1]) is int):
                self.history.put(place, field, now, None if is_condition else 0)

    def take_slice(self, row: Json) -> None:
        """What a Service makes of a pod, over all its slices."""
        meta = row["object"]["metadata"]
        service = (meta.get("labels") or {}).get("kubernetes.io/service-name")
        found = {} if row["event"] == "DELETED" else _read_endpoints(row["object"])
        before = self.slices.get(meta["uid"], {})
        self.slices[meta["uid"]] = found
        for uid in {*before, *found}:
            place = self.names[uid]
            if service and place:
                self.history.put(place, f"endpoint.{service}", row["t"], found.get(uid))

    def take_event(self, row: Json) -> None:
        thing = row["object"]
        involved = thing.get("involvedObject") or {}
        kind, name = involved.get("kind"), involved.get("name")
        slot = self.start["slot_nodes"] if self.owns_nodes else []
        place = self.names[involved.get("uid", "")]
        is_ours = name in slot if kind == "Node" else kind in KINDS and (kind != "PersistentVolume" or place)
        if row["event"] == "DELETED" or row["t"] < 0 or not is_ours or thing["reason"] in OF_THIS_MACHINE:
            return
        if kind == "Node" and self.is_of_before(name, thing["reason"]):
            return
        where = f"{place[0]}/{place[2]}" if place else f"{kind}/{self.mask(name)}"
        count = (thing.get("series") or {}).get("count") or thing.get("count") or 1
        id_ = thing["metadata"]["uid"]
        if kind == "Node":
            # Earlier scenarios are counted in it.
            where, id_, count = f"Node/node-{slot.index(name) + 1}", f"{id_} {count}", 1
        source = (thing.get("source") or {}).get("component") or thing.get("reportingComponent") or ""
        message = self.mask(thing.get("message"))
        self.history.put_event(where, thing["reason"], thing["type"], source, id_, row["t"], count, message)

    def is_of_before(self, node: str, reason: str) -> bool:
        """Whether an event says that the cordon of an earlier scenario is over."""
        if reason == CORDONED:
            self.cordoned.add(node)
        return reason == UNCORDONED and node not in self.cordoned

    def take_node(self, row: Json) -> None:
        """Changes from what a node was at the start; conditions only where the scenario makes faults."""
        thing = row["object"]
        stable = f"node-{self.start['slot_nodes'].index(thing['metadata']['name']) + 1}"
        if row["event"] == "DELETED":
            self.history.put(("Node", stable, stable), "exists", row["t"], "deleted")
            return
        said: Json = {
            "unschedulable": (bool(thing["spec"].get("unschedulable")), ""),
            "taints": (_describe_taints(thing), ""),
        }
        if self.has_faults:
            conditions = _list_conditions(thing.get("status") or {})
            said |= {field: (value, self.mask(message)) for field, value, message in conditions}
        put_node_changes(self.history, stable, said, self.nodes, row["t"])

    def note_other_node(self, row: Json) -> None:
        """Why the scheduler does not take a node that is not the scenario's."""
        thing, others = row["object"], self.mask.others
        name = thing["metadata"]["name"]
        if row["event"] == "DELETED":
            others.pop(name, None)
            return
        is_shared = self.start["slot"] in SHARED_SLOTS
        taints = [
            one
            for one in thing["spec"].get("taints") or ()
            if one["effect"] != "PreferNoSchedule" and (is_shared or one["key"] != OWN_NODES_TAINT)
        ]
        if thing["spec"].get("unschedulable"):
            others[name] = UNSCHEDULABLE
        else:
            others[name] = TAINTED if taints else NOT_SELECTED


def _name_all(start: Json, rows: list[Json]) -> Names:
    names = Names()
    owners: list[Json] = []
    for row in rows:
        if row["type"] != "watch" or row["kind"] not in KINDS | {"ControllerRevision"}:
            continue
        meta = row["object"]["metadata"]
        is_volume = row["kind"] == "PersistentVolume"
        if is_volume and (meta.get("labels") or {}).get(VOLUME_OF) != start["namespace"]:
            continue
        owner = next((one for one in meta.get("ownerReferences") or () if one.get("controller")), None)
        names.add(meta["uid"], row["kind"], meta["name"], owner and owner["uid"])
        owners += [owner] if owner else []
    for owner in owners:
        # Services own slices, and were not watched.
        names.add(owner["uid"], owner["kind"], owner["name"], None)
    names.give()
    return names


def _list_pod_fields(thing: Json) -> Fields:
    status = thing.get("status") or {}
    yield "phase", status.get("phase"), ""
    yield "reason", status.get("reason"), ""
    if (thing.get("spec") or {}).get("nodeName"):
        yield "node", "yes", ""
    for group in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        for one in status.get(group) or ():
            yield from _list_container_fields(one)
    yield from _list_conditions(status)


def _list_container_fields(one: Json) -> Fields:
    stem = f"container.{one['name']}."
    for kind, state in (one.get("state") or {}).items():
        said = describe_state(kind.capitalize(), state.get("reason"), state.get("exitCode"))
        yield stem + "state", said, state.get("message") or ""
        yield stem + "signal", state.get("signal"), ""
    yield stem + "ready", one.get("ready", False), ""
    yield stem + "started", one.get("started"), ""
    yield stem + "restartCount", one.get("restartCount", 0), ""


def _list_conditions(status: Json) -> Fields:
    for one in status.get("conditions") or ():
        said = describe_condition(one.get("status"), one.get("reason"))
        yield f"condition.{one['type']}", said, one.get("message") or ""


def _list_fields(thing: Json) -> Fields:
    """Of all that is no pod: the numbers of its status, its conditions and a few more."""
    status, spec = thing.get("status") or {}, thing.get("spec") or {}
    for name, value in status.items():
        if isinstance(value, int) and not isinstance(value, bool) and name != "observedGeneration":
            yield name, value, ""
    if thing.get("kind") in CLAIM_KINDS:
        yield "phase", status.get("phase"), ""
    for name in ("completedIndexes", "failedIndexes"):
        if name in status:
            yield name, status[name] or None, ""
    revision = (thing["metadata"].get("annotations") or {}).get("deployment.kubernetes.io/revision")
    if revision is not None:
        yield "revision", int(revision), ""
    if thing.get("kind") in ("Job", "CronJob"):
        yield "suspended", bool(spec.get("suspend")), ""
    yield from _list_conditions(status)


def _read_endpoints(thing: Json) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for one in thing.get("endpoints") or ():
        said = one.get("conditions") or {}
        state = "ready" if said.get("ready") else None
        if said.get("terminating") and not state:
            state = "serving" if said.get("serving") else "terminating"
        found[(one.get("targetRef") or {}).get("uid", "")] = state
    return found


def _describe_taints(thing: Json) -> str | None:
    found = sorted(
        f"{one['key']}={one.get('value', '')}:{one['effect']}"
        for one in thing["spec"].get("taints") or ()
        if not one["key"].startswith("lab/")
    )
    return ",".join(found) or None
