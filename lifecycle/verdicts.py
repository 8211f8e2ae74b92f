"""What the engine's rules say of stored objects, for pages that have an object's JSON and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.engine.controllers.daemon_set.decide.rollout_status import (
    decide_rollout_status as decide_daemon_rollout,
)
from lifecycle.engine.controllers.deployment.decide.rollout_status import RolloutStatus, decide_rollout_status
from lifecycle.engine.controllers.stateful_set.decide.rollout_status import (
    decide_rollout_status as decide_stateful_rollout,
)
from lifecycle.engine.objects.daemon_set import DAEMON_SET_KIND, DaemonSet
from lifecycle.engine.objects.deployment import DEPLOYMENT_KIND, Deployment
from lifecycle.engine.objects.pod import PodSpec
from lifecycle.engine.objects.stateful_set import STATEFUL_SET_KIND, StatefulSet
from lifecycle.engine.rules.pod_resources import decide_pod_cgroup, effective_limits, effective_requests
from lifecycle.engine.rules.quotas import write_amount

Json = Mapping[str, Any]


_JUDGES: dict[str, Callable[[Json], RolloutStatus]] = {
    DEPLOYMENT_KIND.id: lambda data: decide_rollout_status(Deployment.from_json(data)),
    DAEMON_SET_KIND.id: lambda data: decide_daemon_rollout(DaemonSet.from_json(data)),
    STATEFUL_SET_KIND.id: lambda data: decide_stateful_rollout(StatefulSet.from_json(data)),
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
