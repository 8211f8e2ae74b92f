"""The API server of a small cluster: commands in, answers and what was written out."""

from __future__ import annotations

import copy
from typing import Any

from lifecycle.engine import Cluster, Command, Result, Settings

Json = dict[str, Any]


def make(kind: str, name: str = "web", /, **fields: Any) -> Json:
    """An object of the core group, in the namespace `default`; `metadata` adds to its own."""
    meta = {"name": name, "namespace": "default", **fields.pop("metadata", {})}
    meta = {field: value for field, value in meta.items() if value is not None}
    return {"apiVersion": "v1", "kind": kind, "metadata": meta, **fields}


def make_pod(name: str = "web", metadata: Json | None = None, **spec: Any) -> Json:
    containers = [{"name": "app", "image": "nginx:1"}]
    return make("Pod", name, metadata=metadata or {}, spec={"containers": containers, **spec})


def make_deployment(replicas: int = 2, **metadata: Any) -> Json:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": make_pod()["spec"]}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return make("Deployment", metadata=metadata, spec=spec) | {"apiVersion": "apps/v1"}


class Desk:
    """Answers at once; time stands unless it is told to go on."""

    def __init__(self, nodes: int = 1, kubernetes: str | None = None) -> None:
        settings = Settings(timing="instant", nodes={"count": nodes}, kubernetes=kubernetes)
        self.cluster = Cluster(seed=1, settings=settings)
        self._commands = 0
        self.take_versions()

    def submit(self, command: str, /, **payload: Any) -> Result:
        self._commands += 1
        return self.cluster.submit(Command(f"c{self._commands}", command, copy.deepcopy(payload)))

    def create(self, data: Json) -> Result:
        return self.submit("create", object=data)

    def created(self, data: Json) -> Json:
        """The object as it was stored."""
        return self._stored(self.create(data))

    def patch(self, kind: str, patch: Any, name: str = "web", **payload: Any) -> Result:
        return self.submit(
            "patch", **{"kind": kind, "name": name, "type": "merge", "patch": patch, **payload}
        )

    def patched(self, kind: str, patch: Any, name: str = "web", **payload: Any) -> Json:
        """The object as the patch left it."""
        return self._stored(self.patch(kind, patch, name, **payload))

    def delete(self, kind: str, name: str = "web", **payload: Any) -> Result:
        return self.submit("delete", kind=kind, name=name, **payload)

    def get(self, kind: str, name: str = "web", namespace: str = "default") -> Json | None:
        return self.cluster.get(kind, namespace, name)

    def take_versions(self) -> list[tuple[str, str]]:
        """(type, kind) of every version written since the last look."""
        return [(one.type, one.new.kind.name) for one in self.cluster.take_changes().versions]

    def _stored(self, result: Result) -> Json:
        assert result.ok, result.status
        assert result.object is not None
        return result.object


def said(result: Result) -> str:
    """What a refusal says."""
    assert not result.ok and result.status is not None, result
    assert result.status["code"] == result.code
    message: str = result.status["message"]
    return message
