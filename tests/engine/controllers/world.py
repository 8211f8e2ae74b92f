"""Controllers over a real API server, without scheduler and kubelets: tests say what becomes of pods."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from lifecycle.engine.api.context import Context
from lifecycle.engine.api.server import ApiServer
from lifecycle.engine.controllers import make_controllers
from lifecycle.engine.controllers.act import Actor
from lifecycle.engine.heart.agenda import Timer
from lifecycle.engine.heart.correlator import COMBINED
from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.heart.trace import EventRow, Transition, list_rows
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.meta import StoredObject
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet

NODES = ("node-1", "node-2", "node-3")


class World:
    """Pods run at once and exit `exit_ms` after they were told to.

    `ready_ms(pod, number)` says when a pod becomes Ready after its creation; None is never.
    """

    def __init__(
        self, ready_ms: Callable[[Pod, int], int | None] = lambda pod, number: 1000, **settings: Any
    ):
        self.context = Context(1, 0, Settings(timing="instant", **settings))
        self.store, self.clock = self.context.store, self.context.clock
        self.api = ApiServer(self.context)
        self.act = Actor(self.context, self.api).act
        self.controllers = make_controllers(self.context, self.act)
        self.ready_ms = ready_ms
        self.exit_ms = 1000
        self.rows: list[Any] = []
        self._made = 0
        self.store.listen("Pod", self._on_pod)
        self.context.loop.on_timer("start", self._start)
        self.context.loop.on_timer("ready", lambda timer: self.set_ready(timer.target, True))
        self.context.loop.on_timer("exit", self._exit)
        for name in ("default", "other"):
            self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self.add_nodes()

    def add_nodes(self) -> None:
        """Nodes without kubelets."""
        for name in NODES:
            self.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})

    # --- what becomes of pods -----------------------------------------------------------------------------

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is not None and old is None:
            self._made += 1
            self.context.later(0, "start", new.meta.uid, self._made)
        elif new is not None and old.meta.deletion_ms is None and new.meta.deletion_ms is not None:
            self.context.later(self.exit_ms, "exit", new.meta.uid)

    def _start(self, timer: Timer) -> None:
        """Bind a pod and have it run; it becomes Ready when the test says."""
        pod, number = self.store.pods.get(timer.target), timer.payload
        if pod is None:
            return
        status = pod.status.replace(phase="Running", conditions=_ready(False, 0))
        self.api.update(pod.with_status(status, NODES[number % 3]))
        delay_ms = self.ready_ms(pod, number)
        if delay_ms is not None:
            self.context.later(delay_ms, "ready", pod.meta.uid)

    def _exit(self, timer: Timer) -> None:
        pod = self.store.pods.get(timer.target)
        if pod is not None:
            self.api.delete_pod(pod, 0)

    def set_ready(self, uid: str, is_ready: bool) -> None:
        """A pod's Ready condition changes now."""
        pod = self.store.pods.get(uid)
        if pod is not None and pod.is_active and pod.is_ready != is_ready:
            status = pod.status.replace(conditions=_ready(is_ready, self.clock.now_ms))
            self.update(pod.with_status(status))

    # --- what a test does ---------------------------------------------------------------------------------

    def create(self, manifest: dict[str, Any]) -> StoredObject:
        """Create an object as a client does."""
        return self.api.create_json(copy.deepcopy(manifest))

    def apply(self, manifest: dict[str, Any]) -> None:
        """Create an object, or change its spec."""
        data = copy.deepcopy(manifest)
        namespace = data["metadata"].setdefault("namespace", "default")
        old = self.store.get(data["kind"], namespace, data["metadata"]["name"])
        if old is None:
            self.create(data)
        else:
            self._change(old, lambda spec: (spec.clear(), spec.update(data["spec"])))
        self.drain()

    def patch(self, name: str, **fields: Any) -> None:
        """Change fields of a Deployment's spec; `image` reaches into it."""

        def change(spec: dict[str, Any]) -> None:
            if image := fields.pop("image", None):
                spec["template"]["spec"]["containers"][0]["image"] = image
            spec.update(fields)

        self._change(self.deployment(name), change)
        self.drain()

    def _change(self, old: StoredObject, change: Callable[[dict[str, Any]], object]) -> None:
        data = copy.deepcopy(old.to_json())
        del data["metadata"]["resourceVersion"]
        change(data["spec"])
        self.api.update_json(old, data)

    def update(self, new: StoredObject) -> None:
        """Write an object made from the stored one, as a component does."""
        self.api.update(new)

    def delete(self, old: StoredObject, propagation: str = "Background") -> None:
        self.api.delete(old, propagation=propagation)

    def limit(self, **hard: str) -> None:
        """A quota `object-counts` for these amounts; without any, it goes."""
        old = self.store.get("ResourceQuota", "default", "object-counts")
        if old is not None:
            self.api.delete(old)
        if hard:
            meta = {"name": "object-counts", "namespace": "default"}
            self.create(
                {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta, "spec": {"hard": hard}}
            )

    def annotate(self, obj: StoredObject, **annotations: str) -> None:
        """Set annotations, as kubectl annotate does."""
        found = self.store.require(*obj.key)
        changed = {**found.meta.annotations, **annotations}
        self.update(found.replace(meta=found.meta.replace(annotations=changed)))
        self.drain()

    def drain(self) -> None:
        """Live the present instant to its end."""
        self.context.trace.at_ms = self.clock.now_ms
        self.context.loop.drain()
        self.rows.extend(list_rows(self.context.trace.take()[0]))

    def run(self, for_ms: int) -> None:
        """Live so many milliseconds."""
        end_ms = self.clock.now_ms + for_ms
        self.drain()
        while (due_ms := self.context.agenda.next_due_ms()) is not None and due_ms <= end_ms:
            self.clock.now_ms = due_ms
            self.drain()
        self.clock.now_ms = end_ms

    # --- what a test sees ---------------------------------------------------------------------------------

    def deployment(self, name: str = "web") -> Deployment:
        found = self.store.require("Deployment", "default", name)
        assert isinstance(found, Deployment)
        return found

    def sets(self, name: str = "web") -> list[ReplicaSet]:
        """The Deployment's sets, oldest first."""
        return [
            entry
            for entry in self.store.list("ReplicaSet")
            if isinstance(entry, ReplicaSet) and entry.meta.controller and entry.meta.controller.name == name
        ]

    def pods(self) -> list[Pod]:
        return [pod for pod in self.store.list("Pod") if isinstance(pod, Pod)]

    def sizes(self, name: str = "web") -> list[tuple[int, int, int]]:
        """(DESIRED, CURRENT, READY) of every set, oldest first."""
        return [(s.spec.replicas, s.status.replicas, s.status.ready_replicas) for s in self.sets(name)]

    def numbers(self, name: str = "web") -> tuple[int, int, int, int, int]:
        """(replicas, updated, ready, available, unavailable) of a Deployment."""
        status = self.deployment(name).status
        return (
            status.replicas,
            status.updated_replicas,
            status.ready_replicas,
            status.available_replicas,
            status.unavailable_replicas,
        )

    def condition(self, type: str, name: str = "web") -> tuple[str, str] | None:
        """(status, reason) of a Deployment's condition."""
        for entry in self.deployment(name).status.conditions:
            if entry.type == type:
                return entry.status, entry.reason
        return None

    def events(self, kind: str = "Deployment", since_ms: int = 0) -> list[str]:
        """Messages of the events about objects of a kind; sets are called A, B, C by age."""
        names = sorted(
            {row.subject.name for row in self.rows if row.subject.kind == "ReplicaSet"}, key=self._age
        )
        letters = dict(zip(names, "ABCDEFGHIJKLMN", strict=False))
        found = []
        for row in self.rows:
            if isinstance(row, EventRow) and row.subject.kind == kind and row.at_ms >= since_ms:
                message = row.message
                for name in names:
                    message = message.replace(name, letters[name])
                found.append(message)
        return found

    def event_rows(self, kind: str, reason: str) -> list[EventRow]:
        """Events of a reason about objects of a kind."""
        return [
            row
            for row in self.rows
            if isinstance(row, EventRow) and row.subject.kind == kind and row.reason == reason
        ]

    def _age(self, name: str) -> int:
        return next(row.seq for row in self.rows if row.subject.name == name)

    def scaled(self, since_ms: int = 0) -> str:
        """Scaling events in short: `A3 B1 A2`."""
        words = [
            message.removeprefix(COMBINED).split()
            for message in self.events(since_ms=since_ms)
            if message.removeprefix(COMBINED).startswith("Scaled")
        ]
        return " ".join(f"{entry[4]}{entry[-1]}" for entry in words)

    def transitions(self, kind: str, field: str) -> list[tuple[int, Any]]:
        """(instant, new value) of a field's rows."""
        return [
            (row.at_ms, row.new)
            for row in self.rows
            if isinstance(row, Transition) and row.subject.kind == kind and row.field == field
        ]


def _ready(is_ready: bool, now_ms: int) -> tuple[Condition, ...]:
    return (Condition("Ready", "True" if is_ready else "False", last_transition_ms=now_ms),)


def make_deployment(
    replicas: int = 3, name: str = "web", image: str = "nginx:1.14.2", **spec: Any
) -> dict[str, Any]:
    """The manifest of the documentation; `rolling` is its `spec.strategy.rollingUpdate`."""
    rolling = spec.pop("rolling", None)
    strategy = {"strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}} if rolling else {}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": "nginx"}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "nginx"}},
            "template": {
                "metadata": {"labels": {"app": "nginx"}},
                "spec": {"containers": [{"name": "nginx", "image": image}]},
            },
            **strategy,
            **spec,
        },
    }
