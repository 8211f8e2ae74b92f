"""Random Jobs, CronJobs, budgets, quotas, autoscalers and deletions."""

from __future__ import annotations

import random
from typing import Any

from tools.differential.parts import (
    Drawn,
    Json,
    draw_deletion,
    draw_server,
    end_after,
    make_pod,
    make_template,
    maybe,
    merge_patch,
    patch_spec,
    run_for_ever,
    set_image,
)
from tools.differential.workloads import LABELS, NAME, make_workload

HELD = ["example.com/hold"]


# --- Jobs -------------------------------------------------------------------------------------------------


def draw_job(rng: random.Random) -> Drawn:
    """All pods of a Job end alike: well, badly, or never."""
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": NAME}, "spec": _draw_job_spec(rng)}
    steps = [
        lambda rng: patch_spec("Job", NAME, parallelism=rng.randint(0, 4)),
        lambda rng: patch_spec("Job", NAME, suspend=rng.random() < 0.5),
        lambda rng: patch_spec("Job", NAME, suspend=False),
        lambda rng: patch_spec("Job", NAME, backoffLimit=rng.randint(0, 3)),
        lambda rng: patch_spec("Job", NAME, activeDeadlineSeconds=rng.choice((4, 12))),
        lambda rng: patch_spec("Job", NAME, ttlSecondsAfterFinished=rng.choice((0, 5))),
        lambda rng: patch_spec("Job", NAME, completions=rng.randint(1, 4), parallelism=rng.randint(1, 4)),
        lambda rng: draw_deletion(rng, "Job", NAME),
    ]
    return [job], steps, 26


def _draw_job_spec(rng: random.Random) -> Json:
    acts = rng.choice(
        (end_after(rng.choice((2, 4)), 0), end_after(rng.choice((2, 4)), rng.choice((1, 3))), run_for_ever(3))
    )
    is_indexed = rng.random() < 0.4
    completions = rng.randint(1, 4)
    spec: Json = {
        **maybe(rng, 0.8 if not is_indexed else 1, completions=completions),
        **maybe(rng, 0.8, parallelism=rng.randint(0, 4)),
        **maybe(rng, 0.6, backoffLimit=rng.randint(0, 3)),
        **maybe(rng, 0.2, activeDeadlineSeconds=rng.choice((5, 9))),
        **maybe(rng, 0.2, ttlSecondsAfterFinished=rng.choice((0, 4))),
        **maybe(rng, 0.15, suspend=True),
    }
    if is_indexed:
        spec |= {"completionMode": "Indexed", **_draw_index_rules(rng, completions)}
    spec |= _draw_failure_rules(rng)
    spec["template"] = make_template(LABELS, acts, restartPolicy="Never")
    return spec


def _draw_index_rules(rng: random.Random, completions: int) -> Json:
    rules = maybe(rng, 0.3, successPolicy={"rules": [{"succeededCount": rng.randint(1, completions)}]})
    if rng.random() < 0.4:
        rules["backoffLimitPerIndex"] = rng.randint(0, 1)
        rules |= maybe(rng, 0.5, maxFailedIndexes=rng.randint(0, completions))
    return rules


def _draw_failure_rules(rng: random.Random) -> Json:
    rules = maybe(rng, 0.25, podReplacementPolicy="Failed")
    if rng.random() < 0.25:
        action = rng.choice(("FailJob", "Ignore", "Count"))
        codes = {"operator": "In", "values": [rng.choice((1, 3))]}
        rules = {"podFailurePolicy": {"rules": [{"action": action, "onExitCodes": codes}]}}
    return rules


def draw_cron_job(rng: random.Random) -> Drawn:
    """Each minute anew, while the Job of the minute before may go on."""
    acts = rng.choice((end_after(3, 0), end_after(3, 1), run_for_ever(2)))
    template = {
        "spec": {
            "backoffLimit": rng.randint(0, 1),
            "template": make_template(LABELS, acts, restartPolicy="Never"),
        }
    }
    spec: Json = {
        "schedule": "* * * * *",
        "jobTemplate": template,
        **maybe(rng, 0.7, concurrencyPolicy=rng.choice(("Allow", "Forbid", "Replace"))),
        **maybe(rng, 0.3, successfulJobsHistoryLimit=rng.randint(0, 1)),
        **maybe(rng, 0.3, failedJobsHistoryLimit=rng.randint(0, 1)),
        **maybe(rng, 0.2, startingDeadlineSeconds=20),
        **maybe(rng, 0.15, suspend=True),
    }
    steps = [
        lambda rng: patch_spec("CronJob", NAME, suspend=rng.random() < 0.4),
        lambda rng: patch_spec("CronJob", NAME, concurrencyPolicy=rng.choice(("Allow", "Forbid", "Replace"))),
        lambda rng: patch_spec("CronJob", NAME, schedule=rng.choice(("* * * * *", "*/2 * * * *"))),
        lambda rng: draw_deletion(rng, "CronJob", NAME),
    ]
    cron_job = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": NAME}, "spec": spec}
    return [cron_job], steps, 125


# --- budgets, quotas, autoscalers -------------------------------------------------------------------------


def draw_budget(rng: random.Random) -> Drawn:
    """Evictions of pods that have a name, against one budget or two."""
    replicas = rng.randint(1, 4)
    owner = make_workload(
        "StatefulSet", draw_server(rng), replicas=replicas, serviceName=NAME, podManagementPolicy="Parallel"
    )
    alone = make_pod("alone", LABELS, run_for_ever(rng.choice((0, 3))))
    names = [f"budget-{number}" for number in range(rng.choice((1, 1, 1, 2)))]
    steps = [
        lambda rng: ("evict", {"pod": f"{NAME}-{rng.randint(0, replicas - 1)}"}),
        lambda rng: ("evict", {"pod": f"{NAME}-{rng.randint(0, replicas - 1)}"}),
        lambda rng: ("evict", {"pod": rng.choice(("alone", f"{NAME}-0"))}),
        lambda rng: ("scale", {"statefulset": NAME, "replicas": rng.randint(0, 4)}),
        lambda rng: merge_patch("PodDisruptionBudget", "budget-0", {"spec": _draw_amount(rng)}),
        lambda rng: ("delete", {"kind": "PodDisruptionBudget", "name": "budget-0"}),
        lambda rng: ("delete", {"kind": "Pod", "name": "alone"}),
    ]
    pods = [alone] if rng.random() < 0.5 else []
    return [owner, *pods, *[_make_budget(rng, name) for name in names]], steps, 12


def _draw_amount(rng: random.Random) -> Json:
    which, other = rng.choice((("minAvailable", "maxUnavailable"), ("maxUnavailable", "minAvailable")))
    return {which: rng.choice((0, 1, 2, "30%", "50%", "100%")), other: None}


def _make_budget(rng: random.Random, name: str) -> Json:
    amount = {key: value for key, value in _draw_amount(rng).items() if value is not None}
    policy = maybe(rng, 0.4, unhealthyPodEvictionPolicy=rng.choice(("AlwaysAllow", "IfHealthyBudget")))
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {**amount, **policy, "selector": {"matchLabels": LABELS}},
    }


def draw_quota(rng: random.Random) -> Drawn:
    """A quota that pods come up against, and that is changed."""
    kind = rng.choice(("Deployment", "StatefulSet", "ReplicaSet"))
    acts = run_for_ever(rng.choice((0, 3)))
    if rng.random() < 0.6:
        amounts = {"cpu": rng.choice(("100m", "200m")), "memory": "32Mi"}
        acts["container"]["resources"] = {"requests": amounts, **maybe(rng, 0.5, limits=amounts)}
    more = {"serviceName": NAME} if kind == "StatefulSet" else {}
    quota: Json = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "quota"},
        "spec": {"hard": _draw_hard(rng)},
    }
    owner = make_workload(kind, acts, replicas=rng.randint(1, 5), **more)
    steps = [
        lambda rng: merge_patch("ResourceQuota", "quota", {"spec": {"hard": _draw_hard(rng)}}),
        lambda rng: ("scale", {kind.lower(): NAME, "replicas": rng.randint(0, 5)}),
        lambda rng: ("delete", {"kind": "ResourceQuota", "name": "quota"}),
    ]
    if kind != "ReplicaSet":
        steps.append(lambda rng: set_image(rng, kind, NAME))
    return [quota, owner], steps, 25


def _draw_hard(rng: random.Random) -> Json:
    amounts = {
        "pods": rng.randint(0, 5),
        "requests.cpu": rng.choice(("200m", "500m")),
        "limits.memory": "64Mi",
    }
    names = rng.sample(sorted(amounts), rng.randint(1, 2))
    return {name: str(amounts[name]) for name in names}


def draw_autoscaler(rng: random.Random) -> Drawn:
    """Without metrics: only its bounds speak."""
    least = rng.randint(1, 3)
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": NAME},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": NAME},
            "minReplicas": least,
            "maxReplicas": least + rng.randint(0, 3),
        },
    }
    owner = make_workload("Deployment", run_for_ever(), replicas=rng.randint(0, 7))
    steps = [
        lambda rng: ("scale", {"deployment": NAME, "replicas": rng.randint(0, 7)}),
        lambda rng: patch_spec("HorizontalPodAutoscaler", NAME, maxReplicas=rng.randint(3, 6)),
        lambda rng: patch_spec("HorizontalPodAutoscaler", NAME, minReplicas=rng.randint(1, 3)),
        lambda rng: ("delete", {"kind": "HorizontalPodAutoscaler", "name": NAME}),
    ]
    return [owner, scaler], steps, 40


# --- deletions --------------------------------------------------------------------------------------------


def draw_garbage(rng: random.Random) -> Drawn:
    """Owners that are deleted in one way or another, while finalizers hold them or their pods."""
    kind = rng.choice(("Deployment", "ReplicaSet", "StatefulSet", "Job"))
    acts = run_for_ever(rng.choice((0, 3)))
    owner = _make_owner(kind, acts, rng.randint(1, 3))
    owner["metadata"] |= maybe(rng, 0.4, finalizers=HELD)
    held = {"metadata": {"finalizers": HELD}}
    let_go: Json = {"metadata": {"finalizers": None}}
    steps = [
        lambda rng: draw_deletion(rng, kind, NAME),
        lambda rng: draw_deletion(rng, kind, NAME),
        lambda rng: merge_patch(kind, NAME, rng.choice((held, let_go, let_go))),
    ]
    if kind == "StatefulSet":
        steps += [
            lambda rng: merge_patch("Pod", f"{NAME}-{rng.randint(0, 2)}", rng.choice((held, let_go))),
            lambda rng: ("delete", {"kind": "Pod", "name": f"{NAME}-0", **_draw_grace(rng)}),
        ]
    return [owner], steps, 14


def _draw_grace(rng: random.Random) -> Json:
    return maybe(rng, 0.5, gracePeriodSeconds=rng.choice((0, 1)))


def _make_owner(kind: str, acts: Json, replicas: int) -> Json:
    if kind == "Job":
        template = make_template(LABELS, acts, restartPolicy="Never")
        spec: dict[str, Any] = {"parallelism": replicas, "completions": replicas, "template": template}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": NAME}, "spec": spec}
    more = {"serviceName": NAME, "podManagementPolicy": "Parallel"} if kind == "StatefulSet" else {}
    return make_workload(kind, acts, replicas=replicas, **more)
