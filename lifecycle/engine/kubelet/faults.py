"""Trouble told by command: a container ends as the fault says, whatever its program was doing."""

from __future__ import annotations

from typing import Any

from ..context import Context
from ..errors import BadRequest, Conflict
from ..objects.meta import StoredObject
from ..programs.world import Exit
from .kubelet import Kubelets


class KubeletFaults:
    """Carries out the `fault` command for containers."""

    def __init__(self, context: Context, kubelets: Kubelets) -> None:
        self._context = context
        self._kubelets = kubelets

    def run(self, payload: dict[str, Any]) -> tuple[int, StoredObject]:
        """End a container: `{pod, namespace, container, kind: exit, code, reason}`."""
        if "pod" not in payload or payload.get("kind") != "exit":
            raise BadRequest("fault: use {pod, container, kind: exit, code, reason}")
        namespace = payload.get("namespace") or "default"
        pod = self._context.store.require("Pod", namespace, str(payload["pod"]))
        code = payload.get("code", 1)
        if isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= 255:
            raise BadRequest(f"fault.code {code!r}: use an exit code from 0 to 255")
        worker = self._kubelets.workers.get(pod.meta.uid)
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
        return 200, pod
