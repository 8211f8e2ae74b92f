"""Makes specs, statuses and runtime records from the few words a test cares about."""

from typing import Any

from lifecycle.engine.objects.pods.container import ContainerState, ContainerStatus, running, waiting
from lifecycle.engine.objects.pods.pod import Pod, PodSpec
from lifecycle.engine.objects.pods.runtime import RuntimeContainer, RuntimePod

IMAGE = "sim/server:1"


def make_spec(*apps: Any, init: tuple[Any, ...] = (), policy: str = "Always", **fields: Any) -> PodSpec:
    """Containers by name or as dicts; a name ending in `*` is a sidecar."""
    return PodSpec(
        {
            "restartPolicy": policy,
            "containers": [_container(one) for one in apps or ("app",)],
            "initContainers": [_container(one) for one in init],
            **fields,
        }
    )


def _container(one: Any) -> dict[str, Any]:
    if isinstance(one, dict):
        return {"image": IMAGE, **one}
    sidecar = {"restartPolicy": "Always"} if one.endswith("*") else {}
    return {"name": one.rstrip("*"), "image": IMAGE, **sidecar}


def ended(
    exit_code: int, reason: str = "", finished_ms: int = 0, signal: int | None = None
) -> ContainerState:
    reason = reason or ("Error" if exit_code else "Completed")
    return ContainerState("Terminated", reason, "", 0, finished_ms, exit_code, signal)


def status(name: str, state: str | ContainerState | None, **fields: Any) -> ContainerStatus:
    """`state`: "running", a waiting reason, or a state."""
    if state == "running":
        fields = {"ready": True, "started": True, **fields}
        return ContainerStatus(name, running(0), **fields)
    return ContainerStatus(name, waiting(state) if isinstance(state, str) else state, **fields)


def make_pod(spec: PodSpec | None = None, metadata: dict[str, Any] | None = None, **status_: Any) -> Pod:
    pod = Pod.from_json({"metadata": {"name": "web-0", **(metadata or {})}, "spec": {}, "status": {}})
    pod.spec = spec or make_spec()
    pod.node_name = "node-1"
    pod.status = pod.status.replace(**status_)
    return pod


def make_runtime(**states: Any) -> RuntimePod:
    """Containers by name: "running", "created", "unknown" or an exit code."""
    containers = {}
    for key, state in states.items():
        name = key.replace("_", "-")
        code = state if isinstance(state, int) else 0
        seen = "exited" if isinstance(state, int) else state
        containers[name] = RuntimeContainer(name, f"id-{name}", seen, exit_code=code, image=IMAGE)
    return RuntimePod("sandbox", True, 0, "10.0.0.1", containers)
