"""A cluster with nodes that change, and one DaemonSet on them."""

from typing import Any

from lifecycle.engine import Cluster, Settings
from tests.engine.controllers.door import Door

AGENT = "agent"


def make_agent(
    template: dict[str, Any] | None = None,
    image: str = "nginx:1",
    requests: dict[str, str] | None = None,
    **spec: Any,
) -> dict[str, Any]:
    """A DaemonSet's manifest; `template` are fields of its pods' spec."""
    container: dict[str, Any] = {"name": "nginx", "image": image}
    if requests:
        container["resources"] = {"requests": requests}
    labels = {"app": "agent"}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": AGENT, "namespace": "default"},
        "spec": {
            "selector": {"matchLabels": dict(labels)},
            "template": {
                "metadata": {"labels": labels},
                "spec": {**(template or {}), "containers": [container]},
            },
            **spec,
        },
    }


class Fleet(Door):
    """Some nodes; containers start in a second and end at once."""

    def __init__(self, nodes: int = 3, timing: Any = "instant", start: Any = "1s", seed: int = 1) -> None:
        self._settings = Settings(
            timing=timing, nodes={"count": nodes, "cpu": "4", "memory": "8Gi", "pods": 110}
        )
        super().__init__(timing, start, seed)

    def make_cluster(self, seed: int, timing: Any) -> Cluster:
        return Cluster(seed=seed, settings=self._settings)

    # --- what a test does ---------------------------------------------------------------------------------

    def add_node(self, name: str, **labels: str) -> None:
        self.done(
            "create",
            object={"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}},
        )

    def node(self, name: str) -> dict[str, Any]:
        found = self.cluster.get("Node", None, name)
        assert found is not None, name
        return found

    def label(self, node: str, **labels: str | None) -> None:
        """Set labels of a node; None takes one away."""
        self.done("patch", kind="Node", name=node, type="merge", patch={"metadata": {"labels": labels}})

    def taint(self, node: str, *taints: str) -> None:
        """Give a node these taints, each `key:Effect`, and no others."""
        pairs = [one.split(":") for one in taints]
        self.done("taint", node=node, taints=[{"key": key, "effect": effect} for key, effect in pairs])

    def set_condition(self, node: str, type_: str, status: str = "True") -> None:
        conditions = self.node(node)["status"]["conditions"]
        kept = [one for one in conditions if one["type"] != type_]
        patch = {"status": {"conditions": [*kept, {"type": type_, "status": status}]}}
        self.done("patch", kind="Node", name=node, type="merge", patch=patch, subresource="status")

    def fail(self, pod: str) -> None:
        """A pod has failed, as when a kubelet refuses it."""
        self.change(
            "patch", pod, "Pod", type="merge", patch={"status": {"phase": "Failed"}}, subresource="status"
        )

    def quota(self, **hard: str) -> None:
        """A quota for these amounts; without any, it goes."""
        meta = {"name": "small", "namespace": "default"}
        if hard:
            self.done("create", object={
                "apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta, "spec": {"hard": hard}
            })  # fmt: skip
        else:
            self.done("delete", kind="ResourceQuota", **meta)

    # --- what is seen -------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        return self.get("DaemonSet", AGENT)["status"]

    def count(self, name: str) -> int:
        return self.status().get(name, 0)

    def nodes(self) -> list[str]:
        """The nodes of the set's pods, sorted."""
        return sorted(
            pod["spec"].get("nodeName", "")
            for pod in self.pods()
            if pod["metadata"].get("labels", {}).get("app") == "agent"
        )

    def told(self) -> list[tuple[str, str]]:
        """(reason, message) of the events about DaemonSets."""
        return [
            (row["reason"], row["message"])
            for row in self.rows
            if row["type"] == "event" and row["kind"] == "DaemonSet"
        ]

    def revisions(self) -> list[int]:
        """The numbers of the revisions, oldest object first."""
        return [one["revision"] for one in self.cluster.list("ControllerRevision")]

    def digests(self) -> list[str]:
        return [
            one["metadata"]["labels"]["controller-revision-hash"]
            for one in self.cluster.list("ControllerRevision")
        ]
