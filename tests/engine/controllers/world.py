"""A cluster of controllers alone: pods become Ready, or not, as a test says; nothing else takes time."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from lifecycle.engine.api.context import Context
from lifecycle.engine.controllers import make_controllers
from lifecycle.engine.heart.errors import Forbidden
from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.heart.trace import EventRow, Transition, list_rows
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.deployment import Deployment
from lifecycle.engine.objects.meta import ObjectMeta, StoredObject
from lifecycle.engine.objects.pod import Pod, PodStatus
from lifecycle.engine.objects.replica_set import ReplicaSet
from lifecycle.engine.rules.actions import Action, Create, CreatePod, Delete, DeletePod, RecordEvent, Update

NEVER = None
NODES = ("node-1", "node-2", "node-3")


class World:
    """`ready_ms(pod, number)` says when a pod becomes Ready after its creation; None is never."""

    def __init__(
        self, ready_ms: Callable[[Pod, int], int | None] = lambda pod, number: 1000, **settings: Any
    ):
        self.context = Context(1, 0, Settings(timing="instant", **settings))
        self.store, self.clock = self.context.store, self.context.clock
        self.ready_ms = ready_ms
        self.exit_ms = 1000
        self.pod_limit: int | None = None
        self.set_limit: int | None = None
        self.rows: list[Any] = []
        self.controllers = make_controllers(self.context, self.act)
        self.context.loop.on_timer("ready", lambda timer: self.set_ready(timer.target, True))
        self.context.loop.on_timer("gone", lambda timer: self._remove(timer.target))
        self._made = 0

    # --- acting -----------------------------------------------------------------------------------------

    def act(self, action: Action) -> None:
        match action:
            case CreatePod():
                self._create_pod(action)
            case DeletePod():
                self._delete_pod(action)
            case Create(new=new):
                if self.set_limit is not None and self.store.count("ReplicaSet") >= self.set_limit:
                    raise Forbidden(f'replicasets.apps "{new.meta.name}" is forbidden: exceeded quota: sets')
                self.create(new)
            case Update(new=new):
                self.update(new)
            case Delete(old=old, propagation=propagation):
                self.delete(old, propagation)
            case RecordEvent():
                self.context.trace.event(
                    action.about.subject, action.event_type, action.reason, action.message, action.source
                )

    def create(self, new: StoredObject) -> StoredObject:
        meta = new.meta.replace(
            uid=new.meta.uid or self.context.chance.uid(*new.key, self.clock.now_ms),
            creation_ms=self.clock.now_ms,
            generation=1,
        )
        return self.store.create(new.replace(meta=meta))

    def update(self, new: StoredObject) -> None:
        old = self.store.require(*new.key)
        if old.spec != new.spec:
            new = new.replace(meta=new.meta.replace(generation=old.meta.generation + 1))
        elif new.meta is not old.meta:
            new = new.replace(meta=new.meta.replace(generation=old.meta.generation))
        if new.meta.deletion_ms is not None and not new.meta.finalizers and not isinstance(new, Pod):
            self.store.remove(old)
            return
        self.store.update(old, new.replace())

    def delete(self, old: StoredObject, propagation: str = "Background") -> None:
        if isinstance(old, Pod):
            self._delete_pod(DeletePod(old))
            return
        finalizer = {"Foreground": ("foregroundDeletion",), "Orphan": ("orphan",)}.get(propagation, ())
        if finalizer:
            meta = old.meta.replace(deletion_ms=self.clock.now_ms, finalizers=finalizer)
            self.store.update(old, old.replace(meta=meta))
        else:
            self.store.remove(old)

    def _create_pod(self, action: CreatePod) -> None:
        if self.pod_limit is not None and self.store.count("Pod") >= self.pod_limit:
            raise Forbidden(
                f'pods "{action.generate_name}" is forbidden: exceeded quota: object-counts,'
                f" requested: pods=1, used: pods={self.store.count('Pod')}, limited: pods={self.pod_limit}"
            )
        number = self._made = self._made + 1
        uid, suffix = self.context.chance.uid_and_suffix(action.owner.meta.uid, number)
        meta = ObjectMeta(
            action.generate_name + suffix,
            action.owner.meta.namespace,
            uid,
            action.template.labels,
            action.template.annotations,
            (action.reference,),
            self.clock.now_ms,
            action.generate_name,
        )
        pod = Pod(meta=meta, spec=action.template.spec, status=PodStatus("Pending"))
        self.store.create(pod)
        text = f"Created pod: {meta.name}"
        self.context.trace.event(action.owner.subject, "Normal", "SuccessfulCreate", text, action.source)
        self.start(pod, number)

    def start(self, pod: Pod, number: int) -> None:
        """Bind a pod; it becomes Ready when the test says."""
        bound = pod.replace(
            node_name=NODES[number % 3],
            status=pod.status.replace(phase="Running", conditions=_ready(False, 0)),
        )
        self.store.update(pod, bound)
        delay_ms = self.ready_ms(pod, number)
        if delay_ms is not None:
            self.context.later(delay_ms, "ready", pod.meta.uid)

    def _delete_pod(self, action: DeletePod) -> None:
        pod = self.store.pods.get(action.pod.meta.uid)
        if pod is None or pod.meta.deletion_ms is not None:
            return
        meta = pod.meta.replace(deletion_ms=self.clock.now_ms + 30_000, deletion_grace_seconds=30)
        self.store.update(pod, pod.replace(meta=meta))
        if action.owner is not None:
            text = f"Deleted pod: {pod.meta.name}"
            self.context.trace.event(action.owner.subject, "Normal", "SuccessfulDelete", text, action.source)
        self.context.later(self.exit_ms, "gone", pod.meta.uid)

    def _remove(self, uid: str) -> None:
        pod = self.store.pods.get(uid)
        if pod is not None:
            self.store.remove(pod)

    def set_ready(self, uid: str, is_ready: bool) -> None:
        """A pod's Ready condition changes now."""
        pod = self.store.pods.get(uid)
        if pod is not None and pod.is_active and pod.is_ready != is_ready:
            status = pod.status.replace(conditions=_ready(is_ready, self.clock.now_ms))
            self.store.update(pod, pod.with_status(status))

    # --- what a test does ---------------------------------------------------------------------------------

    def apply(self, manifest: dict[str, Any]) -> None:
        """Create an object, or change its labels and spec."""
        data = copy.deepcopy(manifest)
        data["metadata"].setdefault("namespace", "default")
        classes: dict[str, type[StoredObject]] = {
            "Deployment": Deployment,
            "ReplicaSet": ReplicaSet,
            "Pod": Pod,
        }
        new = classes[data["kind"]].from_json(data)
        old = self.store.get(*new.key)
        if old is None:
            created = self.create(new)
            if isinstance(created, Pod):
                self._made += 1
                pending = created.replace(status=PodStatus("Pending"))
                self.store.update(created, pending)
                self.start(pending, self._made)
        else:
            self.update(old.replace(spec=new.spec))
        self.drain()

    def patch(self, name: str, **fields: Any) -> None:
        """Change fields of a Deployment's spec; `image` and `annotation` reach into it."""
        deployment = self.deployment(name)
        raw = copy.deepcopy(deployment.spec.raw)
        if image := fields.pop("image", None):
            raw["template"]["spec"]["containers"][0]["image"] = image
        raw.update(fields)
        data = {**deployment.to_json(), "spec": raw}
        self.update(deployment.replace(spec=Deployment.from_json(data).spec))
        self.drain()

    def annotate(self, obj: StoredObject, **annotations: str) -> None:
        """Set annotations, as kubectl annotate does."""
        found = self.store.require(*obj.key)
        self.update(
            found.replace(meta=found.meta.replace(annotations={**found.meta.annotations, **annotations}))
        )
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
            message.split() for message in self.events(since_ms=since_ms) if message.startswith("Scaled")
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
    """The manifest of the documentation, as the API server defaults it."""
    rolling = spec.pop("rolling", {})
    defaults = {
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%", **rolling},
        },
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
    }
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
            **defaults,
            **spec,
        },
    }
