"""What the engine's rules say of stored objects, for pages that have an object's JSON and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from lifecycle.engine.controllers.daemon_set.decide.rollout_status import (
    decide_rollout_status as decide_daemon_rollout,
)
from lifecycle.engine.controllers.deployment.decide.rollout_status import RolloutStatus, decide_rollout_status
from lifecycle.engine.controllers.stateful_set.decide.ordinals import Ordinals
from lifecycle.engine.controllers.stateful_set.decide.waiting import Wait, find_wait
from lifecycle.engine.objects.daemon_set import DAEMON_SET_KIND, DaemonSet
from lifecycle.engine.objects.deployment import DEPLOYMENT_KIND, Deployment
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pod import Pod, PodSpec
from lifecycle.engine.objects.stateful_set import ON_DELETE, StatefulSetSpec
from lifecycle.engine.rules.daemon_pods import explain_fit, find_target, tolerate_trouble
from lifecycle.engine.rules.pod_resources import decide_pod_cgroup, effective_limits, effective_requests
from lifecycle.engine.rules.quotas import write_amount

Json = Mapping[str, Any]


_JUDGES: dict[str, Callable[[Json], RolloutStatus]] = {
    DEPLOYMENT_KIND.id: lambda data: decide_rollout_status(Deployment.from_json(data)),
    DAEMON_SET_KIND.id: lambda data: decide_daemon_rollout(DaemonSet.from_json(data)),
}


def judge_rollout(kind: str, workload: Json) -> RolloutStatus | None:
    """How far the rollout of a stored workload is; None for a kind that has no `kubectl rollout status`."""
    judge = _JUDGES.get(kind)
    return judge(workload) if judge is not None else None


def list_pod_amounts(spec: Json) -> dict[str, dict[str, str]]:
    """What a pod of this spec counts with everywhere (INIT-28), and the cgroup made from it (INIT-31).

    `requests`, `limits` and `cgroup`, each by name, as Kubernetes writes them.
    """
    pod = PodSpec.from_json(spec)
    amounts = {"requests": effective_requests(pod), "limits": effective_limits(pod)}
    written = {
        part: {name: write_amount(name, amount) for name, amount in given.items()}
        for part, given in amounts.items()
    }
    return written | {"cgroup": {name: str(amount) for name, amount in decide_pod_cgroup(pod).items()}}


# --- places -----------------------------------------------------------------------------------------------


class OrdinalRange(NamedTuple):
    """The ordinals a StatefulSet wants, and those of them that an update leaves as they are."""

    all: range
    held_back: range
    partition: int = 0


NO_ORDINALS = OrdinalRange(range(0), range(0))


def read_ordinals(stateful_set: Json) -> OrdinalRange:
    """Those of a stored StatefulSet."""
    spec = StatefulSetSpec(dict(stateful_set.get("spec") or {}))
    partition = 0 if spec.strategy_type == ON_DELETE else spec.partition or 0
    end = spec.end + 1
    return OrdinalRange(
        range(spec.start, end), range(spec.start, min(end, spec.start + partition)), partition
    )


def find_ordinal_wait(
    stateful_set: Json, present: Iterable[int], unsettled: Iterable[int], outdated: Iterable[int]
) -> Wait | None:
    """Which ordinal the controller of a stored StatefulSet waits for, by its own rule."""
    spec = StatefulSetSpec(dict(stateful_set.get("spec") or {}))
    return find_wait(spec, Ordinals(present), Ordinals(unsettled), outdated)


def explain_nodes(daemon_set: Json, nodes: Mapping[str, Json]) -> dict[str, str]:
    """By name the nodes that a stored DaemonSet is not for, and why: by its controller's own rule."""
    template = tolerate_trouble(DaemonSet.from_json(daemon_set).spec.template)
    told = {name: explain_fit(template, Node.from_json(data)) for name, data in nodes.items()}
    return {name: why for name, why in told.items() if why}


def find_target_node(pod: Json) -> str:
    """The node that a stored pod is meant for; "" where it may go to more than one."""
    return find_target(Pod.from_json(pod))
