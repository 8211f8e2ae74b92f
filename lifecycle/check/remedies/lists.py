"""What may help against what: by claim, the likeliest and smallest changes first. None of it is tried yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lifecycle.check.remedies.candidates import Candidate, Case
from lifecycle.check.remedies.changes import jobs, placing, probes, rollouts, sizes

Change = Callable[[Case], Iterator[Candidate]]
_WORK = (jobs.try_again, jobs.end_in_time, jobs.begin_again)
_PRESSED = (placing.raise_priority, placing.ask_for_limits)
_ROOM = (placing.raise_quota, placing.ask_for_less)
CHANGES: Mapping[str, tuple[Change, ...]] = {
    "no-request-lost": (
        sizes.mend_selector, placing.relax, placing.free, sizes.add_budget, placing.spread,
        sizes.add_replicas,
    ),
    "drain-ends": (
        sizes.leave_one_budget, sizes.add_replicas, sizes.loosen_budgets, sizes.evict_unhealthy,
        placing.relax, placing.raise_quota, rollouts.manage_in_parallel, jobs.try_again,
    ),
    "whole-again": (
        *_WORK, probes.ask_readiness, rollouts.count_later, placing.relax, placing.free,
        sizes.add_replicas, placing.spread, placing.separate,
        placing.tolerate_shorter, rollouts.manage_in_parallel, *_PRESSED, *_ROOM,
        probes.wait_for_start, probes.ask_itself,
    ),
    "nothing-stuck": (
        *_WORK, rollouts.make_room, placing.relax, placing.free, rollouts.recreate,
        rollouts.manage_in_parallel, placing.ask_for_cpu, *_ROOM, rollouts.wait_longer,
        probes.wait_for_start, probes.be_patient, *_PRESSED, sizes.add_replicas, placing.tolerate_shorter,
    ),
    "no-hard-kill": (rollouts.leave_shell, rollouts.end_slower),
    "no-restart-storm": (
        probes.wait_for_start, probes.be_patient, probes.ask_later, probes.ask_itself, probes.raise_memory,
        placing.ask_for_limits,
    ),
    "budget-kept": (
        sizes.mend_selector, rollouts.surge, probes.ask_readiness, rollouts.count_later, placing.relax,
        placing.free,
        placing.spread, placing.separate, sizes.add_replicas, placing.tolerate_shorter, *_PRESSED,
        probes.wait_for_start, probes.be_patient, probes.ask_itself,
    ),
    "rollout-keeps-its-budget": (
        rollouts.surge, probes.ask_readiness, rollouts.count_later, sizes.add_replicas,
        probes.wait_for_start,
    ),
    "one-writer": (rollouts.recreate, rollouts.claim_for_one_pod),
}  # fmt: skip


def list_candidates(claim: str, case: Case) -> Iterator[Candidate]:
    """The changes that may help one workload."""
    for change in CHANGES.get(claim, ()):
        yield from change(case)
