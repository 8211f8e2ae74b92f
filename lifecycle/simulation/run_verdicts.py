"""What pages say of workloads and lone pods, of a run that no database has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.engine import Cluster
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.pod_specs import find_pod_metadata, find_pod_spec
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.names import FAILED_CREATE, REVISION_LABEL
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND
from lifecycle.engine.programs.images.doubts import list_doubts, tell_condition
from lifecycle.engine.rules.telling.holds import Failing
from lifecycle.engine.rules.telling.losses import find_losses
from lifecycle.engine.rules.workloads.refused_pods import is_short
from lifecycle.verdicts import (
    ENDING,
    FAILED,
    GOING,
    HELD,
    UNWELL,
    UP,
    Findings,
    Troubled,
    counts_failures,
    find_hold,
    find_ordinal_wait,
    find_overdue,
    find_restarted,
    find_unwell,
    read_state,
    tell_pod,
    tell_runs,
    tell_verdict,
    tell_wait,
)

Json = Mapping[str, Any]


def read_verdict(
    data: Json,
    pods_by_owner: Mapping[str, Sequence[Json]],
    cluster: Cluster,
    at_ms: int,
    failing: Mapping[str, Mapping[str, Failing]],
    losses: Mapping[str, Sequence[int]],
) -> str:
    """The sentence that its page says of a workload; `pods_by_owner` as of `map_pods`.

    `failing`: by the uid of a pod, or of a workload, what its rows say fails. `losses`: by
    uid when its pods stopped being ready.
    """
    owned = pods_by_owner.get(data["metadata"]["uid"], ())
    kind = kind_id(data["apiVersion"].rpartition("/")[0], data["kind"])
    pods = [(pod, read_state(pod, cluster.epoch_ms)) for pod in owned]
    held = [pod for pod, state in pods if state in HELD]
    refusal = failing.get(data["metadata"]["uid"], {}).get(FAILED_CREATE) if is_short(kind, data) else None
    up = [pod for pod, state in pods if state in UP]
    troubled = find_unwell(_find_first(pods, UNWELL), up, at_ms, cluster.epoch_ms)
    troubled = troubled or _find_held(held, failing, at_ms, cluster.epoch_ms)
    if troubled is None:
        going = (ENDING,) if counts_failures(kind) else GOING
        troubled = find_overdue([pod for pod, state in pods if state in going], at_ms, cluster.epoch_ms)
    if troubled is None and not counts_failures(kind):
        troubled = _find_first(pods, FAILED)
    troubled = troubled or find_restarted(up, at_ms, cluster.epoch_ms)
    wait = ""
    if kind == CRON_JOB_KIND.id:
        wait = _tell_runs(data, cluster, at_ms, failing)
    if kind == STATEFUL_SET_KIND.id:
        labels = [pod["metadata"].get("labels") or {} for pod, _ in pods]
        members = [
            (pod["metadata"]["name"], state, label.get(REVISION_LABEL, ""))
            for (pod, state), label in zip(pods, labels, strict=True)
        ]
        wait = tell_wait(data, find_ordinal_wait(data, members))
    lost = {uid: losses[uid] for pod in owned if (uid := pod["metadata"]["uid"]) in losses}
    template = {"metadata": find_pod_metadata(data), "spec": find_pod_spec(data)}
    condition = tell_condition(list_doubts([template], cluster.list(CONTAINER_PROFILE.id)))
    found = Findings(troubled, wait, refusal, find_losses(lost, at_ms), condition)
    return tell_verdict(kind, data, at_ms, cluster.epoch_ms, found)


def _tell_runs(
    cron_job: Json, cluster: Cluster, at_ms: int, failing: Mapping[str, Mapping[str, Failing]]
) -> str:
    """How a CronJob's Jobs are, where something is wrong with them."""
    uid = cron_job["metadata"]["uid"]
    jobs = [one for one in cluster.list(JOB_KIND.id) if _controller_of(one) == uid]
    refusals = {
        one["metadata"]["uid"]: why
        for one in jobs
        if is_short(JOB_KIND.id, one)
        and (why := failing.get(one["metadata"]["uid"], {}).get(FAILED_CREATE)) is not None
    }
    return tell_runs(jobs, refusals, at_ms, cluster.epoch_ms)


def _find_first(pods: Sequence[tuple[Json, str]], states: Sequence[str]) -> Troubled | None:
    found = [pod for pod, state in pods if state in states]
    return Troubled(found[0], len(found) - 1) if found else None


def _find_held(
    pods: Sequence[Json], failing: Mapping[str, Mapping[str, Failing]], at_ms: int, epoch_ms: int
) -> Troubled | None:
    """Of pods that are not ready the first by name that something holds."""
    for pod in sorted(pods, key=lambda pod: str(pod["metadata"]["name"])):
        hold = find_hold(pod, failing.get(pod["metadata"]["uid"], {}), at_ms, epoch_ms)
        if hold is not None:
            return Troubled(pod, len(pods) - 1, hold)
    return None


def map_pods(cluster: Cluster) -> dict[str, list[Json]]:
    """All pods by the uids of those that control them, at whatever remove."""
    above = {
        one["metadata"]["uid"]: controller
        for entry in list_workloads()
        for one in cluster.list(entry.kind.id)
        if (controller := _controller_of(one))
    }
    found: dict[str, list[Json]] = {}
    for pod in cluster.list(POD_KIND.id):
        owner = _controller_of(pod)
        seen: set[str] = set()
        while owner and owner not in seen:
            seen.add(owner)
            found.setdefault(owner, []).append(pod)
            owner = above.get(owner)
    return found


def _controller_of(data: Json) -> str | None:
    references = data["metadata"].get("ownerReferences") or ()
    return next((one["uid"] for one in references if one.get("controller")), None)


def tell_lone_pods(cluster: Cluster, failing: Mapping[str, Mapping[str, Failing]]) -> dict[str, str]:
    """What their pages say of the pods that nobody controls, by uid."""
    now_ms, epoch_ms, told = cluster.now_ms, cluster.epoch_ms, dict[str, str]()
    for pod in cluster.list(POD_KIND.id):
        if _controller_of(pod) is None:
            uid = pod["metadata"]["uid"]
            hold = find_hold(pod, failing.get(uid, {}), now_ms, epoch_ms)
            told[uid] = tell_pod(pod, now_ms, epoch_ms, hold=hold)
    return told
