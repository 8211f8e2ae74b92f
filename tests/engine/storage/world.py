"""A whole cluster with storage: classes, volumes, claims and pods by what matters of them."""

from __future__ import annotations

from typing import Any

from lifecycle.engine import Cluster, Command, Result, Settings
from lifecycle.engine.heart.trace import row_to_json

Json = dict[str, Any]
CLAIM, VOLUME, CLASS = "PersistentVolumeClaim", "PersistentVolume", "StorageClass"
ATTACHMENT = "VolumeAttachment"
HOST = "kubernetes.io/hostname"


class World:
    """Timing `instant` unless said otherwise: what takes time then is a rule, and no latency."""

    def __init__(self, timing: Any = "instant", nodes: int = 2, seed: int = 1) -> None:
        self.cluster = Cluster(seed=seed, settings=Settings(timing=timing, nodes={"count": nodes}))
        self.rows: list[Json] = []
        self._count = 0

    # --- what is done -------------------------------------------------------------------------------------

    def submit(self, command: str, **payload: Any) -> Result:
        self._count += 1
        result = self.cluster.submit(Command(f"c{self._count}", command, payload))
        self._take()
        return result

    def create(self, kind: str, name: str, api: str = "v1", **fields: Any) -> Json:
        meta = {"name": name, **fields.pop("metadata", {})}
        if kind in (CLAIM, "Pod", "Deployment", "StatefulSet", "LimitRange"):
            meta.setdefault("namespace", "default")
        data = {"apiVersion": api, "kind": kind, "metadata": meta, **fields}
        result = self.submit("create", object=data)
        assert result.ok, result.status
        return result.object

    def storage_class(
        self, name: str = "fast", provisioner: str = "disks.example.com", **fields: Any
    ) -> Json:
        annotations = (
            {"storageclass.kubernetes.io/is-default-class": "true"} if fields.pop("default", 0) else {}
        )
        meta = {"annotations": annotations}
        return self.create(CLASS, name, "storage.k8s.io/v1", metadata=meta, provisioner=provisioner, **fields)

    def volume(self, name: str, size: str = "1Gi", host: str = "", **spec: Any) -> Json:
        labels = spec.pop("labels", {})
        wanted = {
            "capacity": {"storage": size},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "",
            "hostPath": {"path": f"/tmp/{name}"},
            **spec,
        }
        if host:
            del wanted["hostPath"]
            wanted |= {"local": {"path": "/mnt/disk"}, "nodeAffinity": on_host(host)}
        return self.create(VOLUME, name, metadata={"labels": labels}, spec=wanted)

    def claim(self, name: str = "data", size: str = "1Gi", **spec: Any) -> Json:
        wanted = {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}},
            "storageClassName": "",
            **spec,
        }
        wanted = {field: value for field, value in wanted.items() if value is not None}
        return self.create(CLAIM, name, spec=wanted)

    def pod(self, name: str = "user", *claims: str, **spec: Any) -> Json:
        return self.create("Pod", name, spec=pod_spec(*claims, **spec))

    def delete(self, kind: str, name: str, **options: Any) -> Result:
        namespace = "default" if kind in (CLAIM, "Pod", "StatefulSet") else None
        return self.submit("delete", kind=kind, namespace=namespace, name=name, **options)

    def patch(self, kind: str, name: str, patch: Json, **more: Any) -> Result:
        namespace = "default" if kind in (CLAIM, "Pod") else None
        return self.submit(
            "patch", kind=kind, namespace=namespace, name=name, patch=patch, type="merge", **more
        )

    def run(self, seconds: float) -> World:
        self.cluster.run_until(self.cluster.now_ms + round(seconds * 1000))
        self._take()
        return self

    def saved(self) -> World:
        """The same cluster, saved and loaded."""
        self.cluster = Cluster.load(self.cluster.save())
        return self

    def _take(self) -> None:
        self.rows += [row_to_json(row) for row in self.cluster.take_changes().rows]

    # --- what is seen -------------------------------------------------------------------------------------

    def get(self, kind: str, name: str) -> Json | None:
        namespace = "default" if kind in (CLAIM, "Pod", "StatefulSet") else None
        return self.cluster.get(kind, namespace, name)

    def phase(self, kind: str, name: str) -> str | None:
        """None where there is no such object."""
        found = self.get(kind, name)
        return found["status"]["phase"] if found else None

    def volume_of(self, claim: str = "data") -> str | None:
        """The volume of a bound claim; None while it is not bound."""
        found = self.get(CLAIM, claim)
        is_bound = found is not None and found["status"]["phase"] == "Bound"
        return found["spec"]["volumeName"] if found is not None and is_bound else None

    def node_of(self, pod: str = "user") -> str:
        return (self.get("Pod", pod) or {"spec": {}})["spec"].get("nodeName", "")

    def events(self, name: str, reason: str = "") -> list[str]:
        return [
            row["message"]
            for row in self.rows
            if row["type"] == "event" and row["name"] == name and reason in ("", row["reason"])
        ]

    def phases(self, name: str) -> list[tuple[float, str]]:
        """When an object came to each of its phases, in seconds."""
        rows = [row for row in self.rows if row["type"] == "transition" and row["name"] == name]
        return [(row["at_ms"] / 1000, row["new"]) for row in rows if row["field"] == "phase"]


def on_host(host: str) -> Json:
    """The affinity of a volume that is on one node."""
    expression = {"key": HOST, "operator": "In", "values": [host]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def pod_spec(*claims: str, **spec: Any) -> Json:
    """A pod that uses claims, and runs until it is stopped."""
    volumes = [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims]
    mounts = [{"name": claim, "mountPath": f"/{claim}"} for claim in claims]
    container = {"name": "app", "image": "nginx:1.25", "volumeMounts": mounts}
    return {"containers": [container], "volumes": volumes, "terminationGracePeriodSeconds": 5, **spec}
