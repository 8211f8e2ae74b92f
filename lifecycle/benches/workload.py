"""The clusters benches run: one Deployment of many pods on many nodes, driven until all are Ready."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from lifecycle.engine import Changes, Command, Settings
from lifecycle.engine import Cluster as Engine
from lifecycle.runs import collector

EPOCH_MS = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
# Changes are taken this often, as a worker would between slices.
INSTANTS_A_SLICE = 500
LIMIT_MS = 24 * 3_600_000

WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}
"""How commands name the Deployment."""
RESTART = WEB | {"action": "restart"}


def make_engine(pods: int, nodes: int) -> Engine:
    """A cluster of `nodes` nodes with room for all the pods, at instant 0, in a process like a worker's."""
    collector.settle()
    room = max(110, -(-pods // nodes) + 10)
    settings = Settings(nodes={"count": nodes, "cpu": "64", "memory": "256Gi", "pods": room})
    return Engine(seed=1, epoch_ms=EPOCH_MS, settings=settings)


def make_deployment(pods: int, **fields: Any) -> dict[str, Any]:
    """The Deployment `web` of one well-known container; `fields` are more of the container's, or others."""
    resources = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    container = {"name": "web", "image": "nginx:1.27", "resources": resources, **fields}
    labels = {"app": "web"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": pods,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def make_stateful_set(pods: int) -> dict[str, Any]:
    """The StatefulSet `web` of the same container, which makes its pods all at once."""
    deployment = make_deployment(pods)
    spec = {**deployment["spec"], "serviceName": "web", "podManagementPolicy": "Parallel"}
    return {**deployment, "kind": "StatefulSet", "spec": spec}


def make_service(has_requests: bool) -> dict[str, Any]:
    """A Service over all pods of the workload, with its senders or without any."""
    meta: dict[str, Any] = {"name": "web", "namespace": "default"}
    if not has_requests:
        meta["annotations"] = {"podline.dev/requests": "from: []"}
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}


def compare_requests(measure: Callable[[Any], float], passes: int) -> float:
    """How long a run takes with a Service over all pods, against the same Service that nobody asks.

    Both in turns, of each the best pass. `measure` is handed the Service, and tells its seconds.
    """
    seconds: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(passes):
        for has_requests, found in seconds.items():
            found.append(measure(make_service(has_requests)))
    return round(min(seconds[True]) / min(seconds[False]), 3)


def create(engine: Engine, made: dict[str, Any]) -> None:
    """Enter an object; RuntimeError when the engine refuses it."""
    result = engine.submit(Command(id=f"bench-{made['kind']}", kind="create", payload={"object": made}))
    if not result.ok:
        raise RuntimeError(f"the engine refused the bench's workload: {result.status}")


def run(
    engine: Engine, until_ms: int, take: Callable[[Changes], None], is_done: Callable[[], bool] | None = None
) -> None:
    """Run in slices, handing each slice's changes to `take`, until an instant or until it is done."""
    stop = Engine.is_idle if is_done is not None else None
    while engine.now_ms < until_ms:
        with collector.out_of_sight():
            engine.run_until(until_ms, stop, INSTANTS_A_SLICE)
        take(engine.take_changes())
        if is_done is not None and is_done():
            return


def is_ready(engine: Engine, pods: int, kind: str = "Deployment") -> Callable[[], bool]:
    """Whether every replica is Ready."""

    def is_done() -> bool:
        deployment = engine.get(kind, "default", "web") or {}
        return bool(deployment.get("status", {}).get("readyReplicas") == pods)

    return is_done
