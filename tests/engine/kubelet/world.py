"""A cluster behind its door, and its rows as lanes: what happened when, in seconds."""

import json
from typing import Any

from lifecycle.engine import Cluster, Command, Result, Settings
from lifecycle.engine.heart.trace import row_to_json

EPOCH_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z
Lane = list[tuple[float, Any]]


class World:
    """One node unless said otherwise; pods are called `web` unless named."""

    def __init__(
        self,
        gates: dict[str, bool] | None = None,
        kubernetes: str | None = None,
        kubelet: list[dict[str, Any]] | None = None,
        nodes: int = 1,
        timing: Any = "instant",
        manager: dict[str, Any] | None = None,
    ) -> None:
        settings = Settings(
            timing=timing,
            nodes={"count": nodes},
            feature_gates=gates or {},
            kubernetes=kubernetes,
            kubelet=kubelet or [],
            controller_manager=manager,
        )
        self.cluster = Cluster(seed=1, epoch_ms=EPOCH_MS, settings=settings)
        self.commands = 0
        self._rows: list[dict[str, Any]] = []
        # Of what `rows` has been read for: (uid, container, attempt, instant in ms, line).
        self.logs: list[tuple[str, str, int, int, str]] = []

    def submit(self, command: str, /, **payload: Any) -> Result:
        self.commands += 1
        return self.cluster.submit(Command(id=f"c{self.commands}", kind=command, payload=payload))

    def create(self, obj: dict[str, Any]) -> Result:
        return self.submit("create", object=obj)

    def pod(self, *apps: Any, behavior: Any = None, meta: Any = None, init: Any = (), **spec: Any) -> Result:
        """Create the pod `web`. Containers by name or as dicts; a name ending in `*` is a sidecar."""
        metadata: dict[str, Any] = {"name": "web", "namespace": "default", **(meta or {})}
        if behavior:
            metadata["annotations"] = {"podline.dev/behavior": json.dumps(behavior)}
        pod_spec = {"containers": [_container(one) for one in apps or ("app",)], **self._with_class(spec)}
        if init:
            pod_spec["initContainers"] = [_container(one) for one in init]
        return self.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec})

    def _with_class(self, spec: dict[str, Any]) -> dict[str, Any]:
        """A priority comes from a class: one is made for it."""
        value = spec.get("priority")
        if not value:
            return spec
        name = f"of-{'minus-' * (value < 0)}{abs(value)}"
        if self.cluster.get("PriorityClass", "", name) is None and value <= 1_000_000_000:
            kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
            assert self.create({**kind, "metadata": {"name": name}, "value": value}).ok
        named = name if value <= 1_000_000_000 else "system-cluster-critical"
        return {**spec, "priorityClassName": named}

    def delete(self, seconds: int | None = None, force: bool = False, name: str = "web") -> Result:
        payload: dict[str, Any] = {"kind": "Pod", "namespace": "default", "name": name}
        if seconds is not None:
            payload["gracePeriodSeconds"] = seconds
        if force:
            payload["force"] = True
        return self.submit("delete", **payload)

    def patch(self, patch: Any, subresource: str | None = None, name: str = "web") -> Result:
        where = {"subresource": subresource} if subresource else {}
        return self.submit(
            "patch", kind="Pod", namespace="default", name=name, type="merge", patch=patch, **where
        )

    def to(self, seconds: float) -> "World":
        self.cluster.run_until(round(seconds * 1000))
        return self

    @property
    def rows(self) -> list[dict[str, Any]]:
        changes = self.cluster.take_changes()
        self._rows += [row_to_json(row) for row in changes.rows]
        self.logs += changes.logs
        return self._rows

    def get(self, name: str = "web", kind: str = "Pod") -> dict[str, Any] | None:
        return self.cluster.get(kind, "default", name)

    def slices(self) -> list[dict[str, Any]]:
        """The EndpointSlices of all Services but the API server's own."""
        found = self.cluster.list("EndpointSlice", "default")
        return [one for one in found if one["metadata"]["name"] != "kubernetes"]

    def status(self, name: str = "web") -> dict[str, Any]:
        found = self.get(name)
        assert found is not None
        return found["status"]

    def container(self, name: str = "app", pod: str = "web") -> dict[str, Any]:
        status = self.status(pod)
        lists = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
        return next(one for part in lists for one in status.get(part, []) if one["name"] == name)

    def lane(self, field: str, name: str = "web") -> Lane:
        """(seconds, new value) of one field; of a node's conditions without what it registers with."""
        return [
            (row["at_ms"] / 1000, row["new"])
            for row in self.rows
            if row["type"] == "transition" and row["name"] == name and row["field"] == field
            if row["kind"] != "Node" or row["old"] is not None or not field.startswith("condition.")
        ]

    def at(self, field: str, value: Any, name: str = "web") -> list[float]:
        """When a field took a value."""
        return [seconds for seconds, new in self.lane(field, name) if new == value]

    def starts(self, container: str = "app", name: str = "web") -> list[float]:
        return self.at(f"container.{container}.state", "Running", name)

    def ends(self, container: str = "app", name: str = "web") -> list[tuple[float, Any]]:
        """(seconds, exit code) of every end, when it came about; of a pod being stopped it is told later."""
        return [
            (row["detail"].get("finishedAt_ms", row["at_ms"]) / 1000, row["detail"]["exitCode"])
            for row in self.rows
            if row["type"] == "transition"
            and row["name"] == name
            and row["field"] == f"container.{container}.state"
            and row["new"] == "Terminated"
        ]

    def waits(self, container: str = "app", name: str = "web") -> list[tuple[float, Any]]:
        """(seconds, reason) of every Waiting."""
        return [
            (row["at_ms"] / 1000, row["reason"])
            for row in self.rows
            if row["type"] == "transition"
            and row["name"] == name
            and row["field"] == f"container.{container}.state"
            and row["new"] == "Waiting"
        ]

    def signals(self, container: str = "app", name: str = "web") -> Lane:
        return self.lane(f"signal.{container}", name)

    def events(self, *reasons: str, name: str = "web") -> list[tuple[float, str]]:
        """(seconds, reason) of the events with these reasons, in order; of all without any."""
        return [
            (row["at_ms"] / 1000, row["reason"])
            for row in self.rows
            if row["type"] == "event" and row["name"] == name and (not reasons or row["reason"] in reasons)
        ]

    def condition(self, type_: str, name: str = "web") -> Lane:
        return self.lane(f"condition.{type_}", name)


def _container(one: Any) -> dict[str, Any]:
    if isinstance(one, dict):
        return {"image": "sim/server:1", **one}
    sidecar = {"restartPolicy": "Always"} if one.endswith("*") else {}
    return {"name": one.rstrip("*"), "image": "sim/server:1", **sidecar}
