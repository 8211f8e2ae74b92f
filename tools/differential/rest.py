"""What must hold of a cluster in which nothing has happened for long: the counts of each status are true.

Each claim is what the documentation of Kubernetes says of a field, counted anew from the pods that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]
Objects = dict[str, list[Json]]
"""All objects of a cluster, by their kinds."""

FINISHED = ("Succeeded", "Failed")
WORKLOADS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob")
TRACKED = "batch.kubernetes.io/job-tracking"
NAMESPACE = "default"


def find_untrue_counts(objects: Objects) -> list[str]:
    """What does not hold, as sentences."""
    return [text for look in LOOKS for text in look(objects)]


# --- looking at objects -----------------------------------------------------------------------------------


def _each(objects: Objects, kind: str) -> Iterator[tuple[str, Json, Json, Json]]:
    """(what to call it, itself, its spec, its status) of those that nobody is deleting."""
    for one in objects.get(kind, []):
        meta = one["metadata"]
        if meta.get("namespace") == NAMESPACE and "deletionTimestamp" not in meta:
            yield f"{kind} {meta['name']}", one, one.get("spec", {}), one.get("status", {})


def _owned(objects: Objects, kind: str, owner: Json) -> list[Json]:
    uid = owner["metadata"]["uid"]
    return [one for one in objects.get(kind, []) if (_find_owner(one) or {}).get("uid") == uid]


def _find_owner(one: Json) -> Json | None:
    return next((ref for ref in one["metadata"].get("ownerReferences", []) if ref.get("controller")), None)


def _is_active(pod: Json) -> bool:
    return pod.get("status", {}).get("phase") not in FINISHED and not _is_deleted(pod)


def _is_deleted(one: Json) -> bool:
    return "deletionTimestamp" in one["metadata"]


def _is_ready(pod: Json) -> bool:
    conditions = pod.get("status", {}).get("conditions", [])
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _unequal(where: str, **counts: tuple[Any, Any]) -> Iterator[str]:
    for name, (said, counted) in counts.items():
        if said != counted:
            yield f"{where}: {name} is {said}, counted {counted}"


# --- claims -----------------------------------------------------------------------------------------------


def _look_at_owners(objects: Objects) -> Iterator[str]:
    """The garbage collector leaves nothing whose owner is gone."""
    uids = {one["metadata"]["uid"] for things in objects.values() for one in things}
    for kind, things in objects.items():
        for one in things:
            owner = _find_owner(one)
            if owner and owner["uid"] not in uids and not _is_deleted(one):
                yield f"{kind} {one['metadata']['name']}: its owner {owner['kind']} {owner['name']} is gone"


def _look_at_generations(objects: Objects) -> Iterator[str]:
    """Each controller has seen the last change."""
    for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"):
        for where, one, _, status in _each(objects, kind):
            seen = status.get("observedGeneration"), one["metadata"].get("generation")
            yield from _unequal(where, observedGeneration=seen)


def _look_at_replica_sets(objects: Objects) -> Iterator[str]:
    for where, one, spec, status in _each(objects, "ReplicaSet"):
        pods = [pod for pod in _owned(objects, "Pod", one) if _is_active(pod)]
        ready = sum(map(_is_ready, pods))
        yield from _unequal(
            where,
            replicas=(status.get("replicas", 0), len(pods)),
            readyReplicas=(status.get("readyReplicas", 0), ready),
            availableReplicas=(status.get("availableReplicas", 0), ready),
        )
        if not objects.get("ResourceQuota"):
            yield from _unequal(where, wanted=(spec.get("replicas", 1), len(pods)))


def _look_at_deployments(objects: Objects) -> Iterator[str]:
    for where, one, spec, status in _each(objects, "Deployment"):
        sets = [each for each in _owned(objects, "ReplicaSet", one) if not _is_deleted(each)]
        told = [each.get("status", {}) for each in sets]
        yield from _unequal(
            where,
            replicas=(status.get("replicas", 0), sum(each.get("replicas", 0) for each in told)),
            readyReplicas=(
                status.get("readyReplicas", 0),
                sum(each.get("readyReplicas", 0) for each in told),
            ),
        )
        is_complete = (
            status.get("updatedReplicas", 0) == spec["replicas"] == status.get("availableReplicas", 0)
        )
        if is_complete and not spec.get("paused"):
            old = [each for each in sets if not each.get("status", {}).get("replicas")]
            limit = spec.get("revisionHistoryLimit", 10) + (spec["replicas"] == 0)
            yield from _unequal(where, replicas=(status.get("replicas", 0), spec["replicas"]))
            if len(old) > limit:
                yield f"{where}: {len(old)} old ReplicaSets, and its limit is {limit}"


def _look_at_stateful_sets(objects: Objects) -> Iterator[str]:
    for where, one, spec, status in _each(objects, "StatefulSet"):
        pods = _owned(objects, "Pod", one)
        revision = status.get("updateRevision")
        updated = sum(pod["metadata"]["labels"].get("controller-revision-hash") == revision for pod in pods)
        yield from _unequal(
            where,
            replicas=(status.get("replicas", 0), len(pods)),
            readyReplicas=(status.get("readyReplicas", 0), sum(map(_is_ready, pods))),
            updatedReplicas=(status.get("updatedReplicas", 0), updated),
        )
        if all(_is_ready(pod) and not _is_deleted(pod) for pod in pods) and not objects.get("ResourceQuota"):
            first = spec.get("ordinals", {}).get("start", 0)
            wanted = {f"{one['metadata']['name']}-{first + at}" for at in range(spec.get("replicas", 1))}
            yield from _unequal(where, pods=(sorted(pod["metadata"]["name"] for pod in pods), sorted(wanted)))


def _look_at_daemon_sets(objects: Objects) -> Iterator[str]:
    for where, one, _, status in _each(objects, "DaemonSet"):
        pods = [pod for pod in _owned(objects, "Pod", one) if not _is_deleted(pod)]
        nodes = {pod["spec"].get("nodeName") for pod in pods}
        yield from _unequal(where, currentNumberScheduled=(status["currentNumberScheduled"], len(nodes)))
        if status["desiredNumberScheduled"] != len(nodes):
            yield f"{where}: pods on {len(nodes)} nodes, wanted on {status['desiredNumberScheduled']}"


def _look_at_jobs(objects: Objects) -> Iterator[str]:
    for where, one, spec, status in _each(objects, "Job"):
        pods = _owned(objects, "Pod", one)
        active = [pod for pod in pods if _is_active(pod)]
        ended = {each["type"] for each in status.get("conditions", []) if each["status"] == "True"}
        is_over = bool(ended & {"Complete", "Failed"})
        yield from _unequal(where, active=(status.get("active", 0), len(active)))
        if is_over and active:
            yield f"{where}: it is over, and {len(active)} pods go on"
        if is_over and any(TRACKED in pod["metadata"].get("finalizers", []) for pod in pods):
            yield f"{where}: it is over, and pods wait to be counted"
        if "Complete" in ended and "successPolicy" not in spec:
            wanted = spec.get("completions") or 1
            if status.get("succeeded", 0) < wanted:
                yield f"{where}: complete with {status.get('succeeded', 0)} of {wanted} pods"


def _look_at_cron_jobs(objects: Objects) -> Iterator[str]:
    for where, one, spec, status in _each(objects, "CronJob"):
        jobs = _owned(objects, "Job", one)
        for kind, limit in (("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")):
            over = [job for job in jobs if _has_condition(job, kind)]
            # The last one may have ended since it was looked at.
            if len(over) > spec[limit] + 1:
                yield f"{where}: {len(over)} Jobs are {kind}, and its limit is {spec[limit]}"
        known = {each["uid"] for each in status.get("active", [])}
        if spec["concurrencyPolicy"] != "Allow" and len(known) > 1:
            yield f"{where}: {len(known)} Jobs at once, with {spec['concurrencyPolicy']}"


def _has_condition(one: Json, kind: str) -> bool:
    conditions = one.get("status", {}).get("conditions", [])
    return any(each["type"] == kind and each["status"] == "True" for each in conditions)


def _look_at_budgets(objects: Objects) -> Iterator[str]:
    budgets = [*_each(objects, "PodDisruptionBudget")]
    # Of several that select a pod only one is told of its changes (disruption.go, getPdbForPod).
    for where, _, spec, status in budgets if len(budgets) == 1 else ():
        labels = spec["selector"]["matchLabels"].items()
        pods = [pod for pod in objects.get("Pod", []) if labels <= pod["metadata"].get("labels", {}).items()]
        healthy = sum(_is_ready(pod) and not _is_deleted(pod) for pod in pods)
        allowed = max(0, healthy - status["desiredHealthy"]) if status["expectedPods"] else 0
        yield from _unequal(
            where,
            currentHealthy=(status["currentHealthy"], healthy),
            disruptionsAllowed=(status["disruptionsAllowed"], allowed),
        )


def _look_at_quotas(objects: Objects) -> Iterator[str]:
    for where, _, spec, status in _each(objects, "ResourceQuota"):
        pods = [pod for pod in objects.get("Pod", []) if pod["metadata"]["namespace"] == NAMESPACE]
        counted = [pod for pod in pods if pod.get("status", {}).get("phase") not in FINISHED]
        yield from _unequal(where, hard=(status.get("hard"), spec.get("hard")))
        if "pods" in spec.get("hard", {}):
            yield from _unequal(where, pods=(status.get("used", {}).get("pods"), str(len(counted))))


def _look_at_autoscalers(objects: Objects) -> Iterator[str]:
    for where, _, spec, _ in _each(objects, "HorizontalPodAutoscaler"):
        target = next((one for one in _each(objects, spec["scaleTargetRef"]["kind"])), None)
        # One that is scaled to 0 is not autoscaled.
        if target is not None and target[2]["replicas"]:
            least, most, now = spec["minReplicas"], spec["maxReplicas"], target[2]["replicas"]
            if not least <= now <= most:
                yield f"{where}: {now} replicas, and its bounds are {least} and {most}"


LOOKS: tuple[Callable[[Objects], Iterator[str]], ...] = (
    _look_at_owners,
    _look_at_generations,
    _look_at_replica_sets,
    _look_at_deployments,
    _look_at_stateful_sets,
    _look_at_daemon_sets,
    _look_at_jobs,
    _look_at_cron_jobs,
    _look_at_budgets,
    _look_at_quotas,
    _look_at_autoscalers,
)
