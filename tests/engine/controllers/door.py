"""A whole cluster behind its door, timing `instant`: manifests and kubectl-like commands in, rows out."""

from __future__ import annotations

import copy
from typing import Any

from lifecycle.engine import Cluster, Command, Result, Settings
from lifecycle.engine.heart.correlator import COMBINED
from lifecycle.engine.heart.trace import row_to_json

MISSING = "nginx:1.161"
"""An image that no registry has."""


class Door:
    """Images start after `start_ms` (one figure for all, or by image); `MISSING` cannot be pulled."""

    def __init__(
        self,
        timing: Any = "instant",
        start: str | dict[str, str] = "1s",
        seed: int = 1,
        kubernetes: str | None = None,
    ) -> None:
        self.kubernetes = kubernetes
        self.cluster = self.make_cluster(seed, timing)
        self._numbers = 0
        self._rows: list[dict[str, Any]] = []
        by_image = start if isinstance(start, dict) else {"nginx:*": start}
        for number, (image, takes) in enumerate(by_image.items()):
            self.profile(f"start-{number}", image, {"start": {"takes": takes}, "runs": [{"forever": True}]})
        self.profile("missing", MISSING, {"pull": {"error": "ErrImagePull"}})

    def make_cluster(self, seed: int, timing: Any) -> Cluster:
        return Cluster(seed=seed, settings=Settings(timing=timing, kubernetes=self.kubernetes))

    def profile(self, name: str, image: str, behavior: dict[str, Any]) -> None:
        """Say how the containers of an image behave."""
        self.apply(
            {
                "apiVersion": "podline.dev/v1alpha1",
                "kind": "ContainerProfile",
                "metadata": {"name": name},
                "spec": {"match": {"image": image}, "behavior": behavior},
            }
        )

    def submit(self, command: str, /, **payload: Any) -> Result:
        self._numbers += 1
        return self.cluster.submit(Command(f"c{self._numbers}", command, payload))

    def done(self, command: str, /, **payload: Any) -> dict[str, Any]:
        """Submit a command that must pass."""
        result = self.submit(command, **payload)
        assert result.ok, result.status
        assert result.object is not None
        return result.object

    def apply(self, manifest: dict[str, Any]) -> dict[str, Any]:
        data = copy.deepcopy(manifest)
        if data["kind"] != "ContainerProfile":
            data["metadata"].setdefault("namespace", "default")
        return self.done("apply", object=data)

    def slices(self) -> list[dict[str, Any]]:
        """The EndpointSlices of all Services but the API server's own."""
        found = self.cluster.list("EndpointSlice", "default")
        return [one for one in found if one["metadata"]["name"] != "kubernetes"]

    def change(
        self, command: str, name: str = "web", of: str = "Deployment", /, **payload: Any
    ) -> dict[str, Any]:
        """A command about one object."""
        return self.done(command, kind=of, namespace="default", name=name, **payload)

    def set_image(self, image: str) -> dict[str, Any]:
        return self.change("setImage", container="nginx", image=image)

    def run(self, seconds: float) -> Door:
        self.cluster.run_until(self.cluster.now_ms + round(seconds * 1000))
        return self

    # --- what is seen -------------------------------------------------------------------------------------

    def get(self, kind: str = "Deployment", name: str = "web") -> dict[str, Any]:
        found = self.cluster.get(kind, "default", name)
        assert found is not None, (kind, name)
        return found

    def sets(self) -> list[tuple[int, int, int]]:
        """(DESIRED, CURRENT, READY) of every ReplicaSet, oldest first."""
        return [
            (
                entry["spec"]["replicas"],
                entry["status"].get("replicas", 0),
                entry["status"].get("readyReplicas", 0),
            )
            for entry in self.cluster.list("ReplicaSet")
        ]

    def pods(self) -> list[dict[str, Any]]:
        return self.cluster.list("Pod")

    def condition(self, type: str, name: str = "web") -> tuple[str, str] | None:
        """(status, reason) of a Deployment's condition."""
        for entry in self.get(name=name)["status"].get("conditions", []):
            if entry["type"] == type:
                return entry["status"], entry["reason"]
        return None

    @property
    def rows(self) -> list[dict[str, Any]]:
        self._rows += [row_to_json(row) for row in self.cluster.take_changes().rows]
        return self._rows

    def lane(self, kind: str, field: str) -> list[tuple[int, Any]]:
        """(instant, new value) of a field."""
        return [
            (row["at_ms"], row["new"])
            for row in self.rows
            if row["type"] == "transition" and row["kind"] == kind and row["field"] == field
        ]

    def events(self, kind: str, since_ms: int = 0) -> list[tuple[str, str]]:
        """(reason, message) of events, ReplicaSets called A, B, C by age."""
        created = [row for row in self.rows if row.get("field") == "exists" and row["new"] == "created"]
        names = [row["name"] for row in created if row["kind"] == "ReplicaSet"]
        found = []
        for row in self.rows:
            if row["type"] == "event" and row["kind"] == kind and row["at_ms"] >= since_ms:
                message = row["message"]
                for letter, name in zip("ABCDEFGH", names, strict=False):
                    message = message.replace(name, letter)
                found.append((row["reason"], message))
        return found

    def scaled(self, since_ms: int = 0) -> str:
        """Scaling events in short: `A3 B1 A2`."""
        words = [
            message.removeprefix(COMBINED).split()
            for reason, message in self.events("Deployment", since_ms)
            if reason == "ScalingReplicaSet"
        ]
        return " ".join(f"{entry[4]}{entry[-1]}" for entry in words)
