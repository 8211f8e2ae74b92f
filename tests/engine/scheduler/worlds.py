"""A cluster of nodes and pods without kubelets, for the scheduler alone: a bound pod stays as it is."""

from __future__ import annotations

from typing import Any

from lifecycle.engine.api.context import Context
from lifecycle.engine.api.server import ApiServer
from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.heart.trace import EventRow, list_rows
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.scheduler import Scheduler

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
Json = dict[str, Any]


class Cluster:
    """Nodes are made by `node`, pods by `pod`, which answers the node that each got, "" for none."""

    def __init__(self, seed: int = 1) -> None:
        self.context = Context(seed, 0, Settings(timing="instant"))
        self.api, self.store = ApiServer(self.context), self.context.store
        self.scheduler = Scheduler(self.context)
        self.rows: list[Any] = []
        self.namespace("default")

    def make(self, api_version: str, kind: str, name: str, **fields: Any) -> Any:
        meta = {"name": name, **fields.pop("metadata", {})}
        made = self.api.create_json({"apiVersion": api_version, "kind": kind, "metadata": meta, **fields})
        self.drain()
        return made

    def namespace(self, name: str, **labels: str) -> None:
        self.make("v1", "Namespace", name, metadata={"labels": labels})

    def node(
        self, name: str, zone: str = "", cpu: str = "4", labels: Json | None = None, **spec: Any
    ) -> None:
        zoned = {ZONE: zone} if zone else {}
        has = {"cpu": cpu, "memory": "8Gi", "pods": "110"}
        self.make(
            "v1", "Node", name, spec=spec, status={"allocatable": has, "capacity": has},
            metadata={"labels": {HOST: name, **zoned, **(labels or {})}},
        )  # fmt: skip

    def priority(self, name: str, value: int, **fields: Any) -> None:
        self.make("scheduling.k8s.io/v1", "PriorityClass", name, value=value, **fields)

    def pod(
        self, name: str, app: str = "web", cpu: str = "100m", space: str = "default",
        labels: Json | None = None, **spec: Any,
    ) -> str:  # fmt: skip
        container = {"name": "app", "image": "x", "resources": {"requests": {"cpu": cpu}}}
        meta = {"namespace": space, "labels": {"app": app, **(labels or {})}}
        self.make("v1", "Pod", name, metadata=meta, spec={"containers": [container], **spec})
        return self.node_of(name, space)

    def find(self, name: str, space: str = "default") -> Pod:
        found = self.store.require("Pod", space, name)
        assert isinstance(found, Pod)
        return found

    def node_of(self, name: str, space: str = "default") -> str:
        return self.find(name, space).node_name

    def delete(self, name: str, space: str = "default", grace: int | None = 0) -> None:
        self.api.delete(self.find(name, space), grace_seconds=grace)
        self.drain()

    def change_node(self, name: str, **spec: Any) -> None:
        old = self.store.require("Node", "", name)
        data = old.to_json()
        self.api.update_json(old, {**data, "spec": {**(data.get("spec") or {}), **spec}})
        self.drain()

    def drain(self) -> None:
        self.context.loop.drain()
        self.rows += list_rows(self.context.trace.take()[0])

    def to(self, seconds: float) -> None:
        """Let time pass, timer by timer."""
        clock, agenda = self.context.clock, self.context.agenda
        while (due_ms := agenda.next_due_ms()) is not None and due_ms <= seconds * 1000:
            clock.now_ms = self.context.trace.at_ms = due_ms
            self.drain()
        clock.now_ms = self.context.trace.at_ms = int(seconds * 1000)

    def events(self, reason: str, name: str = "") -> list[str]:
        rows = [row for row in self.rows if isinstance(row, EventRow) and row.reason == reason]
        return [row.message for row in rows if name in ("", row.subject.name)]

    def why(self, name: str) -> str:
        """What each node lacks, as the pod's condition says it."""
        (condition,) = (one for one in self.find(name).status.conditions if one.type == "PodScheduled")
        return condition.message.partition(": ")[2].partition(". ")[0].removesuffix(".")


def selects(app: str) -> Json:
    return {"matchLabels": {"app": app}}


def spread(
    key: str = ZONE, skew: int = 1, when: str = "DoNotSchedule", app: str = "web", **fields: Any
) -> Json:
    """A spec of one constraint."""
    one = {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": when, "labelSelector": selects(app)}
    return {"topologySpreadConstraints": [{**one, **fields}]}


def near(app: str, key: str = ZONE, **fields: Any) -> Json:
    term = {"labelSelector": selects(app), "topologyKey": key, **fields}
    return {"affinity": {"podAffinity": {REQUIRED: [term]}}}


def apart(app: str, key: str = ZONE, **fields: Any) -> Json:
    term = {"labelSelector": selects(app), "topologyKey": key, **fields}
    return {"affinity": {"podAntiAffinity": {REQUIRED: [term]}}}


def prefers(kind: str, app: str, weight: int = 100, key: str = ZONE) -> Json:
    term = {"labelSelector": selects(app), "topologyKey": key}
    return {"affinity": {kind: {PREFERRED: [{"weight": weight, "podAffinityTerm": term}]}}}
