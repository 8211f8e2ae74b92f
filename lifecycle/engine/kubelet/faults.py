"""Trouble told by command: a container ends, a sandbox is lost, a kubelet restarts, a node is cut off."""

from __future__ import annotations

from typing import Any

from ..context import Context
from ..errors import BadRequest, Conflict
from ..objects.meta import StoredObject
from ..objects.pod import Pod
from ..programs.world import Exit
from ..timing import read_duration_ms
from .kubelet import Kubelets
from .node_agent import KUBELET, PARTITION, SANDBOXES, NodeAgent
from .worker import PodWorker

NODE_FAULTS = ("crash", "kubeletRestart", "partition", "reboot", "sandboxFailure")
_USE = "fault: use {pod, container, kind: exit, code, reason}, {pod, kind: sandbox} or {node, kind, for}"


class KubeletFaults:
    """Carries out the `fault` command."""

    def __init__(self, context: Context, kubelets: Kubelets) -> None:
        self._context = context
        self._kubelets = kubelets

    def run(self, payload: dict[str, Any]) -> tuple[int, StoredObject]:
        """`{pod, container, kind: exit, code, reason}`, `{pod, kind: sandbox}` or `{node, kind, for}`.

        Raises BadRequest for what it cannot read, Conflict when what is to fail does not run.
        """
        if "node" in payload:
            return self._run_on_node(payload)
        if "pod" not in payload or payload.get("kind") not in ("exit", "sandbox"):
            raise BadRequest(_USE)
        namespace = payload.get("namespace") or "default"
        pod = self._context.store.require("Pod", namespace, str(payload["pod"]))
        assert isinstance(pod, Pod), "it was asked for by kind"
        worker = self._kubelets.workers.get(pod.meta.uid)
        if payload["kind"] == "sandbox":
            self._lose_sandbox(pod, worker)
        else:
            self._exit(payload, pod, worker)
        return 200, pod

    def _lose_sandbox(self, pod: Pod, worker: PodWorker | None) -> None:
        if worker is None or not worker.runtime.sandbox_ready:
            raise Conflict(f'pod "{pod.meta.name}": it has no sandbox', "pods", pod.meta.name)
        self._kubelets.sandboxes.lose(worker)

    # --- a container ----------------------------------------------------------------------------------

    def _exit(self, payload: dict[str, Any], pod: Pod, worker: PodWorker | None) -> None:
        code = payload.get("code", 1)
        if isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= 255:
            raise BadRequest(f"fault.code {code!r}: use an exit code from 0 to 255")
        name = payload.get("container")
        run = None
        if worker is not None:
            names = [name] if name else [one.name for one in worker.spec.containers]
            run = worker.runs.get(str(names[0]))
        if worker is None or run is None or run.process is None:
            raise Conflict(f'pod "{pod.meta.name}": container "{name}" does not run', "pods", pod.meta.name)
        signal = code - 128 if code > 128 else None
        run.process.exit = Exit(self._context.clock.now_ms, code, payload.get("reason"), signal)
        self._kubelets.on_exit(worker, run)

    # --- a node ---------------------------------------------------------------------------------------

    def _run_on_node(self, payload: dict[str, Any]) -> tuple[int, StoredObject]:
        node = self._context.store.require("Node", "", str(payload["node"]))
        kind = payload.get("kind")
        for_ms = read_duration_ms(payload.get("for"))
        if for_ms is None and payload.get("for") is not None:
            raise BadRequest(f"fault.for {payload['for']!r}: use a duration such as 30s")
        agent = self._kubelets.outages.agent(node.meta.name)
        if kind == "kubeletRestart":
            self._kubelets.outages.begin(agent, KUBELET, self._or_restart(agent, for_ms))
        elif kind in ("reboot", "crash"):
            self._go_down(agent, self._or_restart(agent, for_ms) if kind == "reboot" else for_ms)
        elif kind == "partition":
            self._kubelets.outages.begin(agent, PARTITION, for_ms)
        elif kind == "sandboxFailure":
            self._kubelets.outages.begin(agent, SANDBOXES, for_ms)
        else:
            raise BadRequest(f"fault.kind {kind!r}: on a node, use one of {', '.join(NODE_FAULTS)}")
        return 200, node

    def _go_down(self, agent: NodeAgent, for_ms: int | None) -> None:
        """A node stops with all that runs on it; it is back after `for_ms`, or never."""
        self._kubelets.outages.begin(agent, KUBELET, None)
        self._kubelets.sandboxes.lose_all(agent)
        if for_ms is not None:
            self._kubelets.outages.begin(agent, KUBELET, for_ms)

    def _or_restart(self, agent: NodeAgent, for_ms: int | None) -> int:
        """How long a kubelet is away that nobody keeps from starting again."""
        if for_ms is not None:
            return for_ms
        return self._context.draw_ms("kubelet_start", agent.name, self._context.clock.now_ms)
