"""A cluster of several nodes with workloads and budgets, timing `instant`, and what became of its drains."""

from __future__ import annotations

from typing import Any

from lifecycle.engine import Cluster, Settings
from lifecycle.engine.objects.workloads.disruption_budget import DisruptionBudget
from tests.engine.controllers.door import Door

Json = dict[str, Any]


def make_workload(name: str = "web", replicas: int = 3, kind: str = "Deployment", **pod: Any) -> Json:
    """A workload whose pods are labelled with its name; they start in a second and end as fast as told."""
    spec: Json = {
        "selector": {"matchLabels": {"app": name}},
        "template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "app", "image": "nginx:1"}], **pod},
        },
    }
    if kind != "DaemonSet":
        spec["replicas"] = replicas
    if kind == "StatefulSet":
        spec |= {"serviceName": name, "podManagementPolicy": "Parallel"}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def make_budget(name: str = "web", of: str = "", **spec: Any) -> Json:
    """A budget for the pods of a workload."""
    selector = {"matchLabels": {"app": of or name}}
    head = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}}
    return {**head, "spec": {"selector": selector, **spec}}


def make_pod(name: str, labels: dict[str, str] | None = None, **spec: Any) -> Json:
    """A pod that nobody controls."""
    metadata = {"name": name, "namespace": "default", "labels": labels or {}}
    spec = {"containers": [{"name": "app", "image": "nginx:1"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


class Site(Door):
    """A door to so many nodes. `end` is how long containers take to stop."""

    def __init__(
        self, nodes: int = 3, end: str = "2s", start: str = "1s", timing: Any = "instant", seed: int = 1
    ):
        self._nodes, self._end = nodes, end
        super().__init__(timing, {}, seed)
        behavior = {
            "start": {"takes": start},
            "runs": [{"forever": True}],
            "onTerm": {"takes": end, "exit": 0},
        }
        self.profile("all", "nginx:*", behavior)

    def make_cluster(self, seed: int, timing: Any) -> Cluster:
        return Cluster(seed=seed, settings=Settings(timing=timing, nodes={"count": self._nodes}))

    def budget(self, name: str = "web") -> DisruptionBudget:
        found = self.cluster.find("PodDisruptionBudget", "default", name)
        assert isinstance(found, DisruptionBudget), name
        return found

    def sums(self, name: str = "web") -> tuple[int, int, int, int]:
        """(allowed, healthy, desired, expected) of a budget."""
        status = self.budget(name).status
        return (
            status.disruptions_allowed,
            status.current_healthy,
            status.desired_healthy,
            status.expected_pods,
        )

    def why(self, name: str = "web") -> tuple[str, str]:
        """Status and reason of its condition."""
        (found,) = self.budget(name).status.conditions
        return found.status, found.reason

    def names(self, node: str = "") -> list[str]:
        """Pods, of one node or of all."""
        pods = self.cluster.list("Pod", "default")
        return [one["metadata"]["name"] for one in pods if node in ("", one["spec"].get("nodeName"))]

    def lane(self, kind: str, field: str, name: str = "") -> list[tuple[int, Any]]:
        """(instant, value) of a field's rows."""
        found = [row for row in self.rows if row["kind"] == kind and row.get("field") == field]
        return [(row["at_ms"], row["new"]) for row in found if name in ("", row["name"])]

    def drains(self, node: str = "node-1") -> list[tuple[int, str]]:
        """How a node's drains stood when."""
        return self.lane("Node", "drain", node)

    def get_node(self, name: str) -> Json:
        found = self.cluster.get("Node", None, name)
        assert found is not None, name
        return found

    def drain(self, node: str = "node-1", **flags: Any) -> Json:
        """Begin a drain that must not be refused."""
        return self.done("drain", node=node, **flags)

    def told(self, reason: str) -> list[str]:
        """Messages of the events of a reason."""
        return [row["message"] for row in self.rows if row["type"] == "event" and row["reason"] == reason]
