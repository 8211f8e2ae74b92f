"""The one form that a recording of a real cluster and a trace of Podline are brought to.

A history is {"objects": {name: {kind, group, fields: {field: [[seconds, value, message], …]}}},
"events": {…}, "refusals": {title: message}, "outputs": […], "until": seconds}. Objects of one `group` are
interchangeable. Equal neighbours are one entry, the first.
"""

from __future__ import annotations

import re
from typing import Any

from tests.recordings.scenario_files import Json

Place = tuple[str, str, str]
"""(kind, stable name, group)."""

KINDS = frozenset(
    """
    Pod ReplicationController PersistentVolumeClaim PersistentVolume Deployment ReplicaSet StatefulSet
    DaemonSet Job CronJob PodDisruptionBudget EndpointSlice HorizontalPodAutoscaler
    """.split()
)
"""Kinds whose objects were watched on the real cluster; nodes and events are read by themselves."""
CLAIM_KINDS = ("PersistentVolumeClaim", "PersistentVolume")
LOST_POD = re.compile(r"condition\.Ready$")
"""What a fault of its node changes of a pod besides."""
HOLLOW_POD = re.compile(
    r"exists$|deletion$|node$|phase$|reason$|condition\.(PodScheduled|DisruptionTarget)$|endpoint\."
)
"""What is true of a pod on a hollow node. Runtime and probes are fakes: it is Ready before it runs."""
FAULT_STEP = re.compile(r", (fault|remove) at ")
NODE_STEP = re.compile(r", (cordon|uncordon|taint|drain|fault|remove) at ")


class History:
    """Collects values; equal neighbours are one. Zeros and `none` before the first value are none."""

    def __init__(self) -> None:
        self.objects: dict[str, Json] = {}
        self.events: dict[str, Json] = {}
        self.refusals: dict[str, str] = {}
        self.outputs: list[list[Any]] = []
        """[seconds, title of the step, stream, line] of programs such as `kubectl drain`."""

    def put(self, place: Place, field: str, now: float, value: Any, message: str = "") -> None:
        """A field of an object has a value from `now`, in seconds, on."""
        kind, name, group = place
        entry = self.objects.setdefault(
            f"{kind}/{name}", {"kind": kind, "group": f"{kind}/{group}", "fields": {}}
        )
        lane = entry["fields"].setdefault(field, [])
        if (value != lane[-1][1]) if lane else not _is_nothing(field, value):
            lane.append([round(now, 3), value, message])

    def put_event(
        self, place: str, reason: str, type_: str, source: str, id_: str, now: float, count: int, message: str
    ) -> None:
        """A repeated event has one id; its count is the last one said."""
        found = self.events.setdefault(
            f"{place} {reason} ({type_})", {"first": now, "ids": {}, "messages": []}
        )
        found["first"] = min(found["first"], now)
        found["source"] = source
        found["ids"][id_] = max(count, found["ids"].get(id_, 0))
        if message not in found["messages"]:
            found["messages"].append(message)

    def finish(self, until: float, nodes: str, has_faults: bool) -> Json:
        """The history, in order, without what is not true on hollow nodes."""
        if nodes == "hollow":
            self._drop_fakes(has_faults)
        for event in self.events.values():
            ids = event.pop("ids")
            event["count"], event["told"] = sum(ids.values()), len(ids)
            event["messages"].sort()
        for entry in self.objects.values():
            entry["fields"] = {field: lane for field, lane in sorted(entry["fields"].items()) if lane}
        return {
            "objects": {name: one for name, one in self.objects.items() if one["fields"]},
            "events": self.events,
            "refusals": self.refusals,
            "outputs": self.outputs,
            "until": until,
        }

    def _drop_fakes(self, has_faults: bool) -> None:
        self.events = {key: one for key, one in self.events.items() if one["source"] != "kubelet"}
        for entry in self.objects.values():
            if entry["kind"] == "Pod":
                entry["fields"] = {
                    field: lane
                    for field, lane in entry["fields"].items()
                    if HOLLOW_POD.match(field) or (has_faults and LOST_POD.match(field))
                }


def _is_nothing(field: str, value: Any) -> bool:
    """Whether a first value says no more than none: absent, or a count of 0."""
    return value is None or (type(value) is int and value == 0 and field != "revision")


def put_node_changes(history: History, name: str, said: Json, nodes: dict[str, Json], now: float) -> None:
    """Put what changed from what a node was at the start. `said`: field -> (value, message)."""
    before = nodes.setdefault(name, dict(said))
    for field, (value, message) in said.items():
        if value != before.get(field, (None, ""))[0]:
            history.put(("Node", name, name), field, max(now, 0.0), value, message)
    nodes[name] = before | said


def describe_state(kind: str, reason: str | None, exit_code: int | None) -> str:
    """`Terminated Error exit 1`"""
    return kind + (f" {reason}" if reason else "") + (f" exit {exit_code}" if kind == "Terminated" else "")


def describe_condition(status: Any, reason: str | None) -> str | None:
    """`False ContainersNotReady`"""
    return None if status is None else f"{status} {reason}" if reason else status


def without_claims(history: Json) -> Json:
    """Claims and volumes are of interest to the scenarios about them."""
    objects = {name: one for name, one in history["objects"].items() if one["kind"] not in CLAIM_KINDS}
    events = {key: one for key, one in history["events"].items() if key.split("/")[0] not in CLAIM_KINDS}
    return history | {"objects": objects, "events": events}
