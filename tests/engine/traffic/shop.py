"""A Service with its pods, where what takes time is said, and how its requests fared."""

import json
from typing import Any

from lifecycle.engine.rules.network.requests import OUTCOMES
from tests.engine.kubelet.world import World

Json = dict[str, Any]
PORT = 8080


def make_service(requests: Json | None = None, name: str = "web", **spec: Any) -> Json:
    """Sends from port 80 to port 8080 of the pods that are labelled `app: web`."""
    meta: Json = {"name": name, "namespace": "default"}
    if requests is not None:
        meta["annotations"] = {"podline.dev/requests": json.dumps(requests)}
    ports = [{"port": 80, "targetPort": PORT}]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": {"selector": {"app": "web"}, "ports": ports, **spec},
    }


def make_template(
    *containers: Json, behavior: Json | None = None, labels: Json | None = None, **spec: Any
) -> Json:
    """A pod that takes connections at once on every port, and ends at once; `behavior` by container."""
    meta: Json = {"labels": {"app": "web", **(labels or {})}}
    if behavior:
        meta["annotations"] = {"podline.dev/behavior": json.dumps(behavior)}
    made = [{"name": "app", "image": "sim/server:1", **one} for one in containers or ({},)]
    return {"metadata": meta, "spec": {"containers": made, **spec}}


def make_deployment(template: Json | None = None, replicas: int = 3, name: str = "web", **spec: Any) -> Json:
    """So many pods of a template, replaced one after the other."""
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "template": template or make_template(),
        **spec,
    }
    meta = {"name": name, "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}


def make_pod(name: str, template: Json | None = None) -> Json:
    """A pod that nobody replaces."""
    template = template or make_template()
    meta = {**template["metadata"], "name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}


def make_route(kind: str = "Ingress") -> Json:
    """An Ingress or an HTTPRoute to the Service."""
    meta = {"name": "web", "namespace": "default"}
    if kind == "Ingress":
        backend = {"service": {"name": "web", "port": {"number": 80}}}
        spec: Json = {"defaultBackend": backend}
        return {"apiVersion": "networking.k8s.io/v1", "kind": kind, "metadata": meta, "spec": spec}
    spec = {"rules": [{"backendRefs": [{"name": "web", "port": 80}]}]}
    return {"apiVersion": "gateway.networking.k8s.io/v1", "kind": kind, "metadata": meta, "spec": spec}


class Shop(World):
    """Timing `instant` but for the lags that are given."""

    def __init__(self, nodes: int = 1, **lags: Any) -> None:
        super().__init__(nodes=nodes, timing={"preset": "instant", **lags})

    def make(self, *objects: Json) -> "Shop":
        """Make all of these now."""
        for one in objects:
            answer = self.create(one)
            assert answer.ok, answer.status
        return self

    def do(self, command: str, /, **payload: Any) -> None:
        """A command that is accepted."""
        answer = self.submit(command, **payload)
        assert answer.ok, answer.status

    def change(self, kind: str, patch: Json, name: str = "web") -> None:
        """Merge a patch into an object."""
        self.do("patch", kind=kind, namespace="default", name=name, type="merge", patch=patch)

    def update(self, **spec: Any) -> None:
        """Roll out another revision of the Deployment."""
        meta = {"annotations": {"release": "2"}}
        self.change(
            "Deployment", {"spec": {"template": {"metadata": meta, **({"spec": spec} if spec else {})}}}
        )

    def remove(self, name: str, **options: Any) -> None:
        """Delete a pod."""
        self.do("delete", kind="Pod", namespace="default", name=name, **options)

    def find_pods(self, node: str) -> list[str]:
        """The pods of a node, by name."""
        found = self.cluster.list("Pod", "default")
        return sorted(one["metadata"]["name"] for one in found if one["spec"].get("nodeName") == node)

    def tell(self, sender: str = "pods", name: str = "web") -> str:
        """What was told of shares, where an instant ends otherwise than the last: `10 333 timedOut, 11 0`."""
        told: dict[float, str] = {}
        for row in self.rows:
            if row["type"] == "transition" and row["name"] == name and row["field"] == f"requests.{sender}":
                shares = {key: value for key, value in row["detail"].items() if key in OUTCOMES}
                assert sum(shares.values()) in range(998, 1003), row
                if row["old"] != row["new"] or "atOnceMs" not in row["detail"]:
                    told[row["at_ms"] / 1000] = f"{row['new']} {row['reason'] or ''}".strip()
        before = [None, *told.values()]
        new = [one for one, was in zip(told.items(), before, strict=False) if one[1] != was]
        return ", ".join(f"{at:g} {share}" for at, share in new)

    def count_lost_ms(self, sender: str = "", name: str = "web") -> int:
        """How many ms' worth of the requests were lost so far."""
        sums = self.cluster.sum_requests("default", name)
        assert sums is not None
        return (sums[sender] if sender else sums)["lostMs"]

    def sum_outcomes(self, sender: str = "pods", name: str = "web") -> dict[str, float]:
        """How many ms' worth fared in which way, without those of which there were none."""
        self.count_lost_ms(name=name)
        found = next(one for one in self.cluster._traffic.services.values() if one.name == name)
        sums = found.senders[sender].sum_up()
        assert list(sums) == list(OUTCOMES)
        return {outcome: round(float(share), 3) for outcome, share in sums.items() if share}
