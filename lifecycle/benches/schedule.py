"""`bench schedule`: pods with affinity, spread and taints get their nodes, on few nodes and on many.

The scheduler alone: nobody runs the pods. The first of each template are placed before the clock starts:
they have the scheduler look at every node once. What one more pod costs is told for many nodes and for a
fiftieth of them; it should be the same. Python's cycle collector is set as where engines run: it would look
through all nodes again and again.
"""

import math
from typing import Any

from lifecycle.benches.heap_loop import STEPS, run_heap_loop
from lifecycle.benches.report import Report, computed
from lifecycle.engine.api.context import Context
from lifecycle.engine.api.server import ApiServer
from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.objects.names import HOSTNAME, PREFERRED, REQUIRED, ZONE
from lifecycle.engine.scheduler import Scheduler
from lifecycle.runs import collector

TAINT = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
PARTS, WARM, ROUNDS = 50, 100, 3


def run(pods: int, nodes: int) -> Report:
    """Schedule the same pods on `nodes` and on a fiftieth of them, but at least 100, in turns."""
    few = max(nodes // PARTS, 100)
    limit_seconds, _ = computed(lambda: run_heap_loop(pods))
    best = {few: math.inf, nodes: math.inf}
    for count in (few, nodes) * ROUNDS:
        best[count] = min(best[count], _measure(pods, count))
    return Report(
        bench="schedule",
        work={"pods": pods, "nodes": nodes, "few_nodes": few},
        figures={
            "microseconds_per_pod_on_few_nodes": round(best[few] / pods * 1e6, 1),
            "microseconds_per_pod": round(best[nodes] / pods * 1e6, 1),
            "pods_per_second": round(pods / best[nodes]),
            "cost_of_many_to_few": round(best[nodes] / best[few], 2),
        },
        limit_what=f"bare heap loop of {STEPS} timed steps a pod, pods/s",
        limit_value=round(pods / limit_seconds),
        ratio=round(limit_seconds / best[nodes], 4),
    )


def _measure(pods: int, nodes: int) -> float:
    """Seconds until all pods have a node."""
    collector.settle()
    context = Context(1, 0, Settings(timing="instant"))
    api = ApiServer(context)
    Scheduler(context)
    make(api, "Namespace", "default")
    for number in range(nodes):
        make_node(api, number)
    for number in range(-WARM, 0):
        make_pod(api, number)
    context.loop.drain()
    for number in range(pods):
        make_pod(api, number)
    context.trace.take()
    with collector.out_of_sight():
        seconds, _ = computed(context.loop.drain)
    left = sum(not pod.node_name for pod in context.store.pods.values())
    if left:
        raise RuntimeError(f"{left} of {pods} pods got no node")
    return seconds


def make_pod(api: ApiServer, number: int) -> None:
    """The pod of that number: the same twenty templates in turns."""
    meta = {"namespace": "default", "labels": {"app": _app(number)}}
    make(api, "Pod", f"pod-{number + WARM}", meta, _spec(number))


def make(api: ApiServer, kind: str, name: str, meta: dict[str, Any] | None = None, spec: Any = None) -> None:
    """An object of the core group."""
    data = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, **(meta or {})}}
    api.create_json(data | ({"spec": spec} if spec is not None else {}))


def make_node(api: ApiServer, number: int) -> None:
    """One in ten is tainted; there are three zones."""
    name, has = f"node-{number}", {"cpu": "64", "memory": "256Gi", "pods": "250"}
    labels = {HOSTNAME: name, ZONE: f"zone-{number % 3}", "disk": "ssd" if number % 4 else "hdd"}
    spec = {"taints": [TAINT]} if number % 10 == 0 else {}
    status = {"allocatable": has, "capacity": has}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": spec}
    api.create_json({**node, "status": status})


def _app(number: int) -> str:
    return f"app-{number % 20}"


def _spec(number: int) -> dict[str, Any]:
    """Twenty applications: spread over zones and hosts, near a cache, apart from noise, tolerant, choosy."""
    app = number % 20
    selector = {"matchLabels": {"app": _app(number)}}
    container = {
        "name": "app",
        "image": "nginx",
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
    }
    spec: dict[str, Any] = {"containers": [container]}
    if app % 2 == 0:
        rules = ((ZONE, "DoNotSchedule"), (HOSTNAME, "ScheduleAnyway"))
        spec["topologySpreadConstraints"] = [
            {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector}
            for key, when in rules
        ]
    term = {"labelSelector": {"matchLabels": {"app": _app(app + 1)}}, "topologyKey": HOSTNAME}
    if app % 5 == 1:
        spec["affinity"] = {"podAntiAffinity": {REQUIRED: [term]}}
    elif app % 5 == 2:
        spec["affinity"] = {"podAffinity": {PREFERRED: [{"weight": 10, "podAffinityTerm": term}]}}
    elif app % 5 == 3:
        expression = {"key": "disk", "operator": "In", "values": ["ssd"]}
        spec["affinity"] = {
            "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
        }
    if app % 3 == 0:
        spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    return spec
