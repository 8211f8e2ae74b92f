"""Connections that people open to a port of a pod from outside: `kubectl port-forward` and the proxies.

Models what the container runtime does for the kubelet: it connects to the port on the pod's own loopback, so
that whatever listens in the pod answers. What a request is answered is what a check of that path sees; the
text is known of files that a program of the pod serves.
"""

from __future__ import annotations

from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..api.context import Context
from ..heart.errors import BadRequest
from ..objects.pods.pod import Pod
from .kubelet import Kubelets
from .world.network import find_listener

LONGEST_TEXT = 1 << 20
Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Met:
    """What somebody meets who connects to a port, and asks for a path there."""

    is_connected: bool
    status: int = 200
    text: str | None = None
    """None where nobody knows it."""

    def to_json(self, epoch_ms: int) -> Payload:
        """Plain data; no object of Kubernetes'."""
        return {
            "kind": "Connect",
            "apiVersion": "podline.dev/v1alpha1",
            "isConnected": self.is_connected,
            "status": self.status,
            "text": self.text,
        }


def connect(context: Context, kubelets: Kubelets, payload: Payload) -> tuple[int, Met]:
    """Connect, and ask. Raises NotFound for no such pod, BadRequest for one that does not run."""
    pod = context.store.require("Pod", payload.get("namespace") or "default", payload["pod"])
    assert isinstance(pod, Pod), "it was asked for by kind"
    worker = kubelets.workers.get(pod.kubelet_uid)
    if worker is None:
        raise BadRequest(f"pod {pod.meta.name} does not run")
    port, path, now_ms = payload["port"], payload.get("path") or "/", context.clock.now_ms
    run = find_listener(worker.runs.values(), port, now_ms)
    if run is None or run.process is None:
        return 200, Met(False)
    served = run.process.find_served(port, path, now_ms, kubelets.world(worker, run))
    if served is not None:
        return 200, Met(True, served.status, served.text[:LONGEST_TEXT] if served.status == 200 else "")
    return 200, Met(True, run.process.http_status(path, now_ms)[0])
