"""A scenario from a family and a seed: the same two, the same scenario."""

from __future__ import annotations

import random
from collections.abc import Callable

from tools.differential import others, workloads
from tools.differential.case import Case
from tools.differential.parts import Drawn, lay_out

MOST_STEPS = 5
FAMILIES: dict[str, Callable[[random.Random], Drawn]] = {
    "autoscalers": others.draw_autoscaler,
    "budgets": others.draw_budget,
    "cron-jobs": others.draw_cron_job,
    "daemon-sets": workloads.draw_daemon_set,
    "deployments": workloads.draw_deployment,
    "faults": workloads.draw_fault,
    "garbage": others.draw_garbage,
    "jobs": others.draw_job,
    "quotas": others.draw_quota,
    "replica-sets": workloads.draw_replica_set,
    "stateful-sets": workloads.draw_stateful_set,
    "taints": workloads.draw_taints,
}


def draw_case(family: str, seed: int) -> Case:
    """The scenario of a seed. Raises KeyError for an unknown family."""
    rng = random.Random(f"{family}-{seed}")
    manifests, makers, tail_seconds = FAMILIES[family](rng)
    steps, until_seconds = lay_out(rng, makers, MOST_STEPS, tail_seconds)
    return Case(family, seed, tuple(manifests), tuple(steps), until_seconds)
