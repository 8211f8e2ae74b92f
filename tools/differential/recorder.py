"""Runs scenarios on a real cluster and writes down what its watches see, in the form of tests/recordings.

Several run beside each other, each in a namespace and on nodes of its own: pods are given a selector and a
toleration for them, which the reader of recordings takes off again.
"""

from __future__ import annotations

import gzip
import json
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.differential.case import Case
from tools.differential.client import MERGE, Answer, Client, Json, path_of
from tools.differential.steps import OWN_NODES_TAINT, Sender, Silence, rename_nodes
from tools.differential.watches import Heard, Watches

WATCHED = (
    *("Pod", "Event", "ReplicationController", "PersistentVolumeClaim", "Deployment", "ReplicaSet"),
    *("StatefulSet", "DaemonSet", "Job", "CronJob", "PodDisruptionBudget", "EndpointSlice"),
    *("HorizontalPodAutoscaler", "Node", "Namespace"),
)
SLOT_LABEL = "lab/slot"
ZONE_LABEL = "topology.kubernetes.io/zone"
"""A slot is a zone of its own: how many nodes are lost, and how fast they are tainted, goes by zone."""
TOLERATION = {"key": OWN_NODES_TAINT["key"], "operator": "Exists", "effect": "NoSchedule"}
NODES_OF_A_SLOT = 3
SETTLE_SECONDS = 1.5
APART_SECONDS = 0.3
"""Between two requests of one instant: which controllers look in between is not to hang on a few ms."""
GONE_SECONDS = READY_SECONDS = 30


@dataclass(frozen=True)
class Slot:
    """Nodes that one scenario at a time has to itself."""

    name: str
    nodes: list[str]


def make_slots(count: int) -> list[Slot]:
    """The slots of a cluster of hollow nodes."""
    return [
        Slot(
            f"s{at}", [f"hollow-{NODES_OF_A_SLOT * at + number}" for number in range(1, NODES_OF_A_SLOT + 1)]
        )
        for at in range(count)
    ]


@dataclass
class Recording:
    """What one scenario's watches have seen so far."""

    namespace: str
    slot: Slot
    started: float
    rows: list[Json] = field(default_factory=list)

    def hear(self, heard: Heard) -> None:
        meta = heard.thing["metadata"]
        is_ours = meta.get("namespace") == self.namespace
        if heard.kind == "Event" and not is_ours:
            is_ours = heard.thing["involvedObject"].get("name") in self.slot.nodes
        if heard.kind == "Node":
            is_ours = meta["name"] in self.slot.nodes
        if is_ours:
            now = round(heard.at_seconds - self.started, 3)
            self.rows.append(
                {"t": now, "type": "watch", "event": heard.event, "kind": heard.kind, "object": heard.thing}
            )

    def note(self, what: str, answer: Answer, now: float) -> None:
        row: Json = {"t": round(now, 3), "type": "call", "what": what, "code": answer.code}
        if not answer.is_ok:
            row["message"] = answer.body.get("message", "")
        self.rows.append(row)

    def write(self, case: Case, wall: str, version: str, path: Path) -> None:
        start = {
            "type": "start",
            "scenario": case.name,
            "namespace": self.namespace,
            "nodes": "hollow",
            "slot": self.slot.name,
            "slot_nodes": self.slot.nodes,
            "node_count": len(self.slot.nodes),
            "wall": wall,
            "until": float(case.until_seconds),
            "version": version,
        }
        rows = sorted(self.rows, key=lambda row: row["t"])
        with gzip.open(path, "wt") as file:
            for row in (start, *rows, {"type": "end"}):
                file.write(json.dumps(row, separators=(",", ":")) + "\n")


class Recorder:
    """Records scenarios on one cluster."""

    def __init__(
        self,
        client: Client,
        watches: Watches,
        kubectl: str = "",
        silence: Silence | None = None,
        timing: Json | None = None,
    ) -> None:
        """`timing`: what is known of the nodes' latencies."""
        self._client, self._watches = client, watches
        self._kubectl, self._silence = kubectl, silence
        self.timing = timing or {}
        self.version = client.ask("GET", "version").body["gitVersion"]
        # As ours is told it: v1.35 of v1.35.6 and of v1.35.6+k3s1.
        self.release = ".".join(self.version.split(".")[:2])

    def record(self, case: Case, slot: Slot, path: Path) -> str:
        """Run one scenario and write its recording. Returns the time of day at which it began.

        Raises OSError when the cluster could not be heard to the end, ValueError for a step it cannot take.
        """
        namespace = f"lab-{case.name}-{secrets.token_hex(2)}"
        self._prepare(namespace, slot)
        nodes = [self._client.ask("GET", path_of("Node", name=node)).body for node in slot.nodes]
        found = Recording(namespace, slot, time.monotonic())
        wall = datetime.now(UTC).isoformat()
        for node in nodes:
            found.hear(Heard(found.started, "ADDED", "Node", {"kind": "Node", **node}))
        self._watches.add(found.hear)
        try:
            self._live(case, found)
        finally:
            self._watches.remove(found.hear)
        if self._watches.breaks:
            raise OSError(f"a watch broke: {self._watches.breaks[0]}")
        found.write(case, wall, self.version, path)
        self._clean(namespace, case)
        return wall

    def _prepare(self, namespace: str, slot: Slot) -> None:
        """A namespace with the account that its pods need, and nodes as if nothing had been done to them."""
        made = self._client.ask("POST", path_of("Namespace"), {"metadata": {"name": namespace}})
        if not made.is_ok:
            raise OSError(f"no namespace {namespace}: {made.body.get('message')}")
        for node in slot.nodes:
            self._reset_node(node)
        account = path_of("ServiceAccount", namespace, "default")
        deadline = time.monotonic() + READY_SECONDS
        while not self._client.ask("GET", account).is_ok:
            if time.monotonic() > deadline:
                raise OSError(
                    f"{namespace} got no ServiceAccount `default`: does the controller manager run?"
                )
            time.sleep(0.1)
        time.sleep(SETTLE_SECONDS)

    def _reset_node(self, node: str) -> None:
        path = path_of("Node", name=node)
        labels = {"disk": None}
        patch = {"metadata": {"labels": labels}, "spec": {"taints": [OWN_NODES_TAINT], "unschedulable": None}}
        self._client.ask("PATCH", path, patch, MERGE)

    def _live(self, case: Case, found: Recording) -> None:
        sender = Sender(self._client, found.namespace, self._kubectl, self._silence)
        file, now = case.to_file(), 0.0
        for number, manifest in enumerate(file.given, 1):
            _wait_until(found.started + (number - 1) * APART_SECONDS)
            now = time.monotonic() - found.started
            title = f"manifest {number}, {manifest['kind']} {manifest['metadata']['name']}"
            found.note(title, sender.create(fit_to_slot(manifest, found.slot)), now)
        for step, title in zip(file.steps, file.step_titles, strict=True):
            _wait_until(found.started + max(step.at_seconds, now + APART_SECONDS))
            now = time.monotonic() - found.started
            found.note(title, sender.take(step.kind, rename_nodes(step.payload, found.slot.nodes)), now)
        _wait_until(found.started + case.until_seconds + 1)

    def _clean(self, namespace: str, case: Case) -> None:
        """Take all away, whatever a finalizer says, and wait until the nodes are free."""
        self._client.ask("DELETE", path_of("Namespace", name=namespace))
        deadline = time.monotonic() + GONE_SECONDS
        kinds = {manifest["kind"] for manifest in case.manifests} | {"Pod"}
        while time.monotonic() < deadline:
            left = [one for kind in sorted(kinds) for one in self._release(kind, namespace)]
            if not left:
                return
            time.sleep(0.5)

    def _release(self, kind: str, namespace: str) -> list[Json]:
        things: list[Json] = self._client.ask("GET", path_of(kind, namespace)).body["items"]
        for thing in things:
            if thing["metadata"].get("finalizers"):
                path = path_of(kind, namespace, thing["metadata"]["name"])
                patch = {"metadata": {"finalizers": None}}
                self._client.ask("PATCH", path, patch, MERGE)
        return things


def fit_to_slot(manifest: Json, slot: Slot) -> Json:
    """The manifest for a slot: each pod template is kept to the slot's nodes."""
    found: Json = rename_nodes(manifest, slot.nodes)
    for spec in _list_pod_specs(found):
        spec["nodeSelector"] = {**spec.get("nodeSelector", {}), SLOT_LABEL: slot.name}
        spec["tolerations"] = [*spec.get("tolerations", []), TOLERATION]
    return found


def _wait_until(instant: float) -> None:
    time.sleep(max(0.0, instant - time.monotonic()))


def _list_pod_specs(manifest: Json) -> list[Any]:
    spec = manifest.get("spec", {})
    if manifest["kind"] == "Pod":
        return [spec]
    template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
    return [template["spec"]] if template else []
