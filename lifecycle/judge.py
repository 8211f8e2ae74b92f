"""The one judge of pods and workloads: how they are, why, since when, and what comes next.

A pure function of what was observed (`Seen`). Where that comes from is the business of two sources: the rows
that are recorded (lifecycle/recorded/seen.py), and an engine that runs (lifecycle/simulation/seen.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lifecycle.engine.objects.condition import is_true
from lifecycle.engine.objects.names import FAILED_CREATE, REVISION_LABEL
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND, CronJob
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND, Deployment
from lifecycle.engine.objects.workloads.job import FAILED as JOB_FAILED
from lifecycle.engine.objects.workloads.job import FAILURE_TARGET, JOB_KIND, Job
from lifecycle.engine.objects.workloads.stateful_set import ON_DELETE, STATEFUL_SET_KIND
from lifecycle.engine.rules.pods.conditions import READY
from lifecycle.engine.rules.telling import pods as pod_words
from lifecycle.engine.rules.telling import rollouts as rollout_words
from lifecycle.engine.rules.telling import verdicts as verdict_words
from lifecycle.engine.rules.telling.bad_conditions import tell_bad_condition
from lifecycle.engine.rules.telling.defects import FORCED_ROLLBACK, tell_canceled
from lifecycle.engine.rules.telling.disrupted import tell_disrupted
from lifecycle.engine.rules.telling.failures import tell_failures
from lifecycle.engine.rules.telling.losses import Losses, find_losses
from lifecycle.engine.rules.telling.noticed import NOTHING, Failing, Noticed, Warned, is_lately
from lifecycle.engine.rules.telling.retries import tell_back_off
from lifecycle.engine.rules.workloads import refused_pods
from lifecycle.pod_judge import (
    ENDED,
    ENDING,
    FAILED,
    GOING,
    HELD,
    UNWELL,
    UP,
    WELL,
    SeenPod,
    Troubled,
    Verdict,
    find_hold,
    find_overdue,
    has_restarted_lately,
    keeps_restarting,
    tell_troubled,
)
from lifecycle.verdicts import (
    find_ordinal_wait,
    find_stuck_ordinal,
    judge_rollout,
    read_size,
    tell_wait,
)

Json = Mapping[str, Any]
_FAILS = (JOB_FAILED, FAILURE_TARGET)


class Seen(NamedTuple):
    """What was observed of a workload.

    `pods`: its own, at whatever remove; `others`: by `state` how many more there are that were not looked at.
    `gone`: what was noticed of pods of it that are gone. `jobs`: of a CronJob, with what was noticed of each.
    `condition`: what has to be true of its images. `beside`: what other objects have to say of it. `nodes`:
    by name those of the cluster, as far as they were looked at. `lost`: what a change that somebody
    planned cost of the requests to it; however that is, the workload itself is well.
    """

    kind: str
    data: Json
    now_ms: int
    epoch_ms: int
    pods: Sequence[SeenPod] = ()
    noticed: Noticed = NOTHING
    others: Mapping[str, int] = {}
    gone: Sequence[Noticed] = ()
    jobs: Sequence[tuple[Json, Noticed]] = ()
    condition: str = ""
    beside: Sequence[str] = ()
    nodes: Mapping[str, Node] = {}
    lost: Sequence[str] = ()


def counts_failures(kind: str) -> bool:
    """Whether a workload counts its failed pods itself: to it they are mere tries."""
    return kind in (JOB_KIND.id, CRON_JOB_KIND.id)


# --- pods -------------------------------------------------------------------------------------------------


def find_troubled(seen: Seen) -> Troubled | None:
    """Of a workload's pods the one to look at first, and how many others are not well: or not ready."""
    now_ms, epoch_ms = seen.now_ms, seen.epoch_ms
    up = [one for one in seen.pods if one.state in UP]
    again = [one for one in up if keeps_restarting(one.data, now_ms, epoch_ms)]
    if down := _find_first(seen, UNWELL):
        return down._replace(others=down.others + len(again))
    if again:
        return Troubled(again[0], len(again) - 1)
    counts = counts_failures(seen.kind)
    going = (ENDING,) if counts else GOING
    return (
        _find_held(seen)
        or find_overdue([one for one in seen.pods if one.state in going], now_ms, epoch_ms)
        or (None if counts else _find_first(seen, FAILED))
        or _find_restarted(up, now_ms, epoch_ms)
    )


def _find_first(seen: Seen, states: Sequence[str]) -> Troubled | None:
    """The first of those in one of the states, and how many others are in one."""
    found = [one for one in seen.pods if one.state in states]
    hidden = sum(seen.others.get(state, 0) for state in states)
    return Troubled(found[0], len(found) - 1 + hidden) if found else None


def _find_held(seen: Seen) -> Troubled | None:
    """Of those that are not ready, or on a node that is not, the first by name that something holds."""
    unready = {name for name, node in seen.nodes.items() if not is_true(node.status.conditions, READY)}
    held = sorted(
        (
            one
            for one in seen.pods
            if one.state in HELD
            or (one.state == WELL and (one.data.get("spec") or {}).get("nodeName") in unready)
        ),
        key=lambda one: str(one.data["metadata"]["name"]),
    )
    hidden = sum(seen.others.get(state, 0) for state in HELD)
    for one in held:
        hold = find_hold(one, seen.now_ms, seen.epoch_ms, seen.nodes)
        if hold is not None:
            return Troubled(one, len(held) - 1 + hidden, hold)
    return None


def _find_restarted(up: Sequence[SeenPod], now_ms: int, epoch_ms: int) -> Troubled | None:
    """Of those that are up the ones that ended lately."""
    found = [one for one in up if has_restarted_lately(one.data, now_ms, epoch_ms)]
    return Troubled(found[0], len(found) - 1) if found else None


# --- workloads --------------------------------------------------------------------------------------------


class _Findings(NamedTuple):
    """What there is to say of a workload beside its own object."""

    troubled: Troubled | None
    refusal: Failing | None
    losses: Losses | None
    bad_condition: str
    warned: Warned | None


def judge_workload(seen: Seen) -> Verdict:
    """What goes on or is wrong, since when, and what comes next.

    That nothing will change by itself any more is said only where no pod and no timer could change anything.
    """
    found = _find_all(seen)
    rollout = judge_rollout(seen.kind, seen.data)
    is_settled = rollout is None or rollout.is_done
    told, coming = _tell_own(seen, found)
    if found.refusal is not None:
        told.append(refused_pods.tell_refusal(found.refusal, seen.data))
    elif seen.condition and found.troubled is None and is_settled:
        told[0] += f", {seen.condition}"
    if found.troubled is not None:
        told.append(tell_troubled(found.troubled, seen.now_ms, seen.epoch_ms, seen.nodes))
    if found.losses is not None and is_settled:
        told.append(found.losses.tell())
    told += [*_tell_around(seen, found, "; ".join(told)), *seen.lost]
    told += coming
    if found.troubled is not None and (hold := found.troubled.hold) and hold.ends and not coming:
        told.append(hold.ends)
    if verdict_words.wants_nothing(seen.data):
        told.append(verdict_words.FOR_GOOD)
    sentence = "; ".join(told)
    sentence = f"{sentence[:1].upper()}{sentence[1:]}."
    is_open = any(one.noticed.refused is not None for one in seen.pods)
    # By hand nothing is ever rolled out to its end.
    strategy = (seen.data.get("spec") or {}).get("updateStrategy") or {}
    is_over = is_settled or strategy.get("type") == ON_DELETE
    is_calm = found == _Findings(None, None, None, "", found.warned) and not (is_open or seen.beside)
    return Verdict(sentence, is_calm and is_over and _has_all(seen))


def find_refusal(kind: str, workload: Json, noticed: Noticed, epoch_ms: int) -> Failing | None:
    """Why pods of a workload cannot be made: by its status, or by its events while it is short of pods."""
    told = refused_pods.find_refusal(workload, epoch_ms)
    is_short = told is None and refused_pods.is_short(kind, workload)
    return noticed.failing.get(FAILED_CREATE) if is_short else told


def _has_all(seen: Seen) -> bool:
    """Whether all the pods it wants are ready."""
    if counts_failures(seen.kind):
        conditions = (seen.data.get("status") or {}).get("conditions") or ()
        return not any(one.get("type") in _FAILS and one.get("status") == "True" for one in conditions)
    # A status follows its pods a moment later.
    ready = sum(one.state == WELL for one in seen.pods) + seen.others.get(WELL, 0)
    size = read_size(seen.data)
    return min(ready, size.ready) >= size.wanted


def _find_all(seen: Seen) -> _Findings:
    living = (one for one in seen.pods if one.state not in ENDED)
    uid_losses = {str(number): one.noticed.losses for number, one in enumerate(living)}
    return _Findings(
        find_troubled(seen),
        find_refusal(seen.kind, seen.data, seen.noticed, seen.epoch_ms),
        find_losses({uid: losses for uid, losses in uid_losses.items() if losses}, seen.now_ms),
        "" if counts_failures(seen.kind) else tell_bad_condition(seen.data, seen.epoch_ms),
        _find_warning(seen),
    )


def _find_warning(seen: Seen) -> Warned | None:
    """The last Warning about the workload itself; that pods could not be made counts while they are not."""
    last = seen.noticed.find_warning(0, (FAILED_CREATE,))
    return last if last is not None and is_lately(last.last_ms, seen.now_ms) else None


def _tell_own(seen: Seen, found: _Findings) -> tuple[list[str], list[str]]:
    """What its own object tells; and what comes next by that."""
    told, coming = list[str](), list[str]()
    now_ms, epoch_ms = seen.now_ms, seen.epoch_ms
    if rollout := judge_rollout(seen.kind, seen.data):
        brief = rollout.brief
        if seen.kind == DEPLOYMENT_KIND.id and not (rollout.is_done or rollout.has_failed):
            deployment = Deployment.from_json(seen.data, epoch_ms)
            brief = rollout_words.head_rollout(deployment, brief)
            is_held = bool(found.troubled and found.troubled.hold)
            coming = rollout_words.tell_next(deployment, now_ms, is_held=is_held)
        paused = "paused, " if (seen.data.get("spec") or {}).get("paused") else ""
        is_unwell = rollout.is_done and (found.losses is not None or _is_unwell(found.troubled, seen))
        told.append(f"{paused}{brief}{', but not well' if is_unwell else ''}")
    if seen.kind == JOB_KIND.id:
        job = Job.from_json(seen.data, epoch_ms)
        told += verdict_words.tell_job(job, now_ms)
        pods = [(Pod.from_json(one.data, epoch_ms), one.noticed) for one in seen.pods]
        told += tell_back_off(job, [pod for pod, _ in pods], now_ms, epoch_ms)
        last = len(told) - (told[-1] == verdict_words.FOR_GOOD)
        told[last:last] = tell_failures(job, pods, seen.gone, epoch_ms)
    elif seen.kind == CRON_JOB_KIND.id:
        told += verdict_words.tell_cron_job(CronJob.from_json(seen.data, epoch_ms), now_ms, epoch_ms)
    elif not told:
        told.append(verdict_words.tell_size(seen.data))
    return told, coming


def _is_unwell(troubled: Troubled | None, seen: Seen) -> bool:
    """Whether it is more than one end that is over."""
    if troubled is None:
        return False
    is_up = troubled.hold is None and troubled.pod.state in UP
    return not is_up or keeps_restarting(troubled.pod.data, seen.now_ms, seen.epoch_ms)


def _tell_around(seen: Seen, found: _Findings, told: str) -> list[str]:
    """What it waits for, what made its pods go, what it was warned of, and what others say of it."""
    words = [
        found.bad_condition,
        _tell_wait(seen),
        tell_disrupted([one.noticed for one in seen.pods] + [*seen.gone], seen.now_ms),
    ]
    warned = found.warned
    if warned is not None and warned.reason not in told:
        at = verdict_words.tell_instant(warned.last_ms)
        words.append(f"lately: {warned.reason} at {at}{verdict_words.quote(warned.message)}")
    if found.troubled is None:
        words.append(_tell_warned_pod(seen))
    words += [_tell_refused(seen), _tell_canceled(seen)]
    return [one for one in (*words, *seen.beside) if one]


def _tell_canceled(seen: Seen) -> str:
    """The first pod whose checks are canceled while it ends."""
    for one in seen.pods:
        if one.state == ENDING and (
            told := tell_canceled(Pod.from_json(one.data, seen.epoch_ms), one.noticed)
        ):
            return f"{one.data['metadata']['name']}: {told}"
    return ""


def _tell_refused(seen: Seen) -> str:
    """The first eviction that was asked for and stands open: a drain tries again and again."""
    for one in seen.pods:
        if (refused := one.noticed.refused) is not None:
            by = f" by budget {refused.budget}" if refused.budget else ""
            since = verdict_words.tell_instant(refused.since_ms)
            return f"the eviction of {one.data['metadata']['name']} is refused since {since}{by}"
    return ""


def _tell_warned_pod(seen: Seen) -> str:
    """Of pods that are well the first that was warned of since it is so."""
    for one in seen.pods:
        if one.state == WELL:
            pod = Pod.from_json(one.data, seen.epoch_ms)
            if warned := pod_words.tell_warned(pod, one.noticed, seen.now_ms):
                return f"{pod.meta.name}: {warned.removeprefix('; ')}"
    return ""


def _tell_wait(seen: Seen) -> str:
    """What its controller waits for; of a CronJob how its Jobs are."""
    if seen.kind == CRON_JOB_KIND.id:
        return _tell_runs(seen)
    if seen.kind != STATEFUL_SET_KIND.id:
        return ""
    labels = [one.data["metadata"].get("labels") or {} for one in seen.pods]
    members = [
        (one.data["metadata"]["name"], one.state, label.get(REVISION_LABEL, ""))
        for one, label in zip(seen.pods, labels, strict=True)
    ]
    told = tell_wait(seen.data, find_ordinal_wait(seen.data, members))
    stuck = find_stuck_ordinal(seen.data, [(one.data, one.state) for one in seen.pods])
    if stuck:
        told += f"; {stuck} is of an older revision, and Kubernetes does not replace it by itself"
        told += f" (a defect of Kubernetes, {FORCED_ROLLBACK}): it has to be deleted"
    return told


def _tell_runs(seen: Seen) -> str:
    """What is wrong with a CronJob's Jobs: how the last one ended, why pods of one are not made."""
    read = [(Job.from_json(data, seen.epoch_ms), data, noticed) for data, noticed in seen.jobs]
    read.sort(key=lambda one: (one[0].meta.creation_ms or 0, one[0].meta.name))
    ended = [job for job, _, _ in read if job.is_finished]
    told = [verdict_words.tell_last_run(ended[-1], seen.now_ms)] if ended else []
    for job, data, noticed in read:
        refusal = find_refusal(JOB_KIND.id, data, noticed, seen.epoch_ms)
        if not job.is_finished and refusal is not None:
            told.append(f"{job.meta.name}: {refused_pods.tell_refusal(refusal, data)}")
            break
    return "; ".join(filter(None, told))
