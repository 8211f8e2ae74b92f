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
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod, PodSpec
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND, CronJob
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND, DaemonSet
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND, Deployment
from lifecycle.engine.objects.workloads.job import JOB_KIND, Job
from lifecycle.engine.objects.workloads.stateful_set import (
    ON_DELETE,
    STATEFUL_SET_KIND,
    StatefulSet,
    StatefulSetSpec,
)
from lifecycle.engine.rules.limits.quotas import write_amount
from lifecycle.engine.rules.pods.resources import decide_pod_cgroup, effective_limits, effective_requests
from lifecycle.engine.rules.pods.state import decide_state
from lifecycle.engine.rules.telling import (
    holds,
)
from lifecycle.engine.rules.telling import (
    pods as pod_verdict,
)
from lifecycle.engine.rules.telling import (
    rollouts as rollout_words,
)
from lifecycle.engine.rules.telling import (
    verdicts as verdict_words,
)
from lifecycle.engine.rules.telling.losses import Losses
from lifecycle.engine.rules.workloads import refused_pods
from lifecycle.engine.rules.workloads.daemon_pods import explain_fit, find_target, tolerate_trouble

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


UNWELL = ("crashing", "stuck", "unknown")
"""The states of pods that a verdict names first."""
FAILED = ("failed",)
"""The states of pods that it names behind all others: they have an end."""


def counts_failures(kind: str) -> bool:
    """Whether a workload counts its failed pods itself: to it they are mere tries."""
    return kind in (JOB_KIND.id, CRON_JOB_KIND.id)


def read_state(pod: Json, epoch_ms: int) -> str:
    """The `state` of a stored pod."""
    return decide_state(Pod.from_json(pod, epoch_ms)).name


UP = ("ready", *holds.HELD)
"""The states of pods that may have been down a moment ago, and may be so again."""
HELD = holds.HELD
"""The states of pods that are looked at more closely: what holds one so, its rows tell."""


ENDING, GOING = holds.ENDING, holds.GOING
"""The states of pods that should be gone when their grace period is over; of Jobs' pods the first alone."""


class Troubled(NamedTuple):
    """A stored pod that is not well, and how many others are not; what holds it, where it is not down."""

    pod: Json
    others: int = 0
    hold: holds.Hold | None = None


def find_hold(
    pod: Json, failing: Mapping[str, holds.Failing], now_ms: int, epoch_ms: int
) -> holds.Hold | None:
    """What keeps a stored pod from being ready, by what its rows say fails."""
    return holds.find_hold(Pod.from_json(pod, epoch_ms), failing, now_ms)


def find_overdue(pods: Iterable[Json], now_ms: int, epoch_ms: int) -> Troubled | None:
    """Of stored pods the first that should be gone."""
    for data in pods:
        hold = holds.find_overdue(Pod.from_json(data, epoch_ms), now_ms)
        if hold is not None:
            return Troubled(data, 0, hold)
    return None


class Findings(NamedTuple):
    """What there is to say of a workload beside its own object.

    `troubled`: of its living pods one that is not well. `wait`: what its controller waits for, in words, or
    how a CronJob's Jobs are. `refusal`: why its pods are not made, where its status does not say that.
    `losses`: how often its pods stopped being ready lately. `condition`: what has to be true of its images.
    """

    troubled: Troubled | None = None
    wait: str = ""
    refusal: holds.Failing | None = None
    losses: Losses | None = None
    condition: str = ""


def tell_verdict(kind: str, workload: Json, now_ms: int, epoch_ms: int, found: Findings) -> str:
    """One sentence on a stored workload: what goes on or is wrong, since when, and what comes next.

    That nothing will change by itself any more is said only where no pod and no timer could change anything.
    """
    troubled, told = found.troubled, list[str]()
    rollout, coming = judge_rollout(kind, workload), list[str]()
    if rollout:
        brief = rollout.brief
        if kind == DEPLOYMENT_KIND.id and not (rollout.is_done or rollout.has_failed):
            deployment = Deployment.from_json(workload, epoch_ms)
            brief = rollout_words.head_rollout(deployment, brief)
            coming = rollout_words.tell_next(deployment, now_ms, is_held=bool(troubled and troubled.hold))
        paused = "paused, " if (workload.get("spec") or {}).get("paused") else ""
        is_unwell = rollout.is_done and (found.losses is not None or _is_unwell(troubled, now_ms, epoch_ms))
        told.append(f"{paused}{brief}{', but not well' if is_unwell else ''}")
    if kind == JOB_KIND.id:
        told += verdict_words.tell_job(Job.from_json(workload, epoch_ms), now_ms)
    elif kind == CRON_JOB_KIND.id:
        told += verdict_words.tell_cron_job(CronJob.from_json(workload, epoch_ms), now_ms, epoch_ms)
    elif not told:
        told.append(verdict_words.tell_size(workload))
    refusal = found.refusal or refused_pods.find_refusal(workload, epoch_ms)
    if refusal is not None:
        told.append(refused_pods.tell_refusal(refusal, workload))
    elif found.condition and troubled is None and (rollout is None or rollout.is_done):
        told[0] += f", {found.condition}"
    if troubled is not None:
        told.append(tell_troubled(troubled, now_ms, epoch_ms))
    if found.losses is not None and (rollout is None or rollout.is_done):
        told.append(found.losses.tell())
    told += [found.wait] if found.wait else []
    told += coming
    if troubled is not None and troubled.hold is not None and troubled.hold.ends and not coming:
        told.append(troubled.hold.ends)
    if verdict_words.wants_nothing(workload):
        told.append(verdict_words.FOR_GOOD)
    sentence = "; ".join(told)
    return f"{sentence[:1].upper()}{sentence[1:]}{'' if sentence.endswith('?') else '.'}"


def _is_unwell(troubled: Troubled | None, now_ms: int, epoch_ms: int) -> bool:
    """Whether it is more than one end that is over."""
    if troubled is None:
        return False
    is_up = troubled.hold is None and decide_state(Pod.from_json(troubled.pod, epoch_ms)).name in UP
    return not is_up or keeps_restarting(troubled.pod, now_ms, epoch_ms)


def tell_runs(jobs: Iterable[Json], refusals: Mapping[str, holds.Failing], now_ms: int, epoch_ms: int) -> str:
    """What is wrong with a CronJob's stored Jobs: how the last one ended, why pods of one are not made.

    `refusals`: the latter, by uid.
    """
    read = [(Job.from_json(one, epoch_ms), one) for one in jobs]
    read.sort(key=lambda pair: (pair[0].meta.creation_ms or 0, pair[0].meta.name))
    ended = [job for job, _ in read if job.is_finished]
    told = [verdict_words.tell_last_run(ended[-1], now_ms)] if ended else []
    for job, data in read:
        if not job.is_finished and job.meta.uid in refusals:
            told.append(f"{job.meta.name}: {refused_pods.tell_refusal(refusals[job.meta.uid], data)}")
            break
    return "; ".join(filter(None, told))


def tell_troubled(troubled: Troubled, now_ms: int, epoch_ms: int) -> str:
    """`web-0 and 2 more pods: CrashLoopBackOff, not ready since 00:02:10, next retry in 20s`"""
    pod = Pod.from_json(troubled.pod, epoch_ms)
    if troubled.hold is not None:
        return verdict_words.tell_held(pod, troubled.others, troubled.hold.why)
    if decide_state(pod).name in UP:
        return pod_verdict.tell_restarted(pod, troubled.others, now_ms)
    return verdict_words.tell_trouble(pod, troubled.others, now_ms)


def has_restarted_lately(pod: Json, now_ms: int, epoch_ms: int) -> bool:
    """Whether a stored pod is up, and ended so lately that its next end is still backed off from."""
    read = Pod.from_json(pod, epoch_ms)
    return decide_state(read).name in UP and pod_verdict.has_restarted_lately(read, now_ms)


def keeps_restarting(pod: Json, now_ms: int, epoch_ms: int) -> bool:
    """Whether a stored pod is up, and is likely to be down again soon."""
    read = Pod.from_json(pod, epoch_ms)
    return decide_state(read).name in UP and pod_verdict.keeps_restarting(read, now_ms)


def find_unwell(down: Troubled | None, up: Iterable[Json], now_ms: int, epoch_ms: int) -> Troubled | None:
    """Those that are `down`, and of those that are `up` the ones that only are so for a moment."""
    again = [one for one in up if keeps_restarting(one, now_ms, epoch_ms)]
    if down is None:
        return Troubled(again[0], len(again) - 1) if again else None
    return down._replace(others=down.others + len(again))


def find_restarted(up: Iterable[Json], now_ms: int, epoch_ms: int) -> Troubled | None:
    """Of those that are up the ones that ended lately."""
    found = [one for one in up if has_restarted_lately(one, now_ms, epoch_ms)]
    return Troubled(found[0], len(found) - 1) if found else None


def tell_pod(
    pod: Json, now_ms: int, epoch_ms: int, deleted_ms: int | None = None, hold: holds.Hold | None = None
) -> str:
    """One sentence on a stored pod: how it is, since when, why, and what comes next."""
    return pod_verdict.tell_pod(Pod.from_json(pod, epoch_ms), now_ms, deleted_ms, hold)


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
