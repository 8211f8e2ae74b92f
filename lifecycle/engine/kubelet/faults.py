"""Trouble told by command.

A container ends or is forgotten by its runtime, a sandbox is lost, a kubelet restarts, a node is cut off, and
nobody knows what becomes of a pod on such a node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifecycle.userland.world import Exit

from ..api.context import Context
from ..api.server import ApiServer
from ..heart.chance import PART
from ..heart.errors import BadRequest, Conflict
from ..heart.timing import read_duration_ms
from ..objects.meta import StoredObject
from ..objects.node import NODE_KIND
from ..objects.pods.pod import UNKNOWN, Pod
from ..objects.quantity import whole
from ..objects.shortened import shorten
from ..rules.nodes.eviction import NODE_WORDS
from ..rules.nodes.eviction_settings import MEMORY
from ..rules.pods.container_status import LOST_EXIT_CODE, STATUS_UNKNOWN
from .kubelet import Kubelets
from .state.container_run import ContainerRun
from .state.node_agent import KUBELET, PARTITION, SANDBOXES, NodeAgent
from .state.worker import SYNCING, PodWorker

POD_FAULTS = ("exit", "lost", "sandbox", "unknown")
_USE = (
    "fault: use {pod, container, kind: exit, code, reason}, {pod, container, kind: lost},"
    " {pod, kind: sandbox}, {pod, kind: unknown}, {node, kind, for}, {component, kind: down, for}"
    " or {node, kind: pressure, resource: memory, available, for}"
)


class KubeletFaults:
    """Carries out the commands `fault` and `remove`."""

    def __init__(self, context: Context, kubelets: Kubelets, api: ApiServer) -> None:
        self._api = api
        self._context = context
        self._kubelets = kubelets

    def run(self, payload: dict[str, Any]) -> tuple[int, StoredObject]:
        """One of `POD_FAULTS` in a pod (`exit`, `lost`: in a container of it), or of `NODE_FAULTS` on a node.

        Raises BadRequest for what it cannot read, Conflict when what is to fail does not run.
        """
        if "node" in payload:
            return self._run_on_node(payload)
        if "pod" not in payload or payload.get("kind") not in POD_FAULTS:
            raise BadRequest(_USE)
        namespace = payload.get("namespace") or "default"
        pod = self._context.store.require("Pod", namespace, str(payload["pod"]))
        assert isinstance(pod, Pod), "it was asked for by kind"
        worker = self._kubelets.workers.get(pod.kubelet_uid)
        match payload["kind"]:
            case "sandbox":
                self._lose_sandbox(pod, worker)
            case "unknown":
                self._lose_sight(pod)
            case "lost":
                self._lose_container(payload, pod, worker)
            case _:
                self._exit(payload, pod, worker)
        return 200, self._context.store.pods.get(pod.meta.uid) or pod

    def _lose_sight(self, pod: Pod) -> None:
        """The pod's state cannot be obtained: Unknown, until its kubelet reports again (POD-PHASE-09)."""
        name = pod.meta.name
        if not self._kubelets.outages.is_deaf(pod.node_name) or pod.is_finished:
            problem = f'pod "{name}": its state is known; partition its node, or stop its kubelet, first'
            raise Conflict(problem, "pods", name)
        self._context.store.update(pod, pod.with_status(pod.status.replace(phase=UNKNOWN)))

    def _lose_sandbox(self, pod: Pod, worker: PodWorker | None) -> None:
        if worker is None or not worker.runtime.sandbox_ready:
            raise Conflict(f'pod "{pod.meta.name}": it has no sandbox', "pods", pod.meta.name)
        self._kubelets.sandboxes.lose(worker)

    # --- a container ----------------------------------------------------------------------------------

    def _exit(self, payload: dict[str, Any], pod: Pod, worker: PodWorker | None) -> None:
        code = payload.get("code", 1)
        if isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= 255:
            raise BadRequest(f"fault.code {shorten(code)}: use an exit code from 0 to 255")
        reason = payload.get("reason")
        if reason is not None and not isinstance(reason, str):
            raise BadRequest(f"fault.reason {shorten(reason)}: use a word such as OOMKilled")
        run = self._find_run(payload, worker)
        if worker is None or run is None or run.process is None:
            name = payload.get("container")
            raise Conflict(f'pod "{pod.meta.name}": container "{name}" does not run', "pods", pod.meta.name)
        signal = code - 128 if code > 128 else None
        run.process.exit = Exit(self._context.clock.now_ms, code, reason, signal)
        self._kubelets.on_exit(worker, run)

    def _find_run(self, payload: dict[str, Any], worker: PodWorker | None) -> ContainerRun | None:
        """The container that is named, or the pod's first."""
        if worker is None:
            return None
        return worker.runs.get(str(payload.get("container") or worker.spec.containers[0].name))

    def _lose_container(self, payload: dict[str, Any], pod: Pod, worker: PodWorker | None) -> None:
        """The runtime forgets a container, as when its garbage is collected or its disk is wiped.

        A kubelet takes a container that nobody remembers for one that has never run, so it starts again
        whatever its policy and its rules say, and at once: its delay was remembered by its record (CRULE-13).
        """
        run = self._find_run(payload, worker)
        if worker is None or run is None or worker.stage != SYNCING or not self._forget(worker, run):
            name, pod_name = payload.get("container"), pod.meta.name
            raise Conflict(f'pod "{pod_name}": there is no run of "{name}" to be lost', "pods", pod_name)
        self._context.loop.enqueue("kubelet", "", worker.uid)

    def _forget(self, worker: PodWorker, run: ContainerRun) -> bool:
        records = worker.runtime.containers
        if run.container.name not in records:
            return False
        if run.process is not None:
            run.process.exit = Exit(self._context.clock.now_ms, LOST_EXIT_CODE, STATUS_UNKNOWN)
            self._kubelets.on_exit(worker, run)
        del records[run.container.name]
        run.is_lost, run.due_ms = True, 0
        worker.has_changed = worker.must_act = True
        return True

    # --- a node ---------------------------------------------------------------------------------------

    def _run_on_node(self, payload: dict[str, Any]) -> tuple[int, StoredObject]:
        node = self._context.store.require(NODE_KIND.id, "", str(payload["node"]))
        kind = payload.get("kind")
        for_ms = read_duration_ms(payload.get("for"))
        if payload.get("for") is not None and (for_ms is None or for_ms < 0):
            raise BadRequest(f"fault.for {shorten(payload['for'])}: use a duration such as 30s")
        agent = self._kubelets.outages.agent(node.meta.name)
        trouble = _ON_NODE.get(kind) if isinstance(kind, str) else None
        if trouble is None:
            raise BadRequest(f"fault.kind {shorten(kind)}: on a node, use one of {', '.join(NODE_FAULTS)}")
        trouble(self, agent, for_ms, payload)
        return 200, node

    def remove(self, payload: dict[str, Any]) -> tuple[int, StoredObject]:
        """A machine is taken away for good, and its Node with it, as when a cluster shrinks.

        A Node that is made by that name later is another machine. Raises NotFound.
        """
        name = str(payload["node"])
        node = self._context.store.require(NODE_KIND.id, "", name)
        agent = self._kubelets.outages.agent(name)
        self._kubelets.outages.go_down(agent, None)
        agent.is_removed = True
        return 200, self._api.delete(node)

    def _press(self, payload: dict[str, Any], agent: NodeAgent, for_ms: int | None) -> None:
        """So much is left of a resource of the node, or nothing, whatever becomes of its pods."""
        resource = payload["resource"]
        if resource not in NODE_WORDS:
            raise BadRequest(f"fault.resource {shorten(resource)}: use one of {', '.join(NODE_WORDS)}")
        try:
            available = whole(payload.get("available", 0))
        except ValueError as problem:
            raise BadRequest(f"fault.available {problem}") from None
        if available < 0:
            raise BadRequest(f"fault.available {shorten(payload['available'])}: use 0 or more")
        self._kubelets.evictor.press(agent.name, resource, available, for_ms)

    def _or_restart(self, agent: NodeAgent, for_ms: int | None) -> int:
        """How long a kubelet is away that nobody keeps from starting again."""
        if for_ms is not None:
            return for_ms
        return self._context.draw_ms("kubelet_start", f"{agent.name}{PART}{self._context.clock.now_ms}")

    # --- what begins on a node ------------------------------------------------------------------------

    def _lose_power(self, agent: NodeAgent, for_ms: int | None, payload: dict[str, Any]) -> None:
        self._kubelets.outages.go_down(agent, for_ms)

    def _reboot(self, agent: NodeAgent, for_ms: int | None, payload: dict[str, Any]) -> None:
        self._kubelets.outages.go_down(agent, self._or_restart(agent, for_ms))

    def _stop_kubelet(self, agent: NodeAgent, for_ms: int | None, payload: dict[str, Any]) -> None:
        self._kubelets.outages.begin(agent, KUBELET, for_ms)

    def _restart_kubelet(self, agent: NodeAgent, for_ms: int | None, payload: dict[str, Any]) -> None:
        self._kubelets.outages.begin(agent, KUBELET, self._or_restart(agent, for_ms))

    def _cut_off(self, agent: NodeAgent, for_ms: int | None, payload: dict[str, Any]) -> None:
        self._kubelets.outages.begin(agent, PARTITION, for_ms)

    def _break_sandboxes(self, agent: NodeAgent, for_ms: int | None, payload: dict[str, Any]) -> None:
        self._kubelets.outages.begin(agent, SANDBOXES, for_ms)

    def _shut_down(self, agent: NodeAgent, for_ms: int | None, payload: dict[str, Any]) -> None:
        self._kubelets.shutdowns.begin(agent, for_ms)

    def _press_named(self, agent: NodeAgent, for_ms: int | None, payload: dict[str, Any]) -> None:
        """`pressure` names its resource beside it, memory unless it does; or in its kind."""
        self._press({"resource": _PRESSURES[payload["kind"]], **payload}, agent, for_ms)


_PRESSURES = {"pressure": MEMORY, **{f"pressure({resource})": resource for resource in NODE_WORDS}}
OnNode = Callable[[KubeletFaults, NodeAgent, int | None, dict[str, Any]], None]
_ON_NODE: dict[str, OnNode] = {
    "crash": KubeletFaults._lose_power,
    "kubeletDown": KubeletFaults._stop_kubelet,
    "kubeletRestart": KubeletFaults._restart_kubelet,
    "partition": KubeletFaults._cut_off,
    **dict.fromkeys(_PRESSURES, KubeletFaults._press_named),
    "reboot": KubeletFaults._reboot,
    "sandboxFailure": KubeletFaults._break_sandboxes,
    "shutdown": KubeletFaults._shut_down,
}
NODE_FAULTS = tuple(_ON_NODE)
"""All kinds there are: the engine, scenarios, pages and the formats read this list."""
