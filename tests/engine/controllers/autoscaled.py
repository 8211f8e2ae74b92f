"""A cluster with a workload, a load on its Service, and an autoscaler, behind the door."""

from __future__ import annotations

from typing import Any

from lifecycle.engine import Cluster, Settings
from tests.engine.controllers.door import Door

Json = dict[str, Any]


class Autoscaled(Door):
    """Pods start at once and request 100m; `manager` are settings of the controller manager."""

    def __init__(self, seed: int = 1, timing: Any = "instant", **manager: Any) -> None:
        self._manager = manager
        super().__init__(timing, "0s", seed)

    def make_cluster(self, seed: int, timing: Any) -> Cluster:
        return Cluster(seed=seed, settings=Settings(timing=timing, controller_manager=self._manager))

    def load(self, *points: tuple[int, str], name: str = "web") -> None:
        """The CPU that all pods of that label use together, each from a second of the Service's life on."""
        text = ", ".join(f"{{at: {at}s, cpu: {cpu}}}" for at, cpu in points)
        self.serve(name, {"podline.dev/load": f"nginx: [{text}]"})

    def serve(self, name: str, annotations: Json) -> None:
        """A Service of the pods of that label."""
        spec = {"selector": {"app": name}, "ports": [{"port": 80}]}
        meta = {"name": name, "annotations": annotations}
        self.apply({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec})

    def workload(self, name: str = "web", replicas: int = 1, kind: str = "Deployment", **pod: Any) -> None:
        """Pods of that label; `pod`: annotations of theirs, requests."""
        labels = {"app": name}
        resources = {"requests": pod.get("requests", {"cpu": "100m", "memory": "64Mi"})}
        container = {"name": "nginx", "image": "nginx:1", "resources": resources}
        meta = {"labels": labels, "annotations": pod.get("annotations", {})}
        is_plain = kind == "ReplicationController"
        spec: Json = {"replicas": replicas, "selector": labels if is_plain else {"matchLabels": labels}}
        spec["template"] = {"metadata": meta, "spec": {"containers": [container]}}
        if kind == "StatefulSet":
            spec["serviceName"] = name
        version = "v1" if is_plain else "apps/v1"
        self.apply({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec})

    def autoscale(
        self, name: str = "web", least: int = 1, most: int = 10, percent: int = 50, kind: str = "Deployment",
        **spec: Any,
    ) -> Json:  # fmt: skip
        """An autoscaler of that name; `target` is what it scales, if that has another."""
        version = "v1" if kind == "ReplicationController" else "apps/v1"
        reference = {"apiVersion": version, "kind": kind, "name": spec.pop("target", name)}
        spec = {"scaleTargetRef": reference, "minReplicas": least, "maxReplicas": most, **spec}
        spec.setdefault("metrics", [of_cpu(percent)])
        kinds = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"}
        return self.apply({**kinds, "metadata": {"name": name}, "spec": spec})

    def replicas(self, name: str = "web", kind: str = "Deployment") -> int:
        found: int = self.get(kind, name)["spec"]["replicas"]
        return found

    def hpa(self, name: str = "web") -> Json:
        return self.get("HorizontalPodAutoscaler", name)

    def conditions(self, name: str = "web") -> dict[str, tuple[str, str]]:
        """Status and reason of each condition."""
        found = (self.hpa(name).get("status") or {}).get("conditions") or ()
        return {one["type"]: (one["status"], one["reason"]) for one in found}


def of_cpu(percent: int) -> Json:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}
