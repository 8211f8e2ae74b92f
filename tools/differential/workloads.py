"""Random Deployments, ReplicaSets, StatefulSets and DaemonSets, and what is done to them."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from tools.differential.parts import (
    Drawn,
    Json,
    draw_deletion,
    draw_server,
    make_pod,
    make_template,
    maybe,
    merge_patch,
    patch_spec,
    run_for_ever,
    set_image,
)

NAME, LABELS = "web", {"app": "web"}
AMOUNTS = (0, 1, 2, "25%", "50%", "100%")
NODES = ("hollow-1", "hollow-2", "hollow-3")


def make_workload(kind: str, acts: Json, template: Json | None = None, /, **spec: Any) -> Json:
    """One of apps/v1."""
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": NAME},
        "spec": {
            **spec,
            "selector": {"matchLabels": dict(LABELS)},
            "template": make_template(LABELS, acts, **(template or {})),
        },
    }


def _draw_rolling(rng: random.Random) -> Json:
    surge, unavailable = rng.choice(AMOUNTS), rng.choice(AMOUNTS)
    if str(surge) in ("0", "0%") and str(unavailable) in ("0", "0%"):
        surge = 1
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


def _annotate_template(rng: random.Random, kind: str) -> Any:
    annotations = {"example.com/try": str(rng.randint(1, 3))}
    return patch_spec(kind, NAME, template={"metadata": {"annotations": annotations}})


def draw_deployment(rng: random.Random) -> Drawn:
    """Rollouts, scales and pauses in any order, while pods end slowly or never get ready."""
    spec: Json = {
        "replicas": rng.randint(0, 6),
        **maybe(rng, 0.3, minReadySeconds=rng.choice((2, 5))),
        **maybe(rng, 0.3, revisionHistoryLimit=rng.choice((0, 1, 2))),
        **maybe(rng, 0.25, progressDeadlineSeconds=rng.choice((7, 12))),
        **maybe(rng, 0.1, paused=True),
    }
    if rng.random() < 0.8:
        spec["strategy"] = {"type": "Recreate"} if rng.random() < 0.2 else _draw_rolling(rng)
    steps = [
        lambda rng: set_image(rng, "Deployment", NAME),
        lambda rng: set_image(rng, "Deployment", NAME),
        lambda rng: ("scale", {"deployment": NAME, "replicas": rng.randint(0, 7)}),
        lambda rng: ("scale", {"deployment": NAME, "replicas": rng.randint(0, 7)}),
        lambda rng: ("rollout", {rng.choice(("pause", "resume", "restart")): f"deployment/{NAME}"}),
        lambda rng: patch_spec("Deployment", NAME, paused=rng.random() < 0.4),
        lambda rng: patch_spec("Deployment", NAME, minReadySeconds=rng.choice((0, 3))),
        lambda rng: patch_spec("Deployment", NAME, strategy=_draw_rolling(rng)),
        lambda rng: patch_spec("Deployment", NAME, revisionHistoryLimit=rng.choice((0, 1))),
        lambda rng: _annotate_template(rng, "Deployment"),
        lambda rng: draw_deletion(rng, "Deployment", NAME),
    ]
    return [make_workload("Deployment", draw_server(rng), **spec)], steps, 16


def draw_replica_set(rng: random.Random) -> Drawn:
    """Bare pods that a ReplicaSet finds, takes and lets go again."""
    stray = [f"stray-{number}" for number in range(rng.randint(0, 3))]
    pods = [make_pod(name, {**LABELS, **maybe(rng, 0.3, extra="1")}, draw_server(rng)) for name in stray]
    spec = {"replicas": rng.randint(0, 4), **maybe(rng, 0.3, minReadySeconds=4)}
    owner = make_workload("ReplicaSet", draw_server(rng), **spec)
    steps = [
        lambda rng: ("scale", {"replicaset": NAME, "replicas": rng.randint(0, 5)}),
        lambda rng: ("scale", {"replicaset": NAME, "replicas": rng.randint(0, 5)}),
        lambda rng: _annotate_template(rng, "ReplicaSet"),
        lambda rng: draw_deletion(rng, "ReplicaSet", NAME),
        lambda rng: patch_spec("ReplicaSet", NAME, minReadySeconds=rng.choice((0, 3))),
    ]
    for name in stray:
        steps += [partial(_relabel, pod=name), partial(_delete_pod, pod=name)]
    order = [*pods, owner]
    rng.shuffle(order)
    return order, steps, 12


def _relabel(rng: random.Random, pod: str) -> Any:
    return merge_patch("Pod", pod, {"metadata": {"labels": {"app": rng.choice(("web", "other", None))}}})


def _delete_pod(_rng: random.Random, pod: str) -> Any:
    return "delete", {"kind": "Pod", "name": pod}


def draw_stateful_set(rng: random.Random) -> Drawn:
    """In order or at once, by partitions, with pods that are deleted, evicted and held."""
    spec: Json = {
        "replicas": rng.randint(1, 4),
        "serviceName": NAME,
        **maybe(rng, 0.4, podManagementPolicy="Parallel"),
        **maybe(rng, 0.3, minReadySeconds=rng.choice((2, 4))),
        **maybe(rng, 0.2, ordinals={"start": rng.choice((1, 3))}),
        **maybe(rng, 0.5, updateStrategy=_draw_update(rng)),
        **maybe(rng, 0.2, revisionHistoryLimit=rng.choice((0, 1))),
    }
    steps = [
        lambda rng: set_image(rng, "StatefulSet", NAME),
        lambda rng: set_image(rng, "StatefulSet", NAME),
        lambda rng: ("scale", {"statefulset": NAME, "replicas": rng.randint(0, 5)}),
        lambda rng: patch_spec("StatefulSet", NAME, updateStrategy=_draw_update(rng)),
        lambda rng: patch_spec("StatefulSet", NAME, minReadySeconds=rng.choice((0, 3))),
        lambda rng: patch_spec("StatefulSet", NAME, ordinals={"start": rng.randint(0, 2)}),
        lambda rng: ("delete", {"kind": "Pod", "name": f"{NAME}-{rng.randint(0, 3)}"}),
        lambda rng: ("evict", {"pod": f"{NAME}-{rng.randint(0, 3)}"}),
        lambda rng: _hold(rng, f"{NAME}-{rng.randint(0, 2)}"),
        lambda rng: ("rollout", {"restart": f"statefulset/{NAME}"}),
        lambda rng: draw_deletion(rng, "StatefulSet", NAME),
    ]
    return [make_workload("StatefulSet", draw_server(rng), **spec)], steps, 20


def _draw_update(rng: random.Random) -> Json:
    if rng.random() < 0.25:
        return {"type": "OnDelete"}
    rolling = {**maybe(rng, 0.5, partition=rng.randint(0, 3)), **maybe(rng, 0.4, maxUnavailable=_some(rng))}
    return {"type": "RollingUpdate", **({"rollingUpdate": rolling} if rolling else {})}


def _some(rng: random.Random) -> Any:
    return rng.choice((1, 2, "50%", "100%"))


def _hold(rng: random.Random, pod: str) -> Any:
    """A finalizer comes or goes."""
    return merge_patch("Pod", pod, {"metadata": {"finalizers": rng.choice((["example.com/hold"], None))}})


def draw_daemon_set(rng: random.Random) -> Drawn:
    """A pod a node, while nodes are tainted, cordoned and labelled, and templates change."""
    spec: Json = {
        **maybe(rng, 0.6, updateStrategy=_draw_daemon_update(rng)),
        **maybe(rng, 0.3, minReadySeconds=rng.choice((2, 4))),
        **maybe(rng, 0.2, revisionHistoryLimit=rng.choice((0, 1))),
    }
    template = maybe(rng, 0.3, tolerations=[{"key": "gpu", "operator": "Exists"}])
    if rng.random() < 0.25:
        template["nodeSelector"] = {"disk": "fast"}
    steps = [
        lambda rng: set_image(rng, "DaemonSet", NAME),
        lambda rng: set_image(rng, "DaemonSet", NAME),
        lambda rng: draw_taint(rng),
        lambda rng: (rng.choice(("cordon", "uncordon")), rng.choice(NODES)),
        lambda rng: _label_node(rng),
        lambda rng: patch_spec("DaemonSet", NAME, updateStrategy=_draw_daemon_update(rng)),
        lambda rng: _annotate_template(rng, "DaemonSet"),
        lambda rng: ("rollout", {"restart": f"daemonset/{NAME}"}),
        lambda rng: draw_deletion(rng, "DaemonSet", NAME),
    ]
    return [make_workload("DaemonSet", draw_server(rng), template, **spec)], steps, 16


def draw_taint(rng: random.Random) -> Any:
    effect = rng.choice(("NoSchedule", "NoExecute", "NoExecute"))
    taints = [{"key": "gpu", "value": "yes", "effect": effect}] if rng.random() < 0.7 else []
    return "taint", {"node": rng.choice(NODES), "taints": taints}


def _label_node(rng: random.Random) -> Any:
    labels = {"disk": rng.choice(("fast", "slow", None))}
    return merge_patch("Node", rng.choice(NODES), {"metadata": {"labels": labels}})


def _draw_daemon_update(rng: random.Random) -> Json:
    if rng.random() < 0.2:
        return {"type": "OnDelete"}
    if rng.random() < 0.4:
        return {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": rng.choice((1, 2, "50%")), "maxUnavailable": 0},
        }
    return {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": _some(rng)}}


def draw_taints(rng: random.Random) -> Drawn:
    """A Deployment and a lone pod on nodes that are tainted, cordoned and drained of them."""
    tolerations: list[Json] = []
    if rng.random() < 0.6:
        one: Json = {"key": "gpu", "operator": "Exists", "effect": "NoExecute"}
        tolerations.append({**one, **maybe(rng, 0.7, tolerationSeconds=rng.choice((3, 8)))})
    template = {"tolerations": tolerations} if tolerations else {}
    alone = make_pod("alone", {"app": "alone"}, run_for_ever(), **template)
    owner = make_workload("Deployment", run_for_ever(), template, replicas=rng.randint(1, 4))
    steps = [
        lambda rng: draw_taint(rng),
        lambda rng: draw_taint(rng),
        lambda rng: (rng.choice(("cordon", "uncordon")), rng.choice(NODES)),
        lambda rng: ("scale", {"deployment": NAME, "replicas": rng.randint(0, 5)}),
        lambda rng: set_image(rng, "Deployment", NAME),
    ]
    return [alone, owner], steps, 14


def draw_fault(rng: random.Random) -> Drawn:
    """Nodes fall silent and come back, under a set or a Deployment that does not wait for them for long."""
    seconds = rng.choice((0, 5, 20))
    away = [
        {
            "key": f"node.kubernetes.io/{key}",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": seconds,
        }
        for key in ("not-ready", "unreachable")
    ]
    template = maybe(rng, 0.7, tolerations=away)
    kind = rng.choice(("Deployment", "StatefulSet", "DaemonSet"))
    spec: Json = {} if kind == "DaemonSet" else {"replicas": rng.randint(1, 4)}
    spec |= {"serviceName": NAME, "podManagementPolicy": "Parallel"} if kind == "StatefulSet" else {}
    steps = [
        *[lambda rng: _silence(rng)] * 3,
        lambda rng: (rng.choice(("cordon", "uncordon")), rng.choice(NODES)),
        lambda rng: set_image(rng, kind, NAME),
        lambda rng: draw_deletion(rng, kind, NAME),
    ]
    if kind != "DaemonSet":
        steps.append(lambda rng: ("scale", {kind.lower(): NAME, "replicas": rng.randint(0, 5)}))
    if kind == "StatefulSet":
        steps.append(lambda rng: ("delete", {"kind": "Pod", "name": f"{NAME}-0"}))
    return [make_workload(kind, run_for_ever(rng.choice((0, 3))), template, **spec)], steps, 100


def _silence(rng: random.Random) -> Any:
    kind = rng.choice(("kubeletDown", "partition"))
    return "fault", {"node": rng.choice(NODES), "kind": kind, "for": f"{rng.choice((20, 60, 75))}s"}
