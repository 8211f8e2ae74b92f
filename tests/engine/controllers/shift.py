"""Jobs in a whole cluster, and what became of each of their pods by its versions."""

from __future__ import annotations

from typing import Any

from lifecycle.engine import Cluster
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.job import TRACKING_FINALIZER, Job
from lifecycle.engine.upgrades import Known
from tests.engine.controllers.door import Door

TERMINAL = ("Complete", "Failed")


def make_job(
    name: str = "work",
    command: str = "sleep 5",
    policy: str = "Never",
    labels: dict[str, str] | None = None,
    pod: dict[str, Any] | None = None,
    **spec: Any,
) -> dict[str, Any]:
    """A Job of one shell script."""
    container = {"name": "main", "image": "busybox:1.36", "command": ["sh", "-c", command]}
    template: dict[str, Any] = {"spec": {"restartPolicy": policy, "containers": [container], **(pod or {})}}
    if labels is not None:
        template["metadata"] = {"labels": labels}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {**spec, "template": template},
    }


class Shift(Door):
    """A door that keeps the last version of each pod that was still tracked, and how many were active."""

    def __init__(self, timing: Any = "instant", seed: int = 1, kubernetes: str | None = None) -> None:
        super().__init__(timing, {}, seed, kubernetes)
        self.last_tracked: dict[str, Pod] = {}
        self.released: set[str] = set()
        self.most_active = self.most_alive = 0
        self._alive: dict[str, Pod] = {}

    def look(self) -> None:
        """Take in what has happened."""
        changes = self.cluster.take_changes()
        self._rows += [row_to_json(row) for row in changes.rows]
        for version in changes.versions:
            pod = version.new
            if not isinstance(pod, Pod) or pod.meta.controller is None:
                continue
            uid = pod.meta.uid
            if TRACKING_FINALIZER in pod.meta.finalizers:
                assert uid not in self.released, f"{pod.meta.name} is tracked again"
                self.last_tracked[uid] = pod
            elif uid in self.last_tracked:
                self.released.add(uid)
            if version.type == "DELETED":
                self._alive.pop(uid, None)
            else:
                self._alive[uid] = pod
            alive = [one for one in self._alive.values() if not one.is_finished]
            self.most_alive = max(self.most_alive, len(alive))
            self.most_active = max(self.most_active, sum(one.is_active for one in alive))

    @property
    def rows(self) -> list[dict[str, Any]]:
        self.look()
        return self._rows

    def job(self, name: str = "work") -> Job:
        found = self.cluster.find("Job", "default", name)
        assert isinstance(found, Job), name
        return found

    def status(self, name: str = "work") -> dict[str, Any]:
        return dict(self.get("Job", name).get("status") or {})

    def conditions(self, name: str = "work") -> list[tuple[str, str, str]]:
        """(type, status, reason), in the order in which they are told."""
        found = self.status(name).get("conditions", [])
        return [(one["type"], one["status"], one.get("reason", "")) for one in found]

    def told(self, name: str = "work") -> list[str]:
        """Reasons of the Job's events."""
        return [
            row["reason"]
            for row in self.rows
            if row["type"] == "event" and row["kind"] == "Job" and row["name"] == name
        ]

    def created(self) -> list[int]:
        """When pods came to be, in ms."""
        return [at_ms for at_ms, new in self.lane("Pod", "exists") if new == "created"]

    def patch(self, name: str = "work", /, **spec: Any) -> dict[str, Any]:
        """A merge patch of the Job's spec that must pass."""
        payload = {"patch": {"spec": spec}, "type": "merge"}
        return self.done("patch", kind="Job", namespace="default", name=name, **payload)

    def save_and_load(self) -> None:
        """Go on in another engine."""
        self.look()
        self.cluster = Cluster.load(self.cluster.save())

    def take_up(self, old: list[dict[str, Any]]) -> None:
        """Go on in another engine, from what an older one had stored of some objects."""
        self.look()
        cluster, kept = self.cluster, {(one["kind"], one["metadata"]["name"]): one for one in old}
        objects = [
            kept.get((data["kind"], data["metadata"]["name"]), data)
            for kind in cluster.kinds()
            for data in cluster.list(kind)
        ]
        saved = cluster.save()
        known = Known(
            cluster.seed,
            cluster.epoch_ms,
            cluster.settings,
            cluster.now_ms,
            saved["trace"]["seq"],
            saved["resource_version"],
            objects,
            saved["creations"],
        )
        self.cluster = Cluster.take_up(known, None)
