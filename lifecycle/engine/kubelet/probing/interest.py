"""Which of a probe's checks are of interest: those that may see or say something new."""

from __future__ import annotations

from ...heart.timing import UPKEEP_PROGRAM_MS
from ...rules.pods.probe_rules import count_checks, decide_probe, next_check_ms, verdict_ms
from ..state.container_run import ContainerRun, ProbeRun


def find_next_of_interest_ms(probed: ProbeRun, now_ms: int) -> int | None:
    """When the next one is due after a check that began now; None when none is."""
    if probed.state.on_hold:
        return None
    probe, until_ms = probed.probe, probed.until_ms
    next_ms = now_ms + probe.period_seconds * 1000
    flips_ms = verdict_ms(probed.kind, probe, probed.state, probed.outcome, next_ms)
    if until_ms is None:
        return flips_ms
    changes_ms = max(next_check_ms(probe, now_ms, until_ms), next_ms)
    return changes_ms if flips_ms is None else min(flips_ms, changes_ms)


def is_progress(run: ContainerRun, probed: ProbeRun, now_ms: int) -> bool:
    """Whether a run goes on for the next check. That to tell once more is upkeep."""
    if probed.is_singular:
        return False
    is_settled = probed.outcome == probed.state.result and run.ready
    return not is_settled or _is_unsure(run, probed, now_ms)


def _is_unsure(run: ContainerRun, probed: ProbeRun, now_ms: int) -> bool:
    """May it see something else? What was certain for a moment alone, or what the program has done since,
    is not asked about in old containers, as their programs' own wakes are upkeep."""
    until_ms, process = probed.until_ms, run.process
    if until_ms is not None and until_ms > now_ms:
        return True
    is_open = until_ms is not None or (process is not None and process.version != probed.version)
    return is_open and now_ms - run.process_start_ms <= UPKEEP_PROGRAM_MS


def count_skipped(probed: ProbeRun, now_ms: int) -> None:
    """Checks between the last one made and now all saw what that one saw."""
    if probed.last_ms is None or not probed.outcome:
        return
    probe = probed.probe
    skipped = count_checks(probe, probed.last_ms + probe.period_seconds * 1000, now_ms - 1)
    limit = max(probe.failure_threshold, probe.success_threshold) + 1
    for _ in range(min(skipped, limit)):
        probed.state = decide_probe(probed.kind, probe, probed.state, probed.outcome)
