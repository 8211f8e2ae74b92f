"""The set `web` of the documentation in a world without kubelets: what tests do and see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifecycle.engine.heart.trace import EventRow, Transition
from lifecycle.engine.objects.meta import StoredObject
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.stateful_set import StatefulSet
from tests.engine.controllers.world import World


def make_stateful_set(replicas: int = 3, claims: bool = True, image: str = "nginx:1", **spec: Any) -> Any:
    """`rolling` is its `updateStrategy.rollingUpdate`, `retention` (whenDeleted, whenScaled)."""
    rolling, retention = spec.pop("rolling", None), spec.pop("retention", None)
    if rolling is not None:
        spec["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": rolling}
    if retention is not None:
        deleted, scaled = retention
        spec["persistentVolumeClaimRetentionPolicy"] = {"whenDeleted": deleted, "whenScaled": scaled}
    container: dict[str, Any] = {"name": "nginx", "image": image}
    if claims:
        container["volumeMounts"] = [{"name": "www", "mountPath": "/usr/share/nginx/html"}]
        storage = {"requests": {"storage": "1Gi"}}
        own = {"storageClassName": "mine", "accessModes": ["ReadWriteOnce"], "resources": storage}
        spec["volumeClaimTemplates"] = [{"metadata": {"name": "www"}, "spec": own}]
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "serviceName": "nginx",
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "nginx"}},
            "template": {
                "metadata": {"labels": {"app": "nginx"}},
                "spec": {"terminationGracePeriodSeconds": 10, "containers": [container]},
            },
            **spec,
        },
    }


class Web(World):
    """The world with the set in it. Pods are Ready after `ready` ms, gone `exit_ms` after their deletion."""

    def __init__(
        self,
        manifest: Any = None,
        ready: int | Callable[[Pod, int], int | None] = 2000,
        exit_ms: int = 4000,
        **settings: Any,
    ) -> None:
        super().__init__(ready if callable(ready) else lambda pod, number: ready, **settings)
        self.exit_ms = exit_ms
        self.apply(manifest if manifest is not None else make_stateful_set())

    @property
    def set(self) -> StatefulSet:
        found = self.store.require("StatefulSet", "default", "web")
        assert isinstance(found, StatefulSet)
        return found

    def pod(self, name: str) -> Pod:
        found = self.store.require("Pod", "default", name)
        assert isinstance(found, Pod)
        return found

    def claim(self, name: str) -> StoredObject:
        return self.store.require("PersistentVolumeClaim", "default", name)

    def claims(self) -> list[str]:
        return sorted(one.meta.name for one in self.store.list("PersistentVolumeClaim"))

    def names(self) -> list[str]:
        return sorted(pod.meta.name for pod in self.pods())

    def images(self) -> dict[str, str]:
        return {pod.meta.name: pod.spec.containers[0].image for pod in self.pods()}

    def change(self, **spec: Any) -> None:
        """Change fields of the set's spec; `image` reaches into it."""

        def write(data: dict[str, Any]) -> None:
            if image := spec.pop("image", None):
                data["template"]["spec"]["containers"][0]["image"] = image
            data.update(spec)

        self._change(self.set, write)
        self.drain()

    def remove(self, name: str) -> None:
        """`kubectl delete pod`"""
        self.delete(self.pod(name))
        self.drain()

    def unready(self, name: str, is_ready: bool = False) -> None:
        self.set_ready(self.pod(name).meta.uid, is_ready)
        self.drain()

    def end(self, name: str, phase: str = "Failed") -> None:
        """A pod ends by itself."""
        pod = self.pod(name)
        self.update(pod.with_status(pod.status.replace(phase=phase, conditions=())))
        self.drain()

    def lane(self, field: str, kind: str = "Pod", since_ms: int = 0) -> list[tuple[int, str, Any]]:
        """(instant, name, new value) of a field's rows."""
        return [
            (row.at_ms, row.subject.name, row.new)
            for row in self.rows
            if isinstance(row, Transition)
            and row.subject.kind == kind
            and row.field == field
            and row.at_ms >= since_ms
        ]

    def made(self, kind: str = "Pod", since_ms: int = 0) -> list[tuple[int, str]]:
        return [(at, name) for at, name, new in self.lane("exists", kind, since_ms) if new == "created"]

    def gone(self, kind: str = "Pod", since_ms: int = 0) -> list[tuple[int, str]]:
        return [(at, name) for at, name, new in self.lane("exists", kind, since_ms) if new == "deleted"]

    def marked(self, since_ms: int = 0) -> list[tuple[int, str]]:
        """When pods were told to go."""
        return [
            (at, name) for at, name, new in self.lane("deletion", since_ms=since_ms) if new == "requested"
        ]

    def told(self, reason: str, since_ms: int = 0) -> list[str]:
        """Messages of events about the set."""
        return [
            row.message
            for row in self.rows
            if isinstance(row, EventRow)
            and row.subject.kind == "StatefulSet"
            and row.reason == reason
            and row.at_ms >= since_ms
        ]

    def counts(self) -> tuple[int, int, int, int, int]:
        """(replicas, ready, current, updated, available)"""
        status = self.set.status
        return (
            status.replicas,
            status.ready_replicas,
            status.current_replicas,
            status.updated_replicas,
            status.available_replicas,
        )

    def revisions(self) -> dict[str, int]:
        """Numbers by name."""
        found = self.store.list("ControllerRevision")
        return {one.meta.name: (one.extra or {})["revision"] for one in found}
