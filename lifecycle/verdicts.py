"""What the engine's rules say of stored objects, for pages that have an object's JSON and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from lifecycle.engine.controllers.daemon_set.decide.rollout_status import (
    decide_rollout_status as decide_daemon_rollout,
)
from lifecycle.engine.controllers.deployment.decide.rollout_status import RolloutStatus, decide_rollout_status
from lifecycle.engine.controllers.stateful_set.decide.identity import ordinal_of
from lifecycle.engine.controllers.stateful_set.decide.ordinals import Ordinals
from lifecycle.engine.controllers.stateful_set.decide.rollout_status import (
    decide_rollout_status as decide_stateful_rollout,
)
from lifecycle.engine.controllers.stateful_set.decide.waiting import Wait, find_wait
from lifecycle.engine.kinds.pod_specs import find_pod_metadata, find_pod_spec
from lifecycle.engine.kinds.references import CONFIG_MAP, SECRET, Reference, list_missing
from lifecycle.engine.objects.meta import StoredObject
from lifecycle.engine.objects.names import REVISION_LABEL
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod, PodSpec
from lifecycle.engine.objects.workloads.cron_job import CronJob
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND, DaemonSet
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND, Deployment
from lifecycle.engine.objects.workloads.stateful_set import (
    ON_DELETE,
    STATEFUL_SET_KIND,
    StatefulSet,
    StatefulSetSpec,
)
from lifecycle.engine.programs.images.doubts import list_doubts, tell_condition
from lifecycle.engine.rules.limits.quotas import write_amount
from lifecycle.engine.rules.pods.resources import decide_pod_cgroup, effective_limits, effective_requests
from lifecycle.engine.rules.telling import verdicts as verdict_words
from lifecycle.engine.rules.workloads.daemon_pods import explain_fit, find_target, tolerate_trouble

Json = Mapping[str, Any]


_BLOCKING = ("crashing", "stuck", "notReady", "starting", "pending", "unknown")
"""The states of pods that an ordered update waits for."""

_JUDGES: dict[str, tuple[type[StoredObject], Callable[[Any], RolloutStatus]]] = {
    DEPLOYMENT_KIND.id: (Deployment, decide_rollout_status),
    DAEMON_SET_KIND.id: (DaemonSet, decide_daemon_rollout),
    STATEFUL_SET_KIND.id: (StatefulSet, decide_stateful_rollout),
}


class Size(NamedTuple):
    """How many pods a stored workload wants, and has; `is_observed`: its controller has seen its spec."""

    wanted: int
    ready: int
    available: int
    is_observed: bool

    @property
    def is_full(self) -> bool:
        """Whether all that is wanted is ready."""
        return self.is_observed and self.ready == self.wanted


def read_size(workload: Json) -> Size:
    """The size of a workload that keeps pods. A DaemonSet counts nodes; a size that is not said is 1."""
    spec, status = workload.get("spec") or {}, workload.get("status") or {}
    wanted = status.get("desiredNumberScheduled", spec.get("replicas", 1))
    ready = status.get("readyReplicas", status.get("numberReady", 0))
    available = status.get("availableReplicas", status.get("numberAvailable", 0))
    is_observed = (status.get("observedGeneration") or 0) >= (workload["metadata"].get("generation") or 0)
    return Size(wanted, ready, available, is_observed)


def judge_rollout(kind: str, workload: Json) -> RolloutStatus | None:
    """How far the rollout of a stored workload is; None for a kind that has no `kubectl rollout status`."""
    if kind not in _JUDGES:
        return None
    read, judge = _JUDGES[kind]
    return judge(read.from_json(workload))


def judge_object(workload: StoredObject) -> RolloutStatus | None:
    """The same of a workload as the engine has it, which costs nothing to read."""
    _, judge = _JUDGES.get(workload.kind.id, (None, None))
    return judge(workload) if judge is not None else None


def list_next_runs(cron_job: Json, now_ms: int, epoch_ms: int, count: int) -> list[int]:
    """The next instants at which a stored CronJob runs, by the rule its controller goes by."""
    return verdict_words.list_runs(CronJob.from_json(cron_job, epoch_ms), now_ms, epoch_ms, count)


def tell_local_times(cron_job: Json, times: Iterable[int], epoch_ms: int) -> list[str]:
    """The dates and times of instants in the time zone of a stored CronJob."""
    return verdict_words.tell_local_times(CronJob.from_json(cron_job, epoch_ms), times, epoch_ms)


def make_manual_job(cron_job: Json, name: str) -> dict[str, Any]:
    """What `kubectl create job NAME --from=cronjob/…` makes: a run beside the schedule."""
    return verdict_words.make_manual_job(cron_job, name)


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


def tell_conditions(workload: Json, profiles: Iterable[Json], there: Iterable[Reference]) -> str:
    """`if Secret key is there and if web:1 can be pulled and starts`: what its pods being well hangs on.

    `there`: what the cluster has of all that may be missing. "" where nothing is taken for granted.
    """
    asked = (CONFIG_MAP, SECRET)
    missing = [f"{one.kind} {one.name}" for one in list_missing([workload], there) if one.kind in asked]
    template = {"metadata": find_pod_metadata(workload), "spec": find_pod_spec(workload)}
    images = tell_condition(list_doubts([template], profiles))
    given = f"if {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} there" if missing else ""
    return " and ".join(filter(None, (given, images)))


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


def find_ordinal_wait(stateful_set: Json, pods: Iterable[tuple[str, str, str]]) -> Wait | None:
    """Which ordinal the controller of a stored StatefulSet waits for, by its own rule.

    `pods`: name, `state` and revision of each pod it has.
    """
    spec = StatefulSetSpec(dict(stateful_set.get("spec") or {}))
    latest = (stateful_set.get("status") or {}).get("updateRevision")
    name, present = stateful_set["metadata"]["name"], dict[int, tuple[str, str]]()
    for pod, state, revision in pods:
        ordinal = ordinal_of(name, pod)
        if ordinal is not None:
            present[ordinal] = state, revision
    unsettled = [ordinal for ordinal, (state, _) in present.items() if state != "ready"]
    outdated = [
        ordinal
        for ordinal, (state, revision) in present.items()
        if revision != latest and state != "terminating"
    ]
    return find_wait(spec, Ordinals(present), Ordinals(unsettled), outdated)


def find_stuck_ordinal(stateful_set: Json, pods: Iterable[tuple[Json, str]]) -> str:
    """The pod of an older revision, not ready, that an update waits for and never replaces; "" of none.

    `pods`: each with its `state`. The controller waits for it to be ready before it looks at the update
    (updateStatefulSet in pkg/controller/statefulset; the "forced rollback" of the documentation).
    """
    latest = (stateful_set.get("status") or {}).get("updateRevision")
    revisions = {
        pod["metadata"]["name"]: ((pod["metadata"].get("labels") or {}).get(REVISION_LABEL, ""), state)
        for pod, state in pods
    }
    wait = find_ordinal_wait(stateful_set, [(name, state, one) for name, (one, state) in revisions.items()])
    name = f"{stateful_set['metadata']['name']}-{wait.ordinal}" if wait is not None else ""
    revision, state = revisions.get(name, (latest, "ready"))
    return name if revision != latest and state in _BLOCKING else ""


def tell_wait(stateful_set: Json, wait: Wait | None) -> str:
    """`the update waits for web-1 to be available`"""
    return (
        f"{wait.what} waits for {stateful_set['metadata']['name']}-{wait.ordinal} to be available"
        if wait
        else ""
    )


def explain_nodes(daemon_set: Json, nodes: Mapping[str, Json]) -> dict[str, str]:
    """By name the nodes that a stored DaemonSet is not for, and why: by its controller's own rule."""
    template = tolerate_trouble(DaemonSet.from_json(daemon_set).spec.template)
    told = {name: explain_fit(template, Node.from_json(data)) for name, data in nodes.items()}
    return {name: why for name, why in told.items() if why}


def find_target_node(pod: Json) -> str:
    """The node that a stored pod is meant for; "" where it may go to more than one."""
    return find_target(Pod.from_json(pod))
